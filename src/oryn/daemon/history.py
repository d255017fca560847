"""What was done: one JSON line for each command, in a file that is turned over when it is long (seed 004, Action
history).

A row is written with one call, so that it is there whole or, after a crash or on a full disk, torn at the file's end: a
torn row is cut off before the next is written. Rows that could not be written wait and go first when there is room.
"""

from __future__ import annotations

import errno
import json
import logging
import os
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from oryn.daemon.actions import is_asked
from oryn.daemon.journal import Journal
from oryn.paths import private_folder
from oryn.records import Record

log = logging.getLogger(__name__)

MOST_ROWS = 10_000
MOST_WAITING = 1_000
"""Rows that are kept in memory while nothing can be written; the oldest go first."""

_NEVER = datetime.min.replace(tzinfo=UTC)
_ADJUSTED = timedelta(seconds=1)
"""By so much a clock may be put right while a command runs."""


class Row(Record):
    """One command. `ts` is UTC in ISO 8601; `args` has its line or its arguments, with secrets withheld, which
    `withheld` says; `error_kind` and `error` are None when it went well."""

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
    """The row that this one repeats, where it was replayed."""
    line: str | None = None
    """What was done as a line, where `args` are those of an action."""


class History:
    """The rows of one daemon, in `actions.jsonl`; those before it was turned over are in `actions.prev.jsonl`.

    One process writes; any may read."""

    def __init__(self, folder: Path, most_rows: int = MOST_ROWS) -> None:
        self.file = folder / "actions.jsonl"
        self.previous = folder / "actions.prev.jsonl"
        self._most_rows = most_rows
        self._count: int | None = None
        self._waiting: deque[tuple[str, bytes]] = deque()
        self._journal = Journal(folder / "actions.started.jsonl")
        self.failing: str | None = None
        """Why rows could not be written the last time, or None."""

    def begin(self, row: Row) -> None:
        """A command starts: `row` is what shall be told of it if this process ends before it is done. Never raises."""
        try:
            private_folder(self.file.parent)
            self._journal.begin(row.action_id, _line(row))
        except OSError as error:
            self._fail(error)

    def append(self, row: Row) -> None:
        """Write a row. Never raises: what can't be written now is tried again with the next row."""
        self._waiting.append((row.action_id, _line(row)))
        if len(self._waiting) > MOST_WAITING:
            self._waiting.popleft()
        try:
            self._write()
        except OSError as error:
            self._fail(error)
        else:
            self.failing = None

    def recover(self) -> None:
        """Write the rows of what a process that was killed had begun and not ended. Never raises."""
        try:
            begun = [row for row in map(_read, self._journal.adopted()) if row is not None]
            if begun:
                known = {row.action_id for row in self.newest()}
                for row in begun:
                    if row.action_id in known:
                        self._journal.end(row.action_id)
                    else:
                        self.append(row)
        except OSError as error:
            self._fail(error)

    def close(self) -> None:
        """Nothing more is begun. Never raises."""
        try:
            self._write()
            self._journal.close()
        except OSError as error:
            self._fail(error)

    def _fail(self, error: OSError) -> None:
        if self.failing is None:
            log.error("the history can't be written: %s", error)
        self.failing = error.strerror or str(error)

    def _write(self) -> None:
        if self._count is None:
            private_folder(self.file.parent)
            self._count = _mend(self.file)
        while self._waiting:
            if self._count >= self._most_rows:
                os.replace(self.file, self.previous)
                self._count = 0
            action_id, line = self._waiting[0]
            _append(self.file, line + b"\n")
            self._waiting.popleft()
            self._count += 1
            self._journal.end(action_id)

    def rows(self, *, previous: bool = False) -> Iterator[Row]:
        """Every row, the oldest first; what is torn or of another shape is passed over."""
        with suppress(FileNotFoundError), (self.previous if previous else self.file).open("rb") as file:
            for line in file:
                if (row := _read(line)) is not None:
                    yield row

    def newest(self) -> Iterator[Row]:
        """Every row, the newest first, those from before the file was turned over too; read as far as is asked."""
        for file in (self.file, self.previous):
            with suppress(FileNotFoundError):
                for line in reversed(file.read_bytes().splitlines()):
                    if (row := _read(line)) is not None:
                        yield row

    def select(
        self,
        *,
        session: str | None = None,
        action: str | None = None,
        since: str | None = None,
        last: int | None = None,
        previous: bool = False,
    ) -> list[Row]:
        """Those of a session, of an action (by any of its names), that ended from a moment on (`since`, as `ts`), the
        `last` of them; the oldest first. Those from before the clock was set back are not from that moment on, whatever
        they say."""
        found = (
            row
            for row in _ended_since(self.rows(previous=previous), since)
            if (session is None or row.session == session) and (action is None or is_asked(row.action, action))
        )
        return list(found) if last is None else list(deque(found, maxlen=last))

    def find(self, action_id: str) -> Row | None:
        """The row with this identifier, also from before the file was turned over."""
        for previous in (False, True):
            for row in self.rows(previous=previous):
                if row.action_id == action_id:
                    return row
        return None


def _ended_since(rows: Iterable[Row], since: str | None) -> Iterable[Row]:
    """Rows are in the order in which they ended; a row that says otherwise shows that the clock was set back."""
    if since is None:
        return rows
    moment, before, found = datetime.fromisoformat(since), _NEVER, list[Row]()
    for row in rows:
        end = datetime.fromisoformat(row.ts) + timedelta(milliseconds=row.elapsed_ms)
        if row.elapsed_ms > 0:  # else it was cut short: when it ended is not known
            if end < moment or end + _ADJUSTED < before:
                found.clear()
            before = end
        if end >= moment:
            found.append(row)
    return found


def _line(row: Row) -> bytes:
    return json.dumps(row.values(), separators=(",", ":")).encode()


def _read(line: bytes) -> Row | None:
    try:
        return Row(**json.loads(line))
    except (ValueError, TypeError):
        return None


def _mend(file: Path) -> int:
    """Cut off a torn last row; how many there are."""
    try:
        with file.open("r+b") as stream:
            count, end = 0, 0
            for line in stream:
                if line.endswith(b"\n"):
                    count, end = count + 1, end + len(line)
            stream.truncate(end)
            return count
    except FileNotFoundError:
        return 0


def _append(file: Path, line: bytes) -> None:
    """Write a line at the end, or nothing of it. Raises `OSError`."""
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o600)
    try:
        size = os.fstat(descriptor).st_size
        try:
            written = os.write(descriptor, line)
            if written != len(line):
                raise OSError(errno.ENOSPC, "no space left on the device")
        except OSError:
            with suppress(OSError):  # what is torn is cut off by the next daemon
                os.ftruncate(descriptor, size)
            raise
    finally:
        os.close(descriptor)
