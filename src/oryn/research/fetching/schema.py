"""The tables of the page cache."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path

from oryn.research.fetching.entries import Entry

VERSION = 1
"""Of the tables. What another version wrote is dropped: it can be fetched again."""
BUSY_SECONDS = 30.0

_FIELDS = tuple(Entry.__fields__)
COLUMNS = ", ".join(_FIELDS)

# `total` is one row that triggers keep right: adding up all bodies at each page would be slow in a large cache.
_STATEMENTS = (
    "DROP TABLE IF EXISTS pages",
    "DROP TABLE IF EXISTS bodies",
    "DROP TABLE IF EXISTS total",
    f"CREATE TABLE pages (asked TEXT PRIMARY KEY, {COLUMNS}) WITHOUT ROWID",
    "CREATE INDEX pages_by_body ON pages (sha256)",
    "CREATE TABLE bodies (sha256 TEXT PRIMARY KEY, size INTEGER NOT NULL, kept REAL NOT NULL)",
    "CREATE INDEX bodies_by_age ON bodies (kept)",
    "CREATE TABLE total (size INTEGER NOT NULL)",
    "INSERT INTO total VALUES (0)",
    "CREATE TRIGGER body_added AFTER INSERT ON bodies BEGIN UPDATE total SET size = size + NEW.size; END",
    "CREATE TRIGGER body_removed AFTER DELETE ON bodies BEGIN UPDATE total SET size = size - OLD.size; END",
    f"PRAGMA user_version = {VERSION}",
)


def connected(file: Path) -> sqlite3.Connection:
    """The database, its tables made. For several threads that take turns. Raises `sqlite3.Error`, `OSError`."""
    os.close(os.open(file, os.O_CREAT | os.O_RDWR, 0o600))  # SQLite gives its other files the mode of this one
    database = sqlite3.connect(file, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        if _version(database) != VERSION:
            _make(database)
    except sqlite3.Error:
        database.close()
        raise
    return database


def _version(database: sqlite3.Connection) -> int:
    return int(database.execute("PRAGMA user_version").fetchone()[0])


def _make(database: sqlite3.Connection) -> None:
    database.execute("BEGIN EXCLUSIVE")
    try:
        if _version(database) != VERSION:  # another process may have been quicker
            for statement in _STATEMENTS:
                database.execute(statement)
        database.execute("COMMIT")
    except sqlite3.Error:
        database.execute("ROLLBACK")
        raise


def keep(database: sqlite3.Connection, asked: str, entry: Entry) -> str | None:
    """`asked` is this page from now on. Returns the body that it had before."""
    before = database.execute("SELECT sha256 FROM pages WHERE asked = ?", (asked,)).fetchone()
    marks = ", ".join("?" * (len(_FIELDS) + 1))
    values = entry.values() | {"headers": json.dumps(entry.headers)}
    database.execute(f"INSERT OR REPLACE INTO pages (asked, {COLUMNS}) VALUES ({marks})", (asked, *values.values()))
    return before[0] if before else None


def found(database: sqlite3.Connection, asked: str) -> Entry | None:
    row = database.execute(f"SELECT {COLUMNS} FROM pages WHERE asked = ?", (asked,)).fetchone()
    if row is None:
        return None
    values = dict(zip(_FIELDS, row, strict=True))
    headers = tuple((name, value) for name, value in json.loads(values.pop("headers")))
    return Entry(**values | {"public": bool(values["public"])}, headers=headers)
