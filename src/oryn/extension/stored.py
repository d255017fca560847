"""What outlives the worker: settings (`chrome.storage.sync`), keys (`local`), and what a restart needs (`session`).

Read once at the start and held here; every change is written at once. What is stored may be damaged, or come from
another version through the user's account: what does not fit is left out.
https://developer.chrome.com/docs/extensions/reference/api/storage
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Protocol, cast

from oryn.errors import EndpointNotAllowed, InvalidValue
from oryn.extension.endpoints import read_endpoint, read_origin
from oryn.records import Record
from oryn.remote.pairing import Key

TabScope = Literal["active", "all"]

MOST_ALLOWED = 50
"""Origins on the allowlist; an item of `storage.sync` has 8 kB."""

PAIRINGS = "pairings"
MEMORY = "connection"


class Calls(Protocol):
    """What `bridge.Bridge` is here."""

    async def call(self, name: str, *arguments: Any) -> Any: ...


class Settings(Record):
    """What a user chooses (seed 000 §5.2)."""

    endpoint: str = "ws://localhost:8080"
    auto_connect: bool = False
    tab_scope: TabScope = "active"
    trusted_input: bool = False
    allowlist: Sequence[str] = ()

    def changed(self, changes: Mapping[str, Any]) -> Settings:
        """Raises `InvalidValue`, `EndpointNotAllowed`."""
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
    if len(value) > MOST_ALLOWED:
        raise InvalidValue(f"the allowlist has {MOST_ALLOWED} servers at most")
    return tuple(dict.fromkeys(read_origin(_text(each)) for each in value))


_READERS: Mapping[str, Callable[[Any], Any]] = {
    "endpoint": lambda value: read_endpoint(_text(value)).url,
    "auto_connect": _flag,
    "tab_scope": _scope,
    "trusted_input": _flag,
    "allowlist": _allowlist,
}


class Pairing(Record):
    """A server that has proved that its user gave it a code. Times are epoch seconds."""

    key: Key
    since: float
    last_used: float

    @classmethod
    def of(cls, row: Any) -> Pairing | None:
        """None for what is none."""
        try:
            key = Key(row["id"], row["secret"])
            found = cls(key, float(row["since"]), float(row["last_used"]))
        except (KeyError, TypeError, ValueError):
            return None
        right = isinstance(key.id, str) and isinstance(key.secret, str) and re.fullmatch(r"[0-9a-f]{64}", key.secret)
        return found if right else None

    def row(self) -> dict[str, Any]:
        return {**self.key.values(), "since": self.since, "last_used": self.last_used}


class Stored:
    """`load` comes first. Raises `ChromeFailed` where the browser does not store."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self.settings = Settings()
        self.pairings: dict[str, Pairing] = {}
        """By the URL of the endpoint."""
        self.memory: dict[str, Any] = {}
        """What `remember` has kept; empty when the browser has just started."""
        self.wanted: bool | None = None
        """Whether the user wants a connection; None where they have not said so since the browser started."""

    async def load(self) -> None:
        # Keys and settings are nothing for content scripts, which live in the processes of pages.
        for area in ("local", "sync"):
            await self._calls.call(f"storage.{area}.setAccessLevel", {"accessLevel": "TRUSTED_CONTEXTS"})
        await self.refresh()
        local = _mapping(await self._calls.call("storage.local.get", [PAIRINGS]))
        rows = {url: Pairing.of(row) for url, row in _mapping(local.get(PAIRINGS)).items()}
        self.pairings = {url: pairing for url, pairing in rows.items() if pairing is not None}
        session = _mapping(await self._calls.call("storage.session.get", ["wanted", MEMORY]))
        self.memory = _mapping(session.get(MEMORY))
        self.wanted = session["wanted"] if isinstance(session.get("wanted"), bool) else None

    async def change(self, changes: Mapping[str, Any]) -> None:
        """Change settings, all of them or none. Raises `InvalidValue`, `EndpointNotAllowed`."""
        settings = self.settings.changed(changes)
        before, after = self.settings.values(), settings.values()
        # The browser lets nobody write more than 120 times a minute.
        if new := {name: after[name] for name in changes if after[name] != before[name]}:
            await self._calls.call("storage.sync.set", new)
        self.settings = settings

    async def refresh(self) -> None:
        """Somebody may have changed the settings: another browser of the same user."""
        self.settings = read_settings(await self._calls.call("storage.sync.get"))

    async def keep(self, url: str, key: Key, now: float) -> None:
        """An endpoint was paired."""
        self.pairings[url] = Pairing(key, now, now)
        await self._write_pairings()

    async def used(self, url: str, now: float) -> None:
        if pairing := self.pairings.get(url):
            self.pairings[url] = pairing.replace(last_used=now)
            await self._write_pairings()

    async def revoke(self, url: str) -> None:
        if self.pairings.pop(url, None) is not None:
            await self._write_pairings()

    async def remember(self, wanted: bool, memory: Mapping[str, Any]) -> None:
        """Keep what the next life of the worker needs; `wanted` also starts its engine then (`extension/worker.js`)."""
        self.wanted, self.memory = wanted, dict(memory)
        await self._calls.call("storage.session.set", {"wanted": wanted, MEMORY: self.memory})

    async def _write_pairings(self) -> None:
        rows = {url: pairing.row() for url, pairing in self.pairings.items()}
        await self._calls.call("storage.local.set", {PAIRINGS: rows})


def read_settings(values: Any) -> Settings:
    """Those of `storage.sync` that are right; the rest as if they had not been set."""
    settings = Settings()
    for name, value in _mapping(values).items():
        try:
            settings = settings.changed({name: value})
        except (InvalidValue, EndpointNotAllowed):
            continue
    return settings


def _mapping(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, Mapping) else {}
