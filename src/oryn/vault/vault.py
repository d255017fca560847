"""The file of the vault: encrypted as a whole, written as a whole, by one writer at a time.

If the system has a keyring that stores secrets, it holds the file's key, not the values. Some systems limit the size of
a value (Windows: 2,560 bytes), and no keyring can list its names."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oryn.core.text_safety import quoted
from oryn.core.vault_secret import VaultSecret
from oryn.errors import ConfigurationError, SecretNotFound, VaultKeyWrong
from oryn.system.encryption import EncryptedContentType, Encryptor, KeySource
from oryn.system.locks import locked
from oryn.system.paths import private_folder, write_private
from oryn.vault.entries import SecretValue, VaultEntries, VaultEntry, decode, encode, with_value, without

if TYPE_CHECKING:
    from oryn.settings.types import VaultUse
    from oryn.system.paths import Paths

MIN_PRIORITY = 1.0
"""The priority of a recommended backend: https://keyring.readthedocs.io/en/latest/#keyring.backend.KeyringBackend"""

_PLAINTEXT = "keyrings.alt."
"""The prefix of backends that write files, some of them unencrypted."""


def has_keyring() -> bool:
    """Return whether the system has a keyring. Backends that only write files don't count, nor does the fallback
    backend."""
    try:
        import keyring
    except ImportError:
        return False
    return _keeps_secrets(keyring.get_keyring())


def _keeps_secrets(backend: Any) -> bool:
    if type(backend).__module__ == "keyring.backends.chainer":
        # It stores in the first backend that accepts the value.
        members = list(backend.backends)
        return bool(members) and all(map(_keeps_secrets, members))
    return not type(backend).__module__.startswith(_PLAINTEXT) and float(backend.priority) >= MIN_PRIORITY


KEY_VARIABLE = "ORYN_VAULT_KEY"
MAX_LISTED_NAMES = 20

_KIND = EncryptedContentType(
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
class SecretListing:
    """A secret without its value. `set` is in UTC, ISO 8601."""

    name: str
    origins: tuple[str, ...]
    set: str


class Vault:
    """The secrets of one user.

    `use` selects the location of the key for new content: `keyring`, `file` (a passphrase in `ORYN_VAULT_KEY`, else a
    key file), or `auto`. `auto` is the first available of the passphrase, the present location, the keyring, and the
    key file. An encrypted file records the location of its own key.

    All methods raise `VaultKeyWrong` if the vault can't be opened."""

    def __init__(self, paths: Paths, use: VaultUse = "auto", environment: Mapping[str, str] = os.environ) -> None:
        self.file = paths.data / "vault.json"
        self._lock = paths.data / "vault.lock"
        self._use = use
        self._environment = environment
        self._encryptor = Encryptor(_KIND, environment, paths.config / "vault.key")

    # --- for the user ---

    def store(self, name: str, value: str, origins: Sequence[str] = ()) -> None:
        """Store a secret; it replaces one of the same name. `origins` replace those of its entry, unless they are
        empty. Raises `InvalidValue`."""
        stored = SecretValue(value, time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()))
        with self._changing() as entries:
            self._write(with_value(entries, name, stored, tuple(dict.fromkeys(origins))))

    def delete(self, name: str) -> None:
        """Delete a secret, or all secrets of an entry if `name` is an entry's. Raises `SecretNotFound`."""
        with self._changing() as entries:
            left = without(entries, name)
            if left is None:
                raise _not_found(entries, name)
            self._write(left)

    def listed(self) -> list[SecretListing]:
        """Return every secret, without its value."""
        return [
            SecretListing(f"{entry}.{key}", each.origins, value.set)
            for entry, each in self._read().items()
            for key, value in sorted(each.fields.items())
        ]

    # --- for a session (`oryn.core.vault_secret.SecretVault`) ---

    async def secret(self, name: str) -> VaultSecret:
        """Return a secret. Raises `SecretNotFound`, which lists the available names."""
        # A keyring may prompt the user, and deriving a key is slow on purpose.
        return await asyncio.to_thread(self._secret, name)

    def _secret(self, name: str) -> VaultSecret:
        entries = self._read()
        entry, _, key = name.partition(".")
        found = entries.get(entry, VaultEntry())
        if key not in found.fields:
            raise _not_found(entries, name)
        return VaultSecret(name, found.fields[key].value, found.origins)

    # --- the file ---

    @contextmanager
    def _changing(self) -> Iterator[VaultEntries]:
        try:
            private_folder(self.file.parent)
            with locked(self._lock):
                yield self._read()
        except OSError as error:
            raise VaultKeyWrong(
                f"the vault can't be written: {error.strerror or error}", f"Nothing was changed in {self.file}."
            ) from error

    def _read(self) -> dict[str, VaultEntry]:
        sealed = self._sealed()
        return {} if sealed is None else decode(self._encryptor.unseal(sealed))

    def _sealed(self) -> dict[str, Any] | None:
        """Return the encrypted content, or None if nothing was ever stored."""
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
                f"the vault is damaged: {self.file} is not a vault file",
                "Restore it from a backup, or remove it and store its secrets again.",
            ) from None
        return sealed

    def _write(self, entries: VaultEntries) -> None:
        sealed = self._encryptor.seal(encode(entries), self._source())
        write_private(self.file, json.dumps({"version": 1, "sealed": sealed}, indent=1) + "\n")

    def _source(self) -> KeySource:
        """Return the location of the key for new content. Raises `ConfigurationError` if there is no keyring but it was
        chosen."""
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
            return self._encryptor.source_of(sealed)
        return "keyring" if has_keyring() else "file"


def _not_found(entries: VaultEntries, name: str) -> SecretNotFound:
    entry, dot, _ = name.partition(".")
    if not dot and entry in entries:
        return SecretNotFound(
            f"{quoted(name)} is an entry of the vault, and names no field of it",
            f"Name one: {_join_names(_names(entries, entry))}.",
        )
    names = _names(entries)
    hint = (
        f"It has {_join_names(names)}."
        if names
        else "It is empty: only the user can store something, oryn vault set NAME."
    )
    return SecretNotFound(f"the vault has no {quoted(name[:60])}", hint)


def _names(entries: VaultEntries, only: str | None = None) -> list[str]:
    return [f"{entry}.{key}" for entry, each in entries.items() if only in (None, entry) for key in sorted(each.fields)]


def _join_names(names: Sequence[str]) -> str:
    more = f" and {len(names) - MAX_LISTED_NAMES} more" if len(names) > MAX_LISTED_NAMES else ""
    return ", ".join(names[:MAX_LISTED_NAMES]) + more
