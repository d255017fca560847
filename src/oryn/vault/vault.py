"""The file of the vault: encrypted whole, written whole, by one writer at a time.

The system's keyring keeps the file's key and not the values: what one may hold is short on some systems (Windows: 2,560
bytes), and none can say which names it has.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oryn.engine.escape import quoted
from oryn.engine.secrets import Secret
from oryn.errors import ConfigurationError, SecretNotFound, VaultKeyWrong
from oryn.locks import locked
from oryn.paths import private_folder, write_private
from oryn.sealing import KeySource, Sealed, Sealing
from oryn.vault.entries import Entries, Entry, Value, decode, encode, with_value, without
from oryn.vault.system import has_keyring

if TYPE_CHECKING:
    from oryn.paths import Paths
    from oryn.settings.choices import VaultUse

KEY_VARIABLE = "ORYN_VAULT_KEY"
NAMES_TOLD = 20

_KIND = Sealed(
    "the vault",
    "the key of the vault",
    "Store its secrets again.",
    b"oryn vault 1",
    KEY_VARIABLE,
    "vault",
    VaultKeyWrong,
    f"Unlock it, or keep the vault in a file of its own: --vault file, with a passphrase in {KEY_VARIABLE}.",
)


@dataclass(frozen=True, slots=True)
class Listed:
    """A secret without its value. `set` is in UTC, ISO 8601."""

    name: str
    origins: tuple[str, ...]
    set: str


class Vault:
    """The secrets of one user. `use` says where the key of what is written shall be: `keyring`, `file` (a passphrase in
    `ORYN_VAULT_KEY`, else a key file), or `auto`, the first that there is of the passphrase, where it is already, the
    keyring, and the key file. What is read says itself where its key is.

    Everything raises `VaultKeyWrong` where the vault can't be opened."""

    def __init__(self, paths: Paths, use: VaultUse = "auto", environment: Mapping[str, str] = os.environ) -> None:
        self.file = paths.data / "vault.json"
        self._lock = paths.data / "vault.lock"
        self._use = use
        self._environment = environment
        self._sealing = Sealing(_KIND, environment, paths.config / "vault.key")

    # --- for the user ---

    def store(self, name: str, value: str, origins: Sequence[str] = ()) -> None:
        """Store a secret, in the place of one with this name. `origins` replace those of its entry, where any are
        given. Raises `InvalidValue`."""
        stored = Value(value, time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()))
        with self._changing() as entries:
            self._write(with_value(entries, name, stored, tuple(dict.fromkeys(origins))))

    def delete(self, name: str) -> None:
        """Delete a secret, or with the name of an entry all of its secrets. Raises `SecretNotFound`."""
        with self._changing() as entries:
            left = without(entries, name)
            if left is None:
                raise _not_found(entries, name)
            self._write(left)

    def listed(self) -> list[Listed]:
        """Every secret, by name."""
        return [
            Listed(f"{entry}.{key}", each.origins, value.set)
            for entry, each in self._read().items()
            for key, value in sorted(each.fields.items())
        ]

    # --- for a session (`oryn.engine.secrets.Vault`) ---

    async def secret(self, name: str) -> Secret:
        """Raises `SecretNotFound` with the names that there are."""
        # A keyring may ask its owner, and deriving a key is slow on purpose.
        return await asyncio.to_thread(self._secret, name)

    def _secret(self, name: str) -> Secret:
        entries = self._read()
        entry, _, key = name.partition(".")
        found = entries.get(entry, Entry())
        if key not in found.fields:
            raise _not_found(entries, name)
        return Secret(name, found.fields[key].value, found.origins)

    # --- the file ---

    @contextmanager
    def _changing(self) -> Iterator[Entries]:
        try:
            private_folder(self.file.parent)
            with locked(self._lock):
                yield self._read()
        except OSError as error:
            raise VaultKeyWrong(
                f"the vault can't be written: {error.strerror or error}", f"Nothing was changed in {self.file}."
            ) from error

    def _read(self) -> dict[str, Entry]:
        sealed = self._sealed()
        return {} if sealed is None else decode(self._sealing.unseal(sealed))

    def _sealed(self) -> dict[str, Any] | None:
        """What is encrypted, or None where nothing was ever stored."""
        try:
            data = json.loads(self.file.read_bytes())
            sealed: dict[str, Any] = data["sealed"]
            sealed.keys()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise VaultKeyWrong(f"{self.file} can't be read: {error.strerror}", "Check who may read it.") from error
        except (ValueError, KeyError, TypeError, AttributeError):
            raise VaultKeyWrong(
                f"the vault is damaged: {self.file} is none",
                "Bring a copy back, or remove it and store its secrets again.",
            ) from None
        return sealed

    def _write(self, entries: Entries) -> None:
        sealed = self._sealing.seal(encode(entries), self._source())
        write_private(self.file, json.dumps({"version": 1, "sealed": sealed}, indent=1) + "\n")

    def _source(self) -> KeySource:
        """Where the key of what is written shall be."""
        if self._use == "keyring":
            if not has_keyring():
                raise ConfigurationError(
                    "vault can't be 'keyring': this system has no keyring that keeps secrets",
                    "Use --vault file, or unlock the keyring of your desktop.",
                )
            return "keyring"
        if self._environment.get(KEY_VARIABLE):
            return "environment"
        if self._use == "file":
            return "file"
        if (sealed := self._sealed()) is not None:
            return self._sealing.source_of(sealed)
        return "keyring" if has_keyring() else "file"


def _not_found(entries: Entries, name: str) -> SecretNotFound:
    entry, dot, _ = name.partition(".")
    if not dot and entry in entries:
        return SecretNotFound(
            f"{quoted(name)} is an entry of the vault, and names no field of it",
            f"Name one: {_told(_names(entries, entry))}.",
        )
    names = _names(entries)
    hint = (
        f"It has {_told(names)}." if names else "It is empty: only the user can store something, oryn vault set NAME."
    )
    return SecretNotFound(f"the vault has no {quoted(name[:60])}", hint)


def _names(entries: Entries, only: str | None = None) -> list[str]:
    return [f"{entry}.{key}" for entry, each in entries.items() if only in (None, entry) for key in sorted(each.fields)]


def _told(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMES_TOLD} more" if len(names) > NAMES_TOLD else ""
    return ", ".join(names[:NAMES_TOLD]) + more
