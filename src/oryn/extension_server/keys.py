"""The keys by which a server and the extensions that are paired with it authenticate again.

They are in one file of the user with mode 0600, which every server of the user reads at each registration, the
TypeScript client's too (docs/spec/extension-protocol.md#keys-of-a-server):

    {"version": 1, "keys": {"3f9a1c20": {"secret": "<64 hex>", "browser": "Chrome/156.0.8078.79",
     "since": "2026-11-22T08:00:00Z", "last_used": "2026-11-22T09:00:00Z", "port": 8080}}}

A key is valid at the port of the server that was paired. Otherwise a program that listens at that port while the server
does not run could relay the proof of another server of the user."""

from __future__ import annotations

import json
import logging
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from oryn.core.records import Record
from oryn.errors import ConfigurationError
from oryn.system.locks import lock_file
from oryn.system.paths import private_folder, write_private

log = logging.getLogger(__name__)

VERSION = 1
MAX_KEYS = 100
"""Beyond it the least recently used keys are dropped."""

_ID = re.compile(r"[0-9a-f]{8}")
_SECRET = re.compile(r"[0-9a-f]{64}")
_MAX_NAME_CHARACTERS = 200


class StoredKey(Record):
    """A key, and the browser that has it too. Times are UTC, `2026-11-22T08:00:00Z`."""

    id: str
    secret: str
    browser: str
    since: str
    last_used: str
    port: int | None = None
    """The port of the paired server; None if it is not known."""

    def __repr__(self) -> str:
        return f"StoredKey({self.id!r}, browser={self.browser!r})"  # never the secret: it might be logged


class KeyStore:
    """The keys in the file, which is read at each call, because other processes write it too."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def all(self) -> list[StoredKey]:
        """All valid keys, the oldest first; none if the file can't be read."""
        return sorted(self._read().values(), key=lambda key: (key.since, key.id))

    def find(self, id: str, port: int | None = None) -> StoredKey | None:
        """The key with this id, or None; also None if it is that of a server at another port."""
        key = self._read().get(id)
        is_elsewhere = key is not None and None not in (key.port, port) and key.port != port
        return None if is_elsewhere else key

    def save(self, id: str, secret: str, browser: str, port: int | None = None) -> None:
        """Add the key of a browser that has just been paired. `port` is the server's; None if it is not known. Raises
        `ConfigurationError` if the file can't be written."""
        now = _now()
        with self._locked():
            self._write(self._read() | {id: StoredKey(id, secret, browser[:_MAX_NAME_CHARACTERS], now, now, port)})

    def mark_used(self, id: str, browser: str) -> None:
        """Note that a browser has connected with its key. Raises `ConfigurationError`."""
        with self._locked():
            keys = self._read()
            if id in keys:
                self._write(keys | {id: keys[id].replace(browser=browser[:_MAX_NAME_CHARACTERS], last_used=_now())})

    def revoke(self, id: str | None = None) -> list[StoredKey]:
        """Delete a key, or all keys; the deleted ones. Raises `ConfigurationError`."""
        with self._locked():
            keys = self._read()
            gone = [key for key in keys.values() if id in (None, key.id)]
            if gone:
                self._write({name: key for name, key in keys.items() if key not in gone})
        return gone

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Lock the file against other processes of Oryn and of the TypeScript client."""
        private_folder(self._file.parent)
        try:
            with lock_file(self._file.with_name(f"{self._file.name}.taken")):
                yield
        except OSError as error:
            raise ConfigurationError(f"can't write {self._file}: {error.strerror}", "Make room for it.") from error

    def _read(self) -> dict[str, StoredKey]:
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

    def _write(self, keys: Mapping[str, StoredKey]) -> None:
        latest = sorted(keys.values(), key=lambda key: key.last_used)[-MAX_KEYS:]
        rows = {
            key.id: {name: value for name, value in key.values().items() if name != "id" and value is not None}
            for key in latest
        }
        write_private(self._file, json.dumps({"version": VERSION, "keys": rows}, indent=1) + "\n")


def _key(id: str, row: Any) -> StoredKey | None:
    """None for a row that is damaged."""
    if not _ID.fullmatch(id):
        return None
    match row:
        case {"secret": str(secret), "browser": str(browser), "since": str(since), "last_used": str(last_used)}:
            port = row["port"] if isinstance(row.get("port"), int) else None
            return StoredKey(id, secret, browser, since, last_used, port) if _SECRET.fullmatch(secret) else None
    return None


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
