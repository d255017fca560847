"""The registry of sessions in SQLite (docs/spec/daemon-files.md#registry-of-sessions): present and past sessions, for
people and programs.

It is a record only: the `.pid` files (`registry.py`) have the addresses of sessions, and a session works whatever
happens to this file. If the process of a running session has died, its row is marked as ended when it is read."""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from oryn.core.records import Record
from oryn.errors import ConfigurationError
from oryn.system.paths import private_folder

log = logging.getLogger(__name__)

FILE = "sessions.sqlite"
MAX_ENDED = 200
"""Maximum number of ended sessions in the registry; the latest are kept."""

BUSY_SECONDS = 5.0
"""Maximum seconds for which the database waits for other processes that write."""
_RETRY_SECONDS = 0.02
DEBOUNCE_SECONDS = 0.2

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


class RegistryRow(Record):
    """A session. `id` is its name, `pid` its process, `started_at` is in UTC."""

    id: str
    profile: str | None
    pid: int
    ws_endpoint: str | None
    headful: bool
    started_at: str
    status: Literal["running", "ended"] = "running"


class RegistryDatabase:
    """The database file. Each method may block for `BUSY_SECONDS`; errors of the database are logged and not raised."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def put(self, rows: Iterable[RegistryRow], ended: Collection[tuple[str, int]] = ()) -> None:
        """Write `rows`, and mark those of `ended` (name, process) as ended. Each name has one row, the latest."""
        with self._errors_logged(), self._database() as database:
            database.executemany(
                "INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?)",
                [tuple(row.values().values()) for row in rows],
            )
            _mark_ended(database, ended)
            database.execute(_PRUNE, (MAX_ENDED,))

    def rows(self, alive: Collection[tuple[str, int]]) -> list[RegistryRow]:
        """All sessions in the registry, the latest first. Running sessions that are not in `alive` (name, process) are
        marked as ended."""
        found: list[RegistryRow] = []
        if self._file.exists():
            with self._errors_logged(), self._database() as database:
                values = database.execute("SELECT * FROM sessions ORDER BY rowid DESC")
                rows = [
                    RegistryRow(name, profile, pid, endpoint, bool(headful), started, status)
                    for name, profile, pid, endpoint, headful, started, status in values
                ]
                dead = {(row.id, row.pid) for row in rows if row.status == "running"} - set(alive)
                _mark_ended(database, dead)
                found = [row.replace(status="ended") if (row.id, row.pid) in dead else row for row in rows]
        return found

    @contextmanager
    def _errors_logged(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError, ConfigurationError) as error:
            log.warning("the record of sessions in %s: %s", self._file, error)

    @contextmanager
    def _database(self) -> Iterator[sqlite3.Connection]:
        """Open the database for one transaction."""
        database = self._open()
        try:
            with database:
                yield database
        finally:
            database.close()

    def _open(self) -> sqlite3.Connection:
        private_folder(self._file.parent)
        try:
            return _connect(self._file)
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError as error:
            aside = self._file.with_suffix(".damaged")
            log.warning("%s is damaged (%s) and was set aside as %s", self._file, error, aside.name)
            self._file.replace(aside)
            return _connect(self._file)


def _connect(file: Path) -> sqlite3.Connection:
    os.close(os.open(file, os.O_CREAT | os.O_RDWR, 0o600))  # SQLite's other files get the mode of this one
    end = time.monotonic() + BUSY_SECONDS
    while True:
        database = sqlite3.connect(file, timeout=BUSY_SECONDS)
        try:
            if database.execute("PRAGMA journal_mode").fetchone() != ("wal",):
                database.execute("PRAGMA journal_mode = WAL")
            database.execute(_TABLE)
            return database
        except sqlite3.Error as error:
            database.close()
            # The change of the mode fails at once if another process changes it too, whatever the timeout.
            if getattr(error, "sqlite_errorcode", None) != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
        time.sleep(_RETRY_SECONDS)


def _mark_ended(database: sqlite3.Connection, ended: Collection[tuple[str, int]]) -> None:
    database.executemany("UPDATE sessions SET status = 'ended', ws_endpoint = NULL WHERE id = ? AND pid = ?", ended)


class RegistryWriter:
    """Keeps the rows of one host's sessions up to date. It writes in a thread, a moment after each change."""

    def __init__(self, store: RegistryDatabase, rows: Callable[[], Iterable[RegistryRow]]) -> None:
        self._store = store
        self._rows = rows
        """Returns the rows of the host's sessions as they are now."""
        self._written: dict[str, RegistryRow] = {}
        self._writing: asyncio.Task[None] | None = None

    def schedule(self) -> None:
        """Schedule a write, as something may have changed."""
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write_later())

    async def _write_later(self) -> None:
        await asyncio.sleep(DEBOUNCE_SECONDS)  # combines several changes into one write
        await self._write()

    async def _write(self) -> None:
        present = {row.id: row for row in self._rows()}
        changed = [row for name, row in present.items() if self._written.get(name) != row]
        ended = [(row.id, row.pid) for name, row in self._written.items() if name not in present]
        if changed or ended:
            self._written = present
            await asyncio.to_thread(self._store.put, changed, ended)

    async def close(self) -> None:
        """Write the current state of the sessions."""
        if self._writing is not None:
            self._writing.cancel()
            await asyncio.wait([self._writing])
        await self._write()
