"""The file of the vault: encrypted as a whole, written as a whole, by one writer at a time.

If the system has a keyring that stores secrets, it holds the file's key, not the values. Some systems limit the size of
a value (Windows: 2,560 bytes), and no keyring can list its names."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from oryn.errors import ConfigurationError, VaultKeyWrong
from oryn.system.encryption import EncryptedContentType, Encryptor, KeySource
from oryn.system.locks import locked
from oryn.system.paths import private_folder, write_private
from oryn.vault.entries import VaultContent, decode, encode

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


class VaultChange:
    """A change of the vault: it begins with the present content, and `content` is what it becomes."""

    def __init__(self, content: VaultContent) -> None:
        self.content = content


class VaultFile:
    """The encrypted file of one user's vault.

    `use` selects the location of the key for new content: `keyring`, `file` (a passphrase in `ORYN_VAULT_KEY`, else a
    key file), or `auto`. `auto` is the first available of the passphrase, the present location, the keyring, and the
    key file. An encrypted file records the location of its own key.

    All methods raise `VaultKeyWrong` if the vault can't be opened. They block: a keyring may prompt the user, and
    deriving a key is slow on purpose."""

    def __init__(self, paths: Paths, use: VaultUse = "auto", environment: Mapping[str, str] = os.environ) -> None:
        self.path = paths.data / "vault.json"
        self._lock = paths.data / "vault.lock"
        self._use = use
        self._environment = environment
        self._encryptor = Encryptor(_KIND, environment, paths.config / "vault.key")

    def read(self) -> VaultContent:
        """Return the content; without a file it is empty."""
        sealed = self._sealed()
        return VaultContent() if sealed is None else decode(self._encryptor.unseal(sealed))

    @contextmanager
    def changing(self) -> Iterator[VaultChange]:
        """Change the content: what the block sets is written at its end, unless it raises an error. No other process
        writes meanwhile."""
        try:
            private_folder(self.path.parent)
            with locked(self._lock):
                change = VaultChange(before := self.read())
                yield change
                if change.content is not before:
                    self._write(change.content)
        except OSError as error:
            raise VaultKeyWrong(
                f"the vault can't be written: {error.strerror or error}", f"Nothing was changed in {self.path}."
            ) from error

    def _sealed(self) -> dict[str, Any] | None:
        """Return the encrypted content, or None if nothing was ever stored."""
        try:
            data = json.loads(self.path.read_bytes())
            sealed: dict[str, Any] = data["sealed"]
            sealed.keys()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise VaultKeyWrong(f"{self.path} can't be read: {error.strerror}", "Check who may read it.") from error
        except (ValueError, KeyError, TypeError, AttributeError):
            raise VaultKeyWrong(
                f"the vault is damaged: {self.path} is not a vault file",
                "Restore it from a backup, or remove it and store its secrets again.",
            ) from None
        return sealed

    def _write(self, content: VaultContent) -> None:
        sealed = self._encryptor.seal(encode(content), self._source())
        write_private(self.path, json.dumps({"version": 1, "sealed": sealed}, indent=1) + "\n")

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
