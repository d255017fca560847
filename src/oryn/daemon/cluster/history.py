"""`ClusterHistory`: the history of all daemons with the same records (docs/spec/records.md#history)."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from oryn.daemon.history.log import ActionHistory, HistoryRow, decode_row, encode_row
from oryn.errors import RecordsUnavailable
from oryn.records import history
from oryn.records.history import HistoryEntry
from oryn.system.paths import write_private

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from oryn.records.database import Database

log = logging.getLogger(__name__)

MAX_BATCH = 500
"""Maximum number of rows in one statement."""


class ClusterHistory(ActionHistory):
    """The rows in the database. The files of this daemon are its spool: what the database does not have yet is there,
    and a daemon that was killed sends it when it comes back.

    Reading blocks while the database answers. If it is away, only the rows of this daemon are found."""

    def __init__(self, folder: Path, database: Database, daemon: str) -> None:
        super().__init__(folder)
        self.database = database
        self._daemon = daemon
        self._mark = folder / "actions.sent"
        """The file with the identifier of the last row that was sent."""
        self._unsent: deque[HistoryEntry] = deque()

    def recover(self) -> None:
        """Also find the rows that an earlier start has not sent. Rows from before the daemon had records are left."""
        try:
            last = self._mark.read_text("ascii")
        except (OSError, UnicodeDecodeError):
            last = None
            self._write_mark(next((row.action_id for row in super().newest()), ""))
        if last is not None:
            for row in super().newest():
                if row.action_id == last:
                    break
                self._unsent.appendleft(_entry(row))
        super().recover()

    def append(self, row: HistoryRow) -> None:
        super().append(row)
        self._unsent.append(_entry(row))

    # --- sending ---

    @property
    def unsent(self) -> Sequence[HistoryEntry]:
        """The next rows to be sent, at most `MAX_BATCH`."""
        return [self._unsent[position] for position in range(min(len(self._unsent), MAX_BATCH))]

    def send(self, connection: Connection, entries: Sequence[HistoryEntry]) -> None:
        """Write rows in a transaction."""
        if entries:
            history.append(connection, self._daemon, entries)

    def mark_sent(self, entries: Sequence[HistoryEntry]) -> None:
        """Note that the first rows of `unsent` are in the database."""
        for _ in entries:
            self._unsent.popleft()
        if entries:
            self._write_mark(entries[-1].action_id)

    def _write_mark(self, action_id: str) -> None:
        with suppress(OSError):  # then rows are sent twice, which changes nothing
            write_private(self._mark, action_id)

    # --- reading ---

    def newest(self) -> Iterator[HistoryRow]:
        waiting = [decode_row(each.line.encode()) for each in reversed(list(self._unsent))]
        yield from (row for row in waiting if row is not None)
        seen = {row.action_id for row in waiting if row is not None}
        before: int | None = None
        while True:
            try:
                page = self.database.run_blocking(partial(history.page, before=before))
            except RecordsUnavailable as error:
                log.warning("only the rows of this daemon are read: %s", error)
                yield from (row for row in super().newest() if row.action_id not in seen)
                return
            for number, line in page:
                before, row = number, decode_row(line.encode())
                if row is not None and row.action_id not in seen:
                    yield row
            if len(page) < history.PAGE_ROWS:
                return

    def rows(self, *, previous: bool = False) -> Iterator[HistoryRow]:
        """Every row, the oldest first; all of them are in the first part."""
        return iter(()) if previous else reversed(list(self.newest()))

    def find(self, action_id: str) -> HistoryRow | None:
        with suppress(RecordsUnavailable):
            line = self.database.run_blocking(lambda connection: history.find(connection, action_id))
            if line is not None:
                return decode_row(line.encode())
        return next((row for row in super().newest() if row.action_id == action_id), None)


def _entry(row: HistoryRow) -> HistoryEntry:
    return HistoryEntry(row.action_id, row.session, encode_row(row).decode())
