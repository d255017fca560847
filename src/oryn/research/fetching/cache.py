"""`PageCache`: pages that were fetched, in one folder that processes and threads share.

Bodies are files named by their SHA-256, the same body of two URLs once; what is known of URLs is in SQLite. The cache
is a convenience: what it can't do it tells the log, and the page is fetched.
"""

from __future__ import annotations

import hashlib
import logging
import os
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from oryn.errors import ConfigurationError
from oryn.paths import private_folder
from oryn.research.fetching import schema
from oryn.research.fetching.entries import Entry

log = logging.getLogger(__name__)

LIMIT = 2 * 2**30
"""Bytes of bodies."""
ROOM = 0.1
"""Of the limit so much is free after the oldest were removed."""


class PageCache:
    """At most `limit` bytes of bodies; beyond that those go that were kept, or confirmed by their server, longest ago.

    Made when first used; `close` lets go of it until it is used again. No method raises: what fails is told to the log,
    and nothing was found."""

    def __init__(self, folder: Path, limit: int = LIMIT) -> None:
        self.folder = folder
        self._limit = limit
        self._lock = threading.RLock()
        self._database: sqlite3.Connection | None = None

    def find(self, url: str) -> Entry | None:
        """What is known of a URL, or of where it led the last time."""
        with self._heeded(), self._opened() as database:
            return schema.found(database, url)
        return None

    def body(self, entry: Entry) -> bytes | None:
        """Its body; None where that is gone, or damaged, and then nothing is known of it any more."""
        with self._heeded():
            file = self._place(entry.sha256)
            with suppress(FileNotFoundError):
                body = file.read_bytes()
                if hashlib.sha256(body).hexdigest() == entry.sha256:
                    return body
                log.warning("%s is damaged and was removed", file)
            with self._changing() as database:
                self._remove(database, entry.sha256)
        return None

    def put(self, entry: Entry, body: bytes, asked: str, lasts: float | None = None) -> None:
        """Keep a page. `asked` is the URL that led to it; `lasts` for how many seconds it will, where that is another
        (None: as long as the page is good)."""
        if len(body) > self._limit:
            return
        with self._heeded():
            self._write(entry.sha256, body)
            with self._changing() as database:
                self._write(entry.sha256, body)  # another process may have removed it meanwhile
                database.execute(
                    "INSERT INTO bodies VALUES (?, ?, ?) ON CONFLICT (sha256) DO UPDATE SET kept = excluded.kept",
                    (entry.sha256, len(body), time.time()),
                )
                before = {schema.keep(database, entry.url, entry)}
                if asked != entry.url:
                    before.add(schema.keep(database, asked, entry if lasts is None else entry.until(lasts)))
                self._unless_used(database, before)
                self._make_room(database)

    def forget(self, url: str) -> None:
        """Nothing is known of a URL any more."""
        with self._heeded(), self._changing() as database:
            of_it = "FROM pages WHERE asked = ? OR url = ?"
            before = {sha256 for (sha256,) in database.execute(f"SELECT sha256 {of_it}", (url, url))}
            database.execute(f"DELETE {of_it}", (url, url))
            self._unless_used(database, before)

    def size(self) -> int:
        """Bytes of all bodies."""
        with self._heeded(), self._opened() as database:
            return int(database.execute("SELECT size FROM total").fetchone()[0])
        return 0

    def close(self) -> None:
        with self._lock:
            if self._database is not None:
                self._database.close()
                self._database = None

    def _place(self, sha256: str) -> Path:
        return self.folder / "bodies" / sha256[:2] / sha256

    def _write(self, sha256: str, body: bytes) -> None:
        """Whole or not at all; not again where it is."""
        file = self._place(sha256)
        with suppress(FileNotFoundError):
            if file.stat().st_size == len(body):
                return
        private_folder(file.parent)
        draft = file.with_name(f".{sha256}.{secrets.token_hex(4)}")
        try:
            with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
                stream.write(body)
            draft.replace(file)
        except OSError:  # the disk is full: nothing stays of it
            draft.unlink(missing_ok=True)
            raise

    def _unless_used(self, database: sqlite3.Connection, bodies: set[str | None]) -> None:
        """Remove those that no page has any more."""
        for sha256 in bodies - {None}:
            if database.execute("SELECT 1 FROM pages WHERE sha256 = ?", (sha256,)).fetchone() is None:
                self._remove(database, str(sha256))

    def _make_room(self, database: sqlite3.Connection) -> None:
        (total,) = database.execute("SELECT size FROM total").fetchone()
        if total <= self._limit:
            return
        for sha256, size in database.execute("SELECT sha256, size FROM bodies ORDER BY kept, rowid").fetchall():
            if total <= self._limit * (1 - ROOM):
                break
            self._remove(database, sha256)
            total -= size

    def _remove(self, database: sqlite3.Connection, sha256: str) -> None:
        self._place(sha256).unlink(missing_ok=True)
        database.execute("DELETE FROM bodies WHERE sha256 = ?", (sha256,))
        database.execute("DELETE FROM pages WHERE sha256 = ?", (sha256,))

    @contextmanager
    def _heeded(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError, ConfigurationError) as error:
            log.warning("the page cache in %s: %s", self.folder, error)

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """The database, for one thread at a time."""
        with self._lock:
            if self._database is None:
                self._database = self._connected()
            yield self._database

    @contextmanager
    def _changing(self) -> Iterator[sqlite3.Connection]:
        """The database, for one change: all of it or nothing, and no other process in between."""
        with self._opened() as database:
            database.execute("BEGIN IMMEDIATE")
            try:
                yield database
            except BaseException:
                database.execute("ROLLBACK")
                raise
            database.execute("COMMIT")

    def _connected(self) -> sqlite3.Connection:
        file = private_folder(self.folder) / "pages.sqlite"
        try:
            return schema.connected(file)
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError as error:
            log.warning("%s is damaged (%s) and is made anew", file, error)
            for each in ("", "-wal", "-shm"):
                file.with_name(file.name + each).unlink(missing_ok=True)
            return schema.connected(file)
