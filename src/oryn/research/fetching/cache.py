"""`PageCache`: fetched pages in one folder that processes and threads share.

Bodies are files named by their SHA-256, so that the same body of two URLs is stored once; the entries are in
SQLite. The cache is a convenience: errors are logged, and the page is fetched."""

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
from oryn.research.fetching import cache_entry
from oryn.research.fetching.cache_entry import CacheEntry
from oryn.system.paths import private_folder

log = logging.getLogger(__name__)

MAX_BYTES = 2 * 2**30
"""The maximum size of all bodies."""
FREED_SHARE = 0.1
"""The share of the limit that is freed when it is exceeded."""


class PageCache:
    """At most `limit` bytes of bodies; beyond that, those that were stored or confirmed by their server longest ago are
    removed.

    The folder is created on first use; `close` closes the database until the next use. No method raises: errors are
    logged, and the page counts as not cached."""

    def __init__(self, folder: Path, limit: int = MAX_BYTES) -> None:
        self.folder = folder
        self._limit = limit
        self._lock = threading.RLock()
        self._database: sqlite3.Connection | None = None

    def find(self, url: str) -> CacheEntry | None:
        """The entry of a URL, or of the URL that it redirected to the last time; None if there is none."""
        with self._log_errors(), self._opened() as database:
            return cache_entry.find_entry(database, url)
        return None

    def body(self, entry: CacheEntry) -> bytes | None:
        """The body of an entry; None if it is missing or damaged, and then its entries are removed too."""
        with self._log_errors():
            file = self._body_path(entry.sha256)
            with suppress(FileNotFoundError):
                body = file.read_bytes()
                if hashlib.sha256(body).hexdigest() == entry.sha256:
                    return body
                log.warning("%s is damaged and was removed", file)
            with self._transaction() as database:
                self._remove(database, entry.sha256)
        return None

    def put(self, entry: CacheEntry, body: bytes, requested: str, lasts: float | None = None) -> None:
        """Store a page. `requested` is the URL that led to it. `lasts`: the seconds for which it redirects there; None
        is as long as the page is fresh."""
        if len(body) > self._limit:
            return
        with self._log_errors():
            self._write(entry.sha256, body)
            with self._transaction() as database:
                self._write(entry.sha256, body)  # another process may have removed it meanwhile
                database.execute(
                    "INSERT INTO bodies VALUES (?, ?, ?)"
                    " ON CONFLICT (sha256) DO UPDATE SET stored_at = excluded.stored_at",
                    (entry.sha256, len(body), time.time()),
                )
                before = {cache_entry.store_entry(database, entry.url, entry)}
                if requested != entry.url:
                    before.add(
                        cache_entry.store_entry(database, requested, entry if lasts is None else entry.until(lasts))
                    )
                self._remove_unused(database, before)
                self._make_room(database)

    def forget(self, url: str) -> None:
        """Remove the entries of a URL."""
        with self._log_errors(), self._transaction() as database:
            of_it = "FROM pages WHERE requested = ? OR url = ?"
            before = {sha256 for (sha256,) in database.execute(f"SELECT sha256 {of_it}", (url, url))}
            database.execute(f"DELETE {of_it}", (url, url))
            self._remove_unused(database, before)

    def size(self) -> int:
        """The size of all bodies, in bytes."""
        with self._log_errors(), self._opened() as database:
            return int(database.execute("SELECT size FROM total").fetchone()[0])
        return 0

    def close(self) -> None:
        """Close the database until the next use."""
        with self._lock:
            if self._database is not None:
                self._database.close()
                self._database = None

    def _body_path(self, sha256: str) -> Path:
        return self.folder / "bodies" / sha256[:2] / sha256

    def _write(self, sha256: str, body: bytes) -> None:
        """Write the body as a whole or not at all, unless it is there already."""
        file = self._body_path(sha256)
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

    def _remove_unused(self, database: sqlite3.Connection, bodies: set[str | None]) -> None:
        """Remove the bodies that no page refers to any more."""
        for sha256 in bodies - {None}:
            if database.execute("SELECT 1 FROM pages WHERE sha256 = ?", (sha256,)).fetchone() is None:
                self._remove(database, str(sha256))

    def _make_room(self, database: sqlite3.Connection) -> None:
        (total,) = database.execute("SELECT size FROM total").fetchone()
        if total <= self._limit:
            return
        for sha256, size in database.execute("SELECT sha256, size FROM bodies ORDER BY stored_at, rowid").fetchall():
            if total <= self._limit * (1 - FREED_SHARE):
                break
            self._remove(database, sha256)
            total -= size

    def _remove(self, database: sqlite3.Connection, sha256: str) -> None:
        self._body_path(sha256).unlink(missing_ok=True)
        database.execute("DELETE FROM bodies WHERE sha256 = ?", (sha256,))
        database.execute("DELETE FROM pages WHERE sha256 = ?", (sha256,))

    @contextmanager
    def _log_errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError, ConfigurationError) as error:
            log.warning("the page cache in %s: %s", self.folder, error)

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """The database, for one thread at a time."""
        with self._lock:
            if self._database is None:
                self._database = self._connect()
            yield self._database

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """A transaction, during which no other process writes."""
        with self._opened() as database:
            database.execute("BEGIN IMMEDIATE")
            try:
                yield database
            except BaseException:
                database.execute("ROLLBACK")
                raise
            database.execute("COMMIT")

    def _connect(self) -> sqlite3.Connection:
        file = private_folder(self.folder) / "pages.sqlite"
        try:
            return cache_entry.open_database(file)
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError as error:
            log.warning("%s is damaged (%s) and is created again", file, error)
            for each in ("", "-wal", "-shm"):
                file.with_name(file.name + each).unlink(missing_ok=True)
            return cache_entry.open_database(file)
