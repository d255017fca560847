"""Persistent data of the extension: settings (`chrome.storage.sync`), pairing keys (`local`), and what a restart of the
worker needs (`session`).

Read once at the start; every change is written at once. Stored data may be damaged, or come from another
version through the user's account: invalid values are ignored.
https://developer.chrome.com/docs/extensions/reference/api/storage"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Protocol, cast

from oryn.core.records import Record
from oryn.errors import EndpointNotAllowed, InvalidValue
from oryn.extension.server_connection.endpoints import read_endpoint, read_origin
from oryn.extension_server.pairing import PairingKey

TabScope = Literal["active", "all"]

MAX_ALLOWED_ORIGINS = 50
"""Origins on the allowlist; an item of `storage.sync` has 8 kB."""

PAIRINGS = "pairings"
MEMORY = "connection"


class BridgeCalls(Protocol):
    """The part of `bridge.Bridge` that is used here."""

    async def call(self, name: str, *arguments: Any) -> Any: ...


class ExtensionSettings(Record):
    """The user's settings (docs/spec/extension-protocol.md#settings-of-the-extension)."""

    endpoint: str = "ws://localhost:8080"
    auto_connect: bool = False
    tab_scope: TabScope = "active"
    trusted_input: bool = False
    allowlist: Sequence[str] = ()

    def changed(self, changes: Mapping[str, Any]) -> ExtensionSettings:
        """The settings with `changes` applied. Raises `InvalidValue`, `EndpointNotAllowed`."""
        settings = self
        for name, value in changes.items():
            read = _READERS.get(name)
            if read is None:
                raise InvalidValue(f"there is no setting {str(name)[:40]!r}")
            settings = settings.replace(**{name: read(value)})
        return settings


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise InvalidValue("it is either on or off")
    return value


def _scope(value: Any) -> TabScope:
    if value not in ("active", "all"):
        raise InvalidValue("the tab scope is 'active' or 'all'")
    return cast("TabScope", value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise InvalidValue("an address is text")
    return value


def _allowlist(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        raise InvalidValue("the allowlist is a list")
    if len(value) > MAX_ALLOWED_ORIGINS:
        raise InvalidValue(f"the allowlist has {MAX_ALLOWED_ORIGINS} servers at most")
    return tuple(dict.fromkeys(read_origin(_text(each)) for each in value))


_READERS: Mapping[str, Callable[[Any], Any]] = {
    "endpoint": lambda value: read_endpoint(_text(value)).url,
    "auto_connect": _flag,
    "tab_scope": _scope,
    "trusted_input": _flag,
    "allowlist": _allowlist,
}


class StoredPairing(Record):
    """A paired server: its user has entered a code there. Times are epoch seconds."""

    key: PairingKey
    since: float
    last_used: float

    @classmethod
    def of(cls, row: Any) -> StoredPairing | None:
        """The pairing in a stored row; None if the row is not valid."""
        try:
            key = PairingKey(row["id"], row["secret"])
            found = cls(key, float(row["since"]), float(row["last_used"]))
        except (KeyError, TypeError, ValueError):
            return None
        right = isinstance(key.id, str) and isinstance(key.secret, str) and re.fullmatch(r"[0-9a-f]{64}", key.secret)
        return found if right else None

    def row(self) -> dict[str, Any]:
        """The pairing as JSON data."""
        return {**self.key.values(), "since": self.since, "last_used": self.last_used}


class ExtensionStorage:
    """Reads and writes the data; call `load` first. Its methods raise `ChromeFailed` if the browser can't store it."""

    def __init__(self, calls: BridgeCalls) -> None:
        self._calls = calls
        self.settings = ExtensionSettings()
        self.pairings: dict[str, StoredPairing] = {}
        """By the URL of the endpoint."""
        self.connection_state: dict[str, Any] = {}
        """The state of the connection (`save_connection`); empty if the browser has just started."""
        self.wanted: bool | None = None
        """Whether the user wants a connection; None if they have not decided since the browser started."""

    async def load(self) -> None:
        """Read the stored data."""
        # Content scripts live in the processes of pages: they must not read keys and settings.
        for area in ("local", "sync"):
            await self._calls.call(f"storage.{area}.setAccessLevel", {"accessLevel": "TRUSTED_CONTEXTS"})
        await self.refresh()
        local = _mapping(await self._calls.call("storage.local.get", [PAIRINGS]))
        rows = {url: StoredPairing.of(row) for url, row in _mapping(local.get(PAIRINGS)).items()}
        self.pairings = {url: pairing for url, pairing in rows.items() if pairing is not None}
        session = _mapping(await self._calls.call("storage.session.get", ["wanted", MEMORY]))
        self.connection_state = _mapping(session.get(MEMORY))
        self.wanted = session["wanted"] if isinstance(session.get("wanted"), bool) else None

    async def change(self, changes: Mapping[str, Any]) -> None:
        """Change settings, all of them or none. Raises `InvalidValue`, `EndpointNotAllowed`."""
        settings = self.settings.changed(changes)
        before, after = self.settings.values(), settings.values()
        # The browser accepts at most 120 writes a minute.
        if new := {name: after[name] for name in changes if after[name] != before[name]}:
            await self._calls.call("storage.sync.set", new)
        self.settings = settings

    async def refresh(self) -> None:
        """Read the settings again, which another browser of the same user may have changed."""
        self.settings = read_settings(await self._calls.call("storage.sync.get"))

    async def save_pairing(self, url: str, key: PairingKey, now: float) -> None:
        """Store the key of an endpoint that has just been paired; `now` is in epoch seconds."""
        self.pairings[url] = StoredPairing(key, now, now)
        await self._write_pairings()

    async def mark_used(self, url: str, now: float) -> None:
        """Note that the key of an endpoint was used; `now` is in epoch seconds."""
        if pairing := self.pairings.get(url):
            self.pairings[url] = pairing.replace(last_used=now)
            await self._write_pairings()

    async def revoke(self, url: str) -> None:
        """Delete the key of an endpoint."""
        if self.pairings.pop(url, None) is not None:
            await self._write_pairings()

    async def save_connection(self, wanted: bool, memory: Mapping[str, Any]) -> None:
        """Store what the next start of the worker needs; if `wanted`, `extension/worker.ts` also starts its engine
        then."""
        self.wanted, self.connection_state = wanted, dict(memory)
        await self._calls.call("storage.session.set", {"wanted": wanted, MEMORY: self.connection_state})

    async def save_connected(self, connected: bool) -> None:
        """Store whether a server is connected: only then `extension/content_scripts.ts` has scripts in pages."""
        await self._calls.call("storage.session.set", {"connected": connected})

    async def _write_pairings(self) -> None:
        rows = {url: pairing.row() for url, pairing in self.pairings.items()}
        await self._calls.call("storage.local.set", {PAIRINGS: rows})


def read_settings(values: Any) -> ExtensionSettings:
    """The valid settings in `storage.sync`; the others have their defaults."""
    settings = ExtensionSettings()
    for name, value in _mapping(values).items():
        try:
            settings = settings.changed({name: value})
        except (InvalidValue, EndpointNotAllowed):
            continue
    return settings


def _mapping(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, Mapping) else {}
