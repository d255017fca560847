"""A crawl's state: one SQLite file with what is to be asked for, what was, and what was not told yet.

All that belongs together is written in one transaction, so that a process may be killed at any moment. Nothing is
locked by a file that could be left over: SQLite's own lock ends with the process.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from oryn.research.crawling.options import CrawlOptions
from oryn.research.crawling.results import Totals
from oryn.research.failures import CrawlStateInvalid

_FORMAT = "1"

_SCHEMA = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE figure (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE root (url TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE host (
    name TEXT PRIMARY KEY, waiting INTEGER NOT NULL DEFAULT 0, told INTEGER NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0, given_up INTEGER NOT NULL DEFAULT 0, pause REAL NOT NULL DEFAULT 0,
    not_before REAL NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE TABLE origin (name TEXT PRIMARY KEY, robots BLOB, read_at REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE shape (host TEXT, name TEXT, count INTEGER NOT NULL, PRIMARY KEY (host, name)) WITHOUT ROWID;
CREATE TABLE page (
    id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, url TEXT NOT NULL, host TEXT NOT NULL, kind INTEGER NOT NULL,
    depth INTEGER NOT NULL, referrer INTEGER, requested TEXT NOT NULL DEFAULT '', hops INTEGER NOT NULL DEFAULT 0,
    tries INTEGER NOT NULL DEFAULT 0, not_before REAL NOT NULL DEFAULT 0, state INTEGER NOT NULL DEFAULT 0,
    sha256 BLOB, target INTEGER
);
CREATE INDEX waiting ON page (host, depth, id) WHERE state = 0;
CREATE INDEX bodies ON page (sha256) WHERE sha256 IS NOT NULL;
CREATE INDEX hosts_waiting ON host (told, name) WHERE waiting > 0 AND given_up = 0;
CREATE TABLE outbox (number INTEGER PRIMARY KEY AUTOINCREMENT, form TEXT NOT NULL);
CREATE TRIGGER added AFTER INSERT ON page WHEN NEW.state = 0 BEGIN
    INSERT INTO host (name, waiting) VALUES (NEW.host, 1) ON CONFLICT (name) DO UPDATE SET waiting = waiting + 1;
END;
CREATE TRIGGER ended AFTER UPDATE OF state ON page WHEN OLD.state = 0 AND NEW.state <> 0 BEGIN
    UPDATE host SET waiting = waiting - 1 WHERE name = NEW.host;
END;
"""


class State:
    """The file, open for one crawl alone. `path` None is a file of its own that goes when the crawl ends. Raises
    `CrawlStateInvalid` when it is no crawl's, another crawl's, or one that is running."""

    def __init__(self, path: Path | None, seeds: Sequence[str], options: CrawlOptions) -> None:
        self._folder = None if path else tempfile.mkdtemp(prefix="oryn-crawl-")
        self.path = path or Path(self._folder or "", "state")
        self.resumed = False
        self._database = self._file()
        try:
            self._hold()
            self._begin(_identity(seeds, options))
        except sqlite3.DatabaseError as error:
            self.close()
            raise CrawlStateInvalid(f"{self.path}: {_words(error)}") from error
        except BaseException:
            self.close()
            raise

    def execute(self, statement: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        return self._database.execute(statement, values)

    def row(self, statement: str, values: Sequence[Any] = ()) -> Any:
        """The first row, or None."""
        return self._database.execute(statement, values).fetchone()

    @contextmanager
    def change(self) -> Iterator[None]:
        """What is written within stands as a whole or not at all. Not to be awaited in; may be nested."""
        if self._database.in_transaction:
            yield
            return
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._database.execute("ROLLBACK")
            raise
        self._database.execute("COMMIT")

    def sync(self) -> None:
        """What is committed outlives a power failure from now on: the log is written through to here. Not within a
        change."""
        self.execute("PRAGMA synchronous = FULL")
        self.execute("INSERT OR REPLACE INTO about VALUES ('synced', '')")
        self.execute("PRAGMA synchronous = NORMAL")

    def begun(self) -> None:
        """The seeds are in: from here on, the crawl can go on."""
        self.execute("INSERT INTO about VALUES ('begun', '')")

    def count(self, figure: str, more: int = 1) -> None:
        """Add to one of `Totals`."""
        self.execute(
            "INSERT INTO figure VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = value + excluded.value",
            (figure, more),
        )

    @property
    def totals(self) -> Totals:
        (waiting,) = self.row("SELECT coalesce(sum(waiting), 0) FROM host WHERE given_up = 0")
        return Totals(**dict(self.execute("SELECT name, value FROM figure")), waiting=waiting)

    @property
    def roots(self) -> list[str]:
        return [url for (url,) in self.execute("SELECT url FROM root ORDER BY url")]

    def close(self) -> None:
        with suppress(sqlite3.Error):
            self._database.close()
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _file(self) -> sqlite3.Connection:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
        except OSError as error:
            raise CrawlStateInvalid(f"{self.path}: {error.strerror}") from error
        return sqlite3.connect(self.path, isolation_level=None, timeout=0.5)

    def _hold(self) -> None:
        """For this process alone as long as it crawls. What is committed outlives it; a power failure only `sync`."""
        for pragma in ("locking_mode = EXCLUSIVE", "journal_mode = WAL", "synchronous = NORMAL"):
            self.execute(f"PRAGMA {pragma}")

    def _begin(self, identity: str) -> None:
        if not self.row("SELECT 1 FROM sqlite_schema"):
            with self.change():
                for statement in _statements(_SCHEMA):
                    self.execute(statement)
                self.execute("INSERT INTO about VALUES ('format', ?), ('crawl', ?)", (_FORMAT, identity))
            return
        about = dict(self.execute("SELECT name, value FROM about"))
        if about.get("format") != _FORMAT:
            raise CrawlStateInvalid(f"{self.path} is of another version of Oryn")
        if about.get("crawl") != identity:
            raise CrawlStateInvalid(f"{self.path} is of a crawl with other seeds or another scope")
        self.resumed = "begun" in about


def _identity(seeds: Sequence[str], options: CrawlOptions) -> str:
    """What makes two crawls one. Limits may be others when it goes on."""
    return json.dumps([sorted(set(seeds)), options.scope, sorted(options.include), sorted(options.exclude)])


def _words(error: sqlite3.DatabaseError) -> str:
    if "locked" in str(error):
        return "another process is crawling with it"
    return f"this is no state of a crawl ({error})"


def _statements(script: str) -> Iterator[str]:
    """`executescript` would commit on its own."""
    statement = ""
    for line in script.splitlines():
        statement += line + "\n"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
