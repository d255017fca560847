"""The action history: one JSON line for each command, in a file that is rotated when it is long
(docs/spec/daemon-files.md#history).

Each row is written with one call. It is complete or, after a crash or on a full disk, torn at the file's end. A torn
row is truncated before the next is written. Rows that could not be written are queued, and written first as soon as
there is room."""

from __future__ import annotations

import json
import logging
import os
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from oryn.core.records import Record
from oryn.daemon.history.inflight_log import InflightLog
from oryn.daemon.vocabulary import matches_action
from oryn.system.paths import private_folder
from oryn.system.row_file import append_row, newest_rows, truncate_torn_row

log = logging.getLogger(__name__)

MAX_ROWS = 10_000
MAX_WAITING_ROWS = 1_000
"""Maximum number of rows kept in memory while writing fails; the oldest are dropped first."""

_NEVER = datetime.min.replace(tzinfo=UTC)
_CLOCK_TOLERANCE = timedelta(seconds=1)
"""How far the clock may be adjusted while a command runs."""


class HistoryRow(Record):
    """One command in the history.

    `ts` is UTC in ISO 8601. `args` has the line or the arguments, with secrets masked; `withheld` is True if there were
    any. `error_kind` and `error` are None if the command succeeded."""

    action_id: str
    ts: str
    elapsed_ms: float
    ok: bool
    session: str
    action: str
    args: dict[str, Any]
    snapshot_generation: int | None = None
    error_kind: str | None = None
    error: str | None = None
    backend: str | None = None
    withheld: bool = False
    source_action_id: str | None = None
    """The `action_id` of the row that this one replayed, or None."""
    line: str | None = None
    """The action as a line, if `args` are the arguments of an action."""
    program: str | None = None
    """The `action_id` of the program that gave the command, or None."""
    principal: str | None = None
    """The name of the token that gave the command; None for the daemon's own user."""
    folder: str | None = None
    """The caller's folder, if the command has a path that is relative to it, or is an intent, whose steps may."""
    targets: dict[str, Any] | None = None
    """What its targets were, by the names of its fields (`TargetDescription.data`); None if that is not known."""
    report: list[str] | None = None
    """What it has changed, as lines of a test (`StepReport`); None if nothing, or in a user's own browser."""
    meanwhile: list[str] | None = None
    """What had changed between the command before and this one; None if nothing."""


class ActionHistory:
    """The rows of one daemon, in `actions.jsonl`; after a rotation, the older ones are in `actions.prev.jsonl`. A file
    with `max_rows` rows is rotated.

    One process writes; any process may read."""

    def __init__(self, folder: Path, max_rows: int = MAX_ROWS) -> None:
        self.file = folder / "actions.jsonl"
        self.previous = folder / "actions.prev.jsonl"
        self._max_rows = max_rows
        self._count: int | None = None
        self._waiting: deque[tuple[str, bytes]] = deque()
        self._inflight_log = InflightLog(folder / "actions.started.jsonl")
        self.failing: str | None = None
        """Why the last attempt to write rows failed, or None."""

    def begin(self, row: HistoryRow) -> None:
        """Record a command that starts. `row` goes into the history if this process ends before the command does.

        Never raises."""
        try:
            self._inflight_log.begin(row.action_id, encode_row(row))
        except OSError as error:
            self._fail(error)

    def append(self, row: HistoryRow) -> None:
        """Write a row. Never raises: a row that can't be written is retried with the next one."""
        self._waiting.append((row.action_id, encode_row(row)))
        if len(self._waiting) > MAX_WAITING_ROWS:
            self._waiting.popleft()
        try:
            self._write()
        except OSError as error:
            self._fail(error)
        else:
            self.failing = None

    def recover(self) -> None:
        """Write the rows of commands that a killed process had started and not finished. Never raises."""
        try:
            unfinished = [row for row in map(decode_row, self._inflight_log.adopt()) if row is not None]
            if unfinished:
                recorded = {row.action_id for row in self.newest()}
                for row in unfinished:
                    if row.action_id in recorded:
                        self._inflight_log.end(row.action_id)
                    else:
                        self.append(row)
        except OSError as error:
            self._fail(error)

    def close(self) -> None:
        """Write queued rows and close the log; no further command may begin. Never raises."""
        try:
            self._write()
            self._inflight_log.close()
        except OSError as error:
            self._fail(error)

    def _fail(self, error: OSError) -> None:
        if self.failing is None:
            log.error("the history can't be written: %s", error)
        self.failing = error.strerror or str(error)

    def _write(self) -> None:
        if self._count is None:
            private_folder(self.file.parent)
            self._count = truncate_torn_row(self.file)
        while self._waiting:
            if self._count >= self._max_rows:
                os.replace(self.file, self.previous)
                self._count = 0
            action_id, line = self._waiting[0]
            try:
                append_row(self.file, line + b"\n")
            except FileNotFoundError:  # somebody has deleted the folder
                private_folder(self.file.parent)
                append_row(self.file, line + b"\n")
            self._waiting.popleft()
            self._count += 1
            self._inflight_log.end(action_id)

    def rows(self, *, previous: bool = False) -> Iterator[HistoryRow]:
        """Every row of one file, the oldest first. Torn lines and lines of another format are skipped."""
        with suppress(FileNotFoundError), (self.previous if previous else self.file).open("rb") as file:
            for line in file:
                if (row := decode_row(line)) is not None:
                    yield row

    def newest(self) -> Iterator[HistoryRow]:
        """Every row, the newest first, including those before the last rotation. The files are read only as far as the
        caller iterates."""
        for line in newest_rows(self.file, self.previous):
            if (row := decode_row(line)) is not None:
                yield row

    def select(
        self,
        *,
        session: str | None = None,
        action: str | None = None,
        since: str | None = None,
        last: int | None = None,
        previous: bool = False,
    ) -> list[HistoryRow]:
        """The rows that match all arguments, the oldest first.

        `action` may be any of the action's names. `since` (in the format of `ts`) selects commands that ended at that
        moment or later, `last` only the last so many. If the clock was set back, rows from before that are excluded by
        `since`, whatever their timestamps."""
        found = (
            row
            for row in _ended_since(self.rows(previous=previous), since)
            if (session is None or row.session == session) and (action is None or matches_action(row.action, action))
        )
        return list(found) if last is None else list(deque(found, maxlen=last))

    def find(self, action_id: str) -> HistoryRow | None:
        """The row with this identifier, including rows from before the last rotation; None if there is no such row."""
        for previous in (False, True):
            for row in self.rows(previous=previous):
                if row.action_id == action_id:
                    return row
        return None


def _ended_since(rows: Iterable[HistoryRow], since: str | None) -> Iterable[HistoryRow]:
    """Rows that ended at `since` or later.

    Rows are in the order in which they ended; a timestamp out of order shows that the clock was set back."""
    if since is None:
        return rows
    moment, before, found = datetime.fromisoformat(since), _NEVER, list[HistoryRow]()
    for row in rows:
        end = datetime.fromisoformat(row.ts) + timedelta(milliseconds=row.elapsed_ms)
        if row.elapsed_ms > 0:  # else it was interrupted, and its end is unknown
            if end < moment or end + _CLOCK_TOLERANCE < before:
                found.clear()
            before = end
        if end >= moment:
            found.append(row)
    return found


def encode_row(row: HistoryRow) -> bytes:
    return json.dumps(row.values(), separators=(",", ":")).encode()


def decode_row(line: bytes) -> HistoryRow | None:
    try:
        return HistoryRow(**json.loads(line))
    except (ValueError, TypeError):
        return None
