"""An entry of the page cache: what is stored of a page besides its body, how long it is fresh, and its table in
SQLite.

Freshness is RFC 9111 in the simple form of a cache with one user: `private` is fine, heuristic freshness is not
used, and `Vary` is respected if it is `*`, since requests always have the same headers.
https://www.rfc-editor.org/rfc/rfc9111"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import httpx

from oryn.core.records import Record
from oryn.research.documents import FetchedPage, Source
from oryn.research.fetching.address_policy import non_public_reason

MAX_LIFETIME_SECONDS = 365 * 86_400.0
"""The maximum lifetime; a page with a longer one is revalidated after this."""


def is_storable(headers: Mapping[str, str]) -> bool:
    """Whether a response with these headers (names in lower case) may be cached."""
    return "no-store" not in _directives(headers) and headers.get("vary", "").strip() != "*"


def lifetime(headers: Mapping[str, str], now: datetime) -> float | None:
    """The seconds for which a response that came at `now` is fresh; 0.0 if it must be revalidated each time; None if
    the server does not say."""
    directives = _directives(headers)
    if "no-cache" in directives or ("cache-control" not in headers and "no-cache" in headers.get("pragma", "")):
        return 0.0
    if "max-age" in directives:
        age = _seconds(headers.get("age", "0"))
        return min(MAX_LIFETIME_SECONDS, max(0.0, _seconds(directives["max-age"]) - age))
    if "expires" in headers:
        expires, date = _date(headers["expires"]), _date(headers.get("date", "")) or now
        return min(MAX_LIFETIME_SECONDS, max(0.0, (expires - date).total_seconds())) if expires else 0.0
    return None


def _directives(headers: Mapping[str, str]) -> dict[str, str]:
    parts = (part.strip().partition("=") for part in headers.get("cache-control", "").split(","))
    return {name.strip().lower(): value.strip().strip('"') for name, _, value in parts}


def _seconds(text: str) -> float:
    """Seconds of a header; an invalid number means that the response is stale (RFC 9111 §4.2.1)."""
    return float(text) if text.isascii() and text.isdigit() and len(text) < 15 else 0.0


def _date(text: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, TypeError):
        return None
    return date if date.tzinfo else None


class CacheEntry(Record):
    """The metadata of a cached page. `url` is where the page was found. `fetched_at` is when the server last confirmed
    the page and `expires` until when that holds, both in UTC, ISO 8601. `public`: it came from an address of the public
    internet."""

    url: str
    sha256: str
    status: int
    content_type: str
    charset: str
    fetched_at: str
    expires: str
    etag: str = ""
    modified: str = ""
    public: bool = True
    headers: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, url: str, response: httpx.Response, *, sha256: str, charset: str) -> CacheEntry:
        """The entry of a response."""
        headers = response.headers
        return cls(
            url=url,
            sha256=sha256,
            status=response.status_code,
            content_type=headers.get("content-type", ""),
            charset=charset,
            etag=headers.get("etag", ""),
            modified=headers.get("last-modified", ""),
            public=_is_public(response),
            headers=tuple((name, value) for name, value in headers.multi_items() if name != "set-cookie"),
            **_times(headers),
        )

    @property
    def is_fresh(self) -> bool:
        """Whether the page may be used without asking its server."""
        return datetime.fromisoformat(self.expires) > datetime.now(UTC)

    def revalidated(self, headers: Mapping[str, str]) -> CacheEntry:
        """The entry after a 304, whose headers replace the stored ones (RFC 9111 §3.2)."""
        updates = {name: value for name, value in headers.items() if name not in ("content-length", "content-encoding")}
        merged = dict(self.headers) | {name: value for name, value in updates.items() if name != "set-cookie"}
        return self.replace(
            etag=merged.get("etag", ""),
            modified=merged.get("last-modified", ""),
            headers=tuple(merged.items()),
            **_times(merged),
        )

    def until(self, seconds: float) -> CacheEntry:
        """The entry, fresh for `seconds` from now at most."""
        latest = (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat(timespec="seconds")
        return self.replace(expires=min(self.expires, latest))

    def page(self, body: bytes, requested: str, why: str = "", *, source: Source = "cache") -> FetchedPage:
        """The page of the entry with its body."""
        return FetchedPage(
            url=self.url,
            requested=requested,
            status=self.status,
            content_type=self.content_type,
            body=body,
            sha256=self.sha256,
            fetched_at=self.fetched_at,
            charset=self.charset,
            source=source,
            why=why,
            headers=self.headers,
        )


def _times(headers: Mapping[str, str]) -> dict[str, Any]:
    now = datetime.now(UTC)
    expires = now + timedelta(seconds=lifetime(headers, now) or 0.0)
    return {"fetched_at": now.isoformat(timespec="seconds"), "expires": expires.isoformat(timespec="seconds")}


def _is_public(response: httpx.Response) -> bool:
    """Whether the response came from a public address. Of a connection to the user's proxy the address says nothing;
    host names were checked before."""
    if response.extensions.get("oryn_proxied"):
        return True
    stream = response.extensions.get("network_stream")
    address: Any = stream.get_extra_info("server_addr") if stream is not None else None
    return bool(address) and not non_public_reason(ip_address(str(address[0]).partition("%")[0]))


VERSION = 2
"""The version of the tables. Data of another version is dropped: it can be fetched again."""
BUSY_SECONDS = 30.0

_FIELDS = tuple(CacheEntry.__fields__)
COLUMNS = ", ".join(_FIELDS)

# `total` is one row that triggers keep right: adding up all bodies at each page would be slow in a large cache.
_STATEMENTS = (
    "DROP TABLE IF EXISTS pages",
    "DROP TABLE IF EXISTS bodies",
    "DROP TABLE IF EXISTS total",
    f"CREATE TABLE pages (requested TEXT PRIMARY KEY, {COLUMNS}) WITHOUT ROWID",
    "CREATE INDEX pages_by_body ON pages (sha256)",
    "CREATE TABLE bodies (sha256 TEXT PRIMARY KEY, size INTEGER NOT NULL, stored_at REAL NOT NULL)",
    "CREATE INDEX bodies_by_age ON bodies (stored_at)",
    "CREATE TABLE total (size INTEGER NOT NULL)",
    "INSERT INTO total VALUES (0)",
    "CREATE TRIGGER body_added AFTER INSERT ON bodies BEGIN UPDATE total SET size = size + NEW.size; END",
    "CREATE TRIGGER body_removed AFTER DELETE ON bodies BEGIN UPDATE total SET size = size - OLD.size; END",
    f"PRAGMA user_version = {VERSION}",
)


_RENAMED = (
    "ALTER TABLE pages RENAME COLUMN asked TO requested",
    "ALTER TABLE bodies RENAME COLUMN kept TO stored_at",
    f"PRAGMA user_version = {VERSION}",
)
"""What makes the second version of a first one. A cache made anew would leave its bodies behind, uncounted."""


def open_database(file: Path) -> sqlite3.Connection:
    """Open the database, and create its tables. Several threads may use it in turn. Raises `sqlite3.Error`,
    `OSError`."""
    os.close(os.open(file, os.O_CREAT | os.O_RDWR, 0o600))  # SQLite gives its other files the mode of this one
    database = sqlite3.connect(file, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        if _version(database) != VERSION:
            _create_tables(database)
    except sqlite3.Error:
        database.close()
        raise
    return database


def _version(database: sqlite3.Connection) -> int:
    return int(database.execute("PRAGMA user_version").fetchone()[0])


def _create_tables(database: sqlite3.Connection) -> None:
    database.execute("BEGIN EXCLUSIVE")
    try:
        if _version(database) != VERSION:  # another process may have been quicker
            for statement in _RENAMED if _version(database) == 1 else _STATEMENTS:
                database.execute(statement)
        database.execute("COMMIT")
    except sqlite3.Error:
        database.execute("ROLLBACK")
        raise


def store_entry(database: sqlite3.Connection, requested: str, entry: CacheEntry) -> str | None:
    """Store the entry for the URL `requested`. Returns the digest of the body that the URL had before."""
    before = database.execute("SELECT sha256 FROM pages WHERE requested = ?", (requested,)).fetchone()
    marks = ", ".join("?" * (len(_FIELDS) + 1))
    values = (requested, *(entry.values() | {"headers": json.dumps(entry.headers)}).values())
    database.execute(f"INSERT OR REPLACE INTO pages (requested, {COLUMNS}) VALUES ({marks})", values)
    return before[0] if before else None


def find_entry(database: sqlite3.Connection, requested: str) -> CacheEntry | None:
    """The entry for the URL `requested`, or None."""
    row = database.execute(f"SELECT {COLUMNS} FROM pages WHERE requested = ?", (requested,)).fetchone()
    if row is None:
        return None
    values = dict(zip(_FIELDS, row, strict=True))
    headers = tuple((name, value) for name, value in json.loads(values.pop("headers")))
    return CacheEntry(**values | {"public": bool(values["public"])}, headers=headers)
