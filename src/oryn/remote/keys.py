"""The keys by which a server and the extensions that it has been paired with know each other again.

They are in one file of the user's, 0600, which every server of theirs reads at each registration, also the TypeScript
client's (docs/remote-protocol.md):

    {"version": 1, "keys": {"3f9a1c20": {"secret": "<64 hex>", "browser": "Chrome/156.0.8078.79",
     "since": "2026-11-22T08:00:00Z", "last_used": "2026-11-22T09:00:00Z", "port": 8080}}}

A key is good at the port of the server that was paired: a program that listens where the extension calls, when that
server does not run, could else have another server of the user's prove for it.
"""

from __future__ import annotations

import json
import logging
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from oryn.errors import ConfigurationError
from oryn.locks import taken
from oryn.paths import private_folder, write_private
from oryn.records import Record

log = logging.getLogger(__name__)

VERSION = 1
MOST_KEYS = 100
"""Those used longest ago give way."""

_ID = re.compile(r"[0-9a-f]{8}")
_SECRET = re.compile(r"[0-9a-f]{64}")
_LONGEST_NAME = 200


class KeptKey(Record):
    """A key and what is known of the browser that has it too. Times are UTC, `2026-11-22T08:00:00Z`."""

    id: str
    secret: str
    browser: str
    since: str
    last_used: str
    port: int | None = None
    """Where the server listened; None where that is not known."""

    def __repr__(self) -> str:
        return f"KeptKey({self.id!r}, browser={self.browser!r})"  # never the secret: it might be logged


class Keys:
    """The file's keys. Nothing is held: another process may have written it in the meantime."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def all(self) -> list[KeptKey]:
        """The oldest first. A damaged file has none; what is right in it is still used."""
        return sorted(self._read().values(), key=lambda key: (key.since, key.id))

    def find(self, id: str, port: int | None = None) -> KeptKey | None:
        """The key, where it is good for a server at `port`."""
        kept = self._read().get(id)
        elsewhere = kept is not None and None not in (kept.port, port) and kept.port != port
        return None if elsewhere else kept

    def keep(self, id: str, secret: str, browser: str, port: int | None = None) -> None:
        """A browser was paired. Raises `ConfigurationError` where the file can't be written."""
        now = _now()
        with self._alone():
            self._write(self._read() | {id: KeptKey(id, secret, browser[:_LONGEST_NAME], now, now, port)})

    def used(self, id: str, browser: str) -> None:
        """A browser has come with its key. Raises `ConfigurationError`."""
        with self._alone():
            keys = self._read()
            if id in keys:
                self._write(keys | {id: keys[id].replace(browser=browser[:_LONGEST_NAME], last_used=_now())})

    def revoke(self, id: str | None = None) -> list[KeptKey]:
        """Forget a key, or all of them; those that were there. Raises `ConfigurationError`."""
        with self._alone():
            keys = self._read()
            gone = [key for key in keys.values() if id in (None, key.id)]
            if gone:
                self._write({name: key for name, key in keys.items() if key not in gone})
        return gone

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """No other process of ours, nor one of the TypeScript client's, changes the file meanwhile."""
        private_folder(self._file.parent)
        try:
            with taken(self._file.with_name(f"{self._file.name}.taken")):
                yield
        except OSError as error:
            raise ConfigurationError(f"can't write {self._file}: {error.strerror}", "Make room for it.") from error

    def _read(self) -> dict[str, KeptKey]:
        try:
            data = json.loads(self._file.read_text("utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError) as error:
            log.warning("the keys in %s can't be read: %s", self._file, type(error).__name__)
            return {}
        rows = data.get("keys") if isinstance(data, dict) and data.get("version") == VERSION else None
        found = (_key(id, row) for id, row in rows.items()) if isinstance(rows, dict) else ()
        return {key.id: key for key in found if key is not None}

    def _write(self, keys: Mapping[str, KeptKey]) -> None:
        latest = sorted(keys.values(), key=lambda key: key.last_used)[-MOST_KEYS:]
        rows = {key.id: _row(key) for key in latest}
        write_private(self._file, json.dumps({"version": VERSION, "keys": rows}, indent=1) + "\n")


def _row(key: KeptKey) -> dict[str, Any]:
    return {name: value for name, value in key.values().items() if name != "id" and value is not None}


def _key(id: str, row: Any) -> KeptKey | None:
    """None for a row that is damaged."""
    if not _ID.fullmatch(id):
        return None
    match row:
        case {"secret": str(secret), "browser": str(browser), "since": str(since), "last_used": str(last_used)}:
            port = row["port"] if isinstance(row.get("port"), int) else None
            return KeptKey(id, secret, browser, since, last_used, port) if _SECRET.fullmatch(secret) else None
    return None


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
