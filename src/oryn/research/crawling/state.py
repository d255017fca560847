"""The persistent state of a crawl: one SQLite file with its frontier, what was fetched, and results not yet
delivered; and `CrawlJournal`, a file of results, one JSON object a line.

What belongs together is written in one transaction, so that a process may be killed at any moment. No lock file
can be left over: SQLite's own lock ends with the process.

A result is delivered when the next one is requested. The process can be killed between that and what its consumer
does with it: so results are numbered, a result keeps its number when it is delivered again, and a consumer that
knows the last number it has (`CrawlJournal.last`) passes it when the crawl is resumed."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from oryn.errors import CrawlStateInvalid
from oryn.research.crawling.models import CrawlOptions, CrawlResult, CrawlTotals

_FORMAT = "2"

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
    sha256 BLOB, target INTEGER, priority REAL NOT NULL DEFAULT 0
);
CREATE INDEX waiting ON page (host, priority DESC, depth, id) WHERE state = 0;
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


class CrawlState:
    """The state file, locked for one crawl. If `path` is None, it is a temporary file. Raises `CrawlStateInvalid` if
    the file is no state, belongs to another crawl, or is in use."""

    def __init__(self, path: Path | None, seeds: Sequence[str], options: CrawlOptions) -> None:
        self._folder = None if path else tempfile.mkdtemp(prefix="oryn-crawl-")
        self.path = path or Path(self._folder or "", "state")
        self.resumed = False
        self._database = self._open_file()
        try:
            # For this process alone as long as it crawls. What is committed outlives it; a power failure only `sync`.
            for pragma in ("locking_mode = EXCLUSIVE", "journal_mode = WAL", "synchronous = NORMAL"):
                self.execute(f"PRAGMA {pragma}")
            # What makes two crawls one. Limits may be others when it goes on.
            identity = json.dumps([sorted(set(seeds)), options.scope, sorted(options.include), sorted(options.exclude)])
            self._begin(identity)
        except sqlite3.DatabaseError as error:
            self.close()
            raise CrawlStateInvalid(f"{self.path}: {_explain(error)}") from error
        except BaseException:
            self.close()
            raise

    def execute(self, statement: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        """Run one SQL statement with its parameters. Outside `change`, it is committed at once. Raises
        `sqlite3.Error`."""
        return self._database.execute(statement, values)

    def row(self, statement: str, values: Sequence[Any] = ()) -> Any:
        """The first row of a query as a tuple, or None. Raises `sqlite3.Error`."""
        return self._database.execute(statement, values).fetchone()

    @contextmanager
    def change(self) -> Iterator[None]:
        """A transaction: its changes are stored as a whole or not at all. May be nested; must not contain `await`."""
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
        """Make what is committed outlive a power failure. Must not be called within a change."""
        self.execute("PRAGMA synchronous = FULL")
        self.execute("INSERT OR REPLACE INTO about VALUES ('synced', '')")
        self.execute("PRAGMA synchronous = NORMAL")

    def begun(self) -> None:
        """Mark the seeds as stored: from here on, the crawl can go on after an interruption."""
        self.execute("INSERT INTO about VALUES ('begun', '')")

    def count(self, figure: str, more: int = 1) -> None:
        """Add `more` to the figure of `CrawlTotals` with this name."""
        self.execute(
            "INSERT INTO figure VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = value + excluded.value",
            (figure, more),
        )

    @property
    def totals(self) -> CrawlTotals:
        """The figures of the crawl until now."""
        (waiting,) = self.row("SELECT coalesce(sum(waiting), 0) FROM host WHERE given_up = 0")
        return CrawlTotals(**dict(self.execute("SELECT name, value FROM figure")), waiting=waiting)

    @property
    def roots(self) -> list[str]:
        """The URLs that define the scope of the crawl, sorted."""
        return [url for (url,) in self.execute("SELECT url FROM root ORDER BY url")]

    def close(self) -> None:
        """Release the file; a temporary one is deleted. May be called twice, and never raises."""
        with suppress(sqlite3.Error):
            self._database.close()
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _open_file(self) -> sqlite3.Connection:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
        except OSError as error:
            raise CrawlStateInvalid(f"{self.path}: {error.strerror}") from error
        return sqlite3.connect(self.path, isolation_level=None, timeout=0.5)

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


def _explain(error: sqlite3.DatabaseError) -> str:
    if "locked" in str(error):
        return "another process is crawling with it"
    return f"this is not a state of a crawl ({error})"


def _statements(script: str) -> Iterator[str]:
    """`executescript` would commit on its own."""
    statement = ""
    for line in script.splitlines():
        statement += line + "\n"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


class Outbox:
    """The results that were not delivered yet, in the state of the crawl."""

    def __init__(self, state: CrawlState) -> None:
        self._state = state
        (self._waiting,) = state.row("SELECT count(*) FROM outbox")
        self._safe = 0

    def __len__(self) -> int:
        return int(self._waiting)

    def put(self, crawled: CrawlResult) -> None:
        """Add a result and assign its number. Must be called within a change of the state."""
        form = crawled.form()
        del form["number"]
        self._state.execute("INSERT INTO outbox (form) VALUES (?)", (json.dumps(form),))
        self._waiting += 1

    def first(self) -> CrawlResult | None:
        """The oldest result that was not delivered. It is synced first: a state that lost it in a power failure would
        be behind its caller."""
        row = self._state.row("SELECT number, form FROM outbox ORDER BY number LIMIT 1")
        if row is None:
            return None
        if row[0] > self._safe:
            self._state.sync()
            self._safe = self._last()
        return CrawlResult.read({"number": row[0], **json.loads(row[1])})

    def acknowledge(self, number: int) -> None:
        """All results up to `number` were delivered. Raises `CrawlStateInvalid` if no result had this number yet."""
        if number > self._last():
            raise CrawlStateInvalid(f"{self._state.path} has not told a result {number} yet")
        self._waiting -= self._state.execute("DELETE FROM outbox WHERE number <= ?", (number,)).rowcount

    def _last(self) -> int:
        """The number of the newest result, delivered or not."""
        row = self._state.row("SELECT seq FROM sqlite_sequence WHERE name = 'outbox'")
        return int(row[0]) if row else 0


_BLOCK = 64 * 2**10
_BINARY: int = getattr(os, "O_BINARY", 0)
"""Windows would write other line ends."""


class CrawlJournal:
    """A file of results, one JSON line each: `with CrawlJournal(path) as journal: async for each in crawl(…, state=…,
    after=journal.last): journal.write(each)` has every result exactly once, however often the process is killed.

    An incomplete last line is removed. The file is created with access for its owner alone. Raises `CrawlStateInvalid`
    if it contains something else."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | _BINARY, 0o600), "r+b")
        except OSError as error:
            raise CrawlStateInvalid(f"{path}: {error.strerror}") from error
        try:
            self.last = self._truncate_partial_line()
        except BaseException:
            self._file.close()
            raise

    def write(self, crawled: CrawlResult) -> None:
        """Add a result; it is on the disk when this returns."""
        self._file.write(json.dumps(crawled.form(), ensure_ascii=False).encode("utf-8", "replace") + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())
        self.last = crawled.number

    def close(self) -> None:
        """Close the file. May be called twice."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _truncate_partial_line(self) -> int:
        """Cut what is no whole line, and return the number of the last one; 0 when there is none."""
        end = self._line_end(self._file.seek(0, os.SEEK_END))
        self._file.truncate(end)
        begin = self._line_end(end - 1) if end else 0
        self._file.seek(begin)
        line = self._file.read(end - begin)
        if not line:
            return 0
        try:
            number = json.loads(line)["number"]
        except (ValueError, TypeError, KeyError):
            number = None
        if not isinstance(number, int):
            raise CrawlStateInvalid(f"{self.path} contains something other than crawl results")
        return number

    def _line_end(self, before: int) -> int:
        """Where the last line ends that ends before there."""
        while before > 0:
            begin = max(0, before - _BLOCK)
            self._file.seek(begin)
            found = self._file.read(before - begin).rfind(b"\n")
            if found >= 0:
                return begin + found + 1
            before = begin
        return 0
