"""Passkeys in the vault: declared by the user for the origins of a site, and made and used by pages of sessions.

They stand beside the secrets, so that no reference can name a private key:

    {"passkeys": {"shop": {"origins": ["https://shop.example"], "set": "2026-11-29T09:30:00Z",
                           "passkeys": {"<id>": {"relying_party": "shop.example", "private_key": "…", …}}}}}"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from dataclasses import field as dataclass_field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import urlsplit

from oryn.core.passkey import Passkey, PasskeyListener
from oryn.core.text_safety import plain, quoted
from oryn.errors import OrynError, PasskeyNotFound, PasskeysInUse, VaultKeyWrong
from oryn.system.locks import try_lock
from oryn.system.paths import private_folder

if TYPE_CHECKING:
    from oryn.vault.file import VaultFile

SECTION = "passkeys"
MAX_PASSKEYS = 100
"""Maximum number of passkeys of one name; a page that makes more gets them, but they are not kept."""
SIGN_COUNT_GAP = 100
"""How far the number of signatures jumps when passkeys are loaded. After a crash, the last ones were not stored; a
relying party would take a number that it has seen for that of a copy."""


@dataclass(frozen=True, slots=True)
class StoredPasskey:
    """One passkey as the vault has it. `created` and `used` are in UTC, ISO 8601; `used` is empty before the first."""

    relying_party: str
    private_key: str = dataclass_field(repr=False)
    sign_count: int
    resident: bool
    user_handle: str
    user_name: str
    display_name: str
    created: str
    used: str = ""

    def passkey(self, id: str, gap: int = 0) -> Passkey:
        count = self.sign_count + gap
        user = self.user_handle, self.user_name, self.display_name
        return Passkey(id, self.relying_party, self.private_key, count, self.resident, *user)


@dataclass(frozen=True, slots=True)
class PasskeySet:
    """The passkeys of one name, by id. Those of other relying parties than its `origins` are not used."""

    origins: tuple[str, ...]
    set: str
    passkeys: Mapping[str, StoredPasskey]

    def covers(self, relying_party: str) -> bool:
        """Whether passkeys of a relying party may be used."""
        hosts = [urlsplit(origin).hostname or "" for origin in self.origins]
        return any(host == relying_party or host.endswith(f".{relying_party}") for host in hosts)

    def usable(self) -> Iterable[tuple[str, StoredPasskey]]:
        return ((id, each) for id, each in self.passkeys.items() if self.covers(each.relying_party))


@dataclass(frozen=True, slots=True)
class PasskeyListing:
    """A passkey without its key; `id` is empty for a name that has none yet."""

    name: str
    id: str
    relying_party: str
    user: str
    origins: tuple[str, ...]
    created: str
    used: str
    usable: bool


def encode_set(found: PasskeySet) -> dict[str, Any]:
    """Encode passkeys as a record of the vault."""
    passkeys = {id: asdict(each) for id, each in found.passkeys.items()}
    return {"origins": list(found.origins), "set": found.set, "passkeys": passkeys}


def decode_set(record: Mapping[str, Any]) -> PasskeySet:
    """Decode what `encode_set` returned. Raises `VaultKeyWrong`."""
    try:
        passkeys = {str(id): StoredPasskey(**each) for id, each in record["passkeys"].items()}
        return PasskeySet(tuple(map(str, record["origins"])), str(record["set"]), passkeys)
    except (KeyError, TypeError, AttributeError):
        raise VaultKeyWrong("the vault is damaged: its passkeys are something else", "Add them again.") from None


def changed_set(found: PasskeySet, created: Iterable[Passkey], counts: Mapping[str, int], now: str) -> PasskeySet:
    """Return the passkeys with those that pages have `created`, and the numbers of signatures `counts`, by id. A number
    never falls, and one of a passkey that the user has deleted is ignored."""
    passkeys = dict(found.passkeys)
    for each in created:
        user = each.user_handle, each.user_name, each.display_name
        passkeys[each.id] = StoredPasskey(
            each.relying_party, each.private_key, each.sign_count, each.resident, *user, now
        )
    for id, count in counts.items():
        if (old := passkeys.get(id)) is not None and count > old.sign_count:
            passkeys[id] = StoredPasskey(**{**asdict(old), "sign_count": count, "used": now})
    return PasskeySet(found.origins, found.set, passkeys)


# --- for the user ---


def add_origins(file: VaultFile, name: str, origins: Sequence[str]) -> tuple[str, ...]:
    """Let sessions keep passkeys of these origins under `name`, besides those of earlier ones. Returns all its
    origins. Raises `PasskeyNotFound` if there are none."""
    with file.changing() as change:
        section = change.content.section(SECTION)
        found = decode_set(section[name]) if name in section else PasskeySet((), _now(), {})
        new = PasskeySet(tuple(dict.fromkeys([*found.origins, *origins])), found.set, found.passkeys)
        if not new.origins:
            raise PasskeyNotFound(
                f"the vault has no passkeys {quoted(name)} yet, and no origin says which sites they are for",
                f"Name the site: oryn vault passkey add {name} --origin https://shop.example.",
            )
        change.content = change.content.with_section(SECTION, {**section, name: encode_set(new)})
    return new.origins


def delete_passkeys(file: VaultFile, name: str, id: str = "") -> None:
    """Delete the passkey whose id begins with `id`, or all of a name and the name. Raises `PasskeyNotFound`."""
    with file.changing() as change:
        section = change.content.section(SECTION)
        found = _named(section, name)
        left = dict(section)
        if id:
            matches = [each for each in found.passkeys if short_id(each).startswith(id)]
            if len(matches) != 1:
                what = "no passkey" if not matches else "several passkeys"
                raise PasskeyNotFound(f"{quoted(name)} has {what} {quoted(id[:60])}")
            rest = {each: value for each, value in found.passkeys.items() if each != matches[0]}
            left[name] = encode_set(PasskeySet(found.origins, found.set, rest))
        else:
            del left[name]
        change.content = change.content.with_section(SECTION, left)


def list_passkeys(file: VaultFile) -> list[PasskeyListing]:
    """Return the passkeys without their keys."""
    return [listing for name, record in file.read().section(SECTION).items() for listing in _rows(name, record)]


def _rows(name: str, record: Mapping[str, Any]) -> Iterable[PasskeyListing]:
    found = decode_set(record)
    for id, each in found.passkeys.items():
        usable = found.covers(each.relying_party)
        user, party = plain(each.user_name), plain(each.relying_party)
        yield PasskeyListing(name, short_id(id), party, user, found.origins, each.created, each.used, usable)
    if not found.passkeys:
        yield PasskeyListing(name, "", "", "", found.origins, "", "", True)


def short_id(id: str) -> str:
    """The beginning of an id in base64, as a name of letters, digits, _ and x."""
    return id[:10].replace("+", "_").replace("/", "x").replace("=", "")


def _named(section: Mapping[str, Any], name: str) -> PasskeySet:
    if name in section:
        return decode_set(section[name])
    names = f"It has {', '.join(sorted(section))}." if section else None
    raise PasskeyNotFound(f"the vault has no passkeys {quoted(name[:60])}", names)


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


# --- for sessions ---


class StoredPasskeys:
    """Implements `oryn.core.passkey.PasskeyStore` with the passkeys of one name.

    One process uses them at a time, because the numbers of signatures of two would contradict each other. `locks` is
    the folder of the lock, a file that the system unlocks when the process ends."""

    def __init__(self, file: VaultFile, name: str, locks: Path) -> None:
        self.name = name
        self._file = file
        self._lock_path = locks / f"{name}.lock"
        self._lock: IO[str] | None = None
        self._users: set[object] = set()
        self._opening = asyncio.Lock()
        self._found = PasskeySet((), "", {})
        self._passkeys: dict[str, Passkey] = {}
        """The usable ones."""
        self._listeners: list[PasskeyListener] = []
        self._unstored: dict[str, Passkey] = {}
        """Those that are not stored yet."""
        self._counts: dict[str, int] = {}
        """Numbers of signatures that are not stored yet."""
        self._writing: asyncio.Task[None] | None = None
        self._failure: OrynError | None = None
        """Why the last changes are not stored."""

    async def open(self, user: object) -> None:
        async with self._opening:
            if not self._users:
                self._found = await asyncio.to_thread(self._load)
                self._passkeys = {id: each.passkey(id, SIGN_COUNT_GAP) for id, each in self._found.usable()}
            self._users.add(user)

    def _load(self) -> PasskeySet:
        private_folder(self._lock_path.parent)
        lock = os.fdopen(os.open(self._lock_path, os.O_RDWR | os.O_CREAT, 0o600), "r+", encoding="ascii")
        try:
            if not try_lock(lock):
                raise PasskeysInUse(f"the passkeys {self.name} are in use by process {lock.read().strip()}")
            found = _named(self._file.read().section(SECTION), self.name)
        except BaseException:
            lock.close()
            raise
        lock.truncate(0)
        lock.write(f"{os.getpid()}\n")
        lock.flush()
        self._lock = lock
        return found

    async def close(self, user: object) -> None:
        async with self._opening:
            if user not in self._users:
                return
            while self._writing is not None and not self._writing.done():
                await asyncio.shield(self._writing)
            self._users.discard(user)
            if not self._users and self._lock is not None:
                self._lock.close()
                self._lock = None

    def usable(self) -> Iterable[Passkey]:
        return tuple(self._passkeys.values())

    def subscribe(self, listener: PasskeyListener) -> None:
        self._listeners.append(listener)

    def unsubscribe(self, listener: PasskeyListener) -> None:
        if listener in self._listeners:
            self._listeners.remove(listener)

    def add(self, passkey: Passkey, source: PasskeyListener, note: Callable[[str], object]) -> None:
        event = f"a page has made a passkey for {plain(passkey.relying_party)}"
        if len(self._found.passkeys) + len(self._unstored) >= MAX_PASSKEYS:
            note(f"{event}, which is not kept: {self.name} has {MAX_PASSKEYS} already")
            return
        self._unstored[passkey.id] = passkey
        if self._found.covers(passkey.relying_party):
            note(f"{event}: it is kept in the vault, in {self.name}")
            self._notify(passkey, source)
        else:
            note(
                f"{event}, which is no site of {self.name}: it is kept in the vault, but not used until the user adds "
                f"its origin to {self.name} ('oryn vault passkey add')"
            )
        self._write_soon()
        assert self._writing is not None
        self._writing.add_done_callback(lambda _: self._failure and note(f"{event}, but {self._failure.message}"))

    def count(self, id: str, sign_count: int, source: PasskeyListener) -> None:
        passkey = self._passkeys.get(id)
        if passkey is None or sign_count <= passkey.sign_count:
            return
        self._counts[id] = sign_count
        self._write_soon()
        self._notify(passkey.replace(sign_count=sign_count), source)

    def _notify(self, passkey: Passkey, source: PasskeyListener) -> None:
        self._passkeys[passkey.id] = passkey
        for listener in self._listeners:
            if listener is not source:
                listener(passkey)

    def _write_soon(self) -> None:
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write_changes())

    async def _write_changes(self) -> None:
        """Store the changes, and those that come meanwhile. What can't be stored is tried again with the next."""
        while self._unstored or self._counts:
            new, counts = dict(self._unstored), dict(self._counts)
            try:
                self._found = await asyncio.to_thread(self._write, tuple(new.values()), counts)
            except OrynError as error:
                self._failure = error
                return
            self._failure = None
            self._unstored = {id: each for id, each in self._unstored.items() if id not in new}
            self._counts = {id: count for id, count in self._counts.items() if counts.get(id) != count}

    def _write(self, created: Sequence[Passkey], counts: Mapping[str, int]) -> PasskeySet:
        with self._file.changing() as change:
            section = change.content.section(SECTION)
            if self.name not in section:
                return self._found  # the user has deleted it
            found = changed_set(decode_set(section[self.name]), created, counts, _now())
            change.content = change.content.with_section(SECTION, {**section, self.name: encode_set(found)})
        return found
