"""The registry of sessions in SQLite (seed 004, "Session registry"): which there are and were, for people and programs.

It is a record: the `.pid` files (`registry.py`) say where a session is to be reached, and a session works whatever
becomes of this file. A row of a running session whose process has died is marked when it is read.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from oryn.errors import ConfigurationError
from oryn.paths import private_folder
from oryn.records import Record

log = logging.getLogger(__name__)

FILE = "sessions.sqlite"
MOST_ENDED = 200
"""Ended sessions that are kept on record, the latest."""

BUSY_SECONDS = 2.0
GATHERING_SECONDS = 0.2

_TABLE = """CREATE TABLE IF NOT EXISTS sessions (
  id TEXT PRIMARY KEY,
  profile TEXT,
  pid INTEGER,
  ws_endpoint TEXT,
  headful INTEGER NOT NULL DEFAULT 0,
  started_at TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'running'
)"""
_PRUNE = """DELETE FROM sessions WHERE status = 'ended' AND rowid NOT IN (
  SELECT rowid FROM sessions WHERE status = 'ended' ORDER BY rowid DESC LIMIT ?
)"""


class Row(Record):
    """A session. `id` is its name, `pid` the process that it lives in, `started_at` in UTC."""

    id: str
    profile: str | None
    pid: int
    ws_endpoint: str | None
    headful: bool
    started_at: str
    status: Literal["running", "ended"] = "running"


class SessionStore:
    """Every method may block for `BUSY_SECONDS`, and raises nothing: what can't be kept is told in the log."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def put(self, rows: Iterable[Row], ended: Collection[tuple[str, int]] = ()) -> None:
        """Keep these, and mark those of `ended` (name, process); a name has one row, the latest."""
        with self._heeded(), self._database() as database:
            database.executemany(
                "INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?)",
                [tuple(row.values().values()) for row in rows],
            )
            _end(database, ended)
            database.execute(_PRUNE, (MOST_ENDED,))

    def rows(self, alive: Collection[tuple[str, int]]) -> list[Row]:
        """Every session on record, the latest first. Those that run and are not `alive` (name, process) have died."""
        found: list[Row] = []
        if self._file.exists():
            with self._heeded(), self._database() as database:
                told = [_row(values) for values in database.execute("SELECT * FROM sessions ORDER BY rowid DESC")]
                dead = {(row.id, row.pid) for row in told if row.status == "running"} - set(alive)
                _end(database, dead)
                found = [row.replace(status="ended") if (row.id, row.pid) in dead else row for row in told]
        return found

    @contextmanager
    def _heeded(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError, ConfigurationError) as error:
            log.warning("the record of sessions in %s: %s", self._file, error)

    @contextmanager
    def _database(self) -> Iterator[sqlite3.Connection]:
        """The database, for one transaction."""
        database = self._opened()
        try:
            with database:
                yield database
        finally:
            database.close()

    def _opened(self) -> sqlite3.Connection:
        private_folder(self._file.parent)
        try:
            return _connected(self._file)
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError as error:
            aside = self._file.with_suffix(".damaged")
            log.warning("%s is damaged (%s) and was set aside as %s", self._file, error, aside.name)
            self._file.replace(aside)
            return _connected(self._file)


def _connected(file: Path) -> sqlite3.Connection:
    os.close(os.open(file, os.O_CREAT | os.O_RDWR, 0o600))  # SQLite gives its other files the mode of this one
    database = sqlite3.connect(file, timeout=BUSY_SECONDS)
    try:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute(_TABLE)
    except sqlite3.Error:
        database.close()
        raise
    return database


def _end(database: sqlite3.Connection, ended: Collection[tuple[str, int]]) -> None:
    database.executemany("UPDATE sessions SET status = 'ended', ws_endpoint = NULL WHERE id = ? AND pid = ?", ended)


def _row(values: tuple[str, str | None, int, str | None, int, str, Literal["running", "ended"]]) -> Row:
    name, profile, pid, endpoint, headful, started, status = values
    return Row(name, profile, pid, endpoint, bool(headful), started, status)


class Recording:
    """Keeps the record of one host's sessions up to date, in a thread and a little later than what it records."""

    def __init__(self, store: SessionStore, rows: Callable[[], Iterable[Row]]) -> None:
        self._store = store
        self._rows = rows
        """Gives the host's sessions as they are now."""
        self._kept: dict[str, Row] = {}
        self._writing: asyncio.Task[None] | None = None

    def look(self) -> None:
        """Something may have changed."""
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._soon())

    async def _soon(self) -> None:
        await asyncio.sleep(GATHERING_SECONDS)  # several changes are one writing
        await self._write()

    async def _write(self) -> None:
        present = {row.id: row for row in self._rows()}
        changed = [row for name, row in present.items() if self._kept.get(name) != row]
        ended = [(row.id, row.pid) for name, row in self._kept.items() if name not in present]
        if changed or ended:
            self._kept = present
            await asyncio.to_thread(self._store.put, changed, ended)

    async def close(self) -> None:
        """Write down how the sessions are now."""
        if self._writing is not None:
            self._writing.cancel()
            await asyncio.wait([self._writing])
        await self._write()
