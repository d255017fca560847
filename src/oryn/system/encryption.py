"""Encryption of saved states and of the vault (extra `encryption`).

The secret is a passphrase from the environment, a key stored in the system's keyring, or one in a file. The cipher is
AES-256-GCM with a new key for each file, derived by scrypt (RFC 7914) from the secret and a salt. A wrong key and any
change to the file are therefore detected. The secret is read when it is needed, never stored, and never part of a
message."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from oryn.errors import OrynError, StateKeyWrong
from oryn.system.optional_dependencies import install_hint
from oryn.system.paths import write_private

KEYRING_SERVICE = "oryn"

_CIPHER = "AES-256-GCM"
_SCRYPT_COST = 2**15
_SCRYPT_MEMORY_BYTES = 64 * 2**20
_INSTALL = install_hint("encryption")

KeySource = Literal["environment", "keyring", "file"]


@dataclass(frozen=True, slots=True)
class EncryptedContentType:
    """A kind of encrypted content: its name in messages, where its keys may be, and the class of its errors."""

    thing: str
    """The name of the content in messages: `the state`."""
    key: str
    """The name of its key in messages: `the key of states`."""
    again: str
    """The hint for a file that can't be used."""
    purpose: bytes
    """Authenticated with each file, so that a file of another kind is rejected."""
    variable: str
    keyring_name: str
    error: type[OrynError]
    unlock: str
    """The hint if the keyring does not answer."""


STATE_PROFILE = EncryptedContentType(
    "the state",
    "the key of states",
    "Save the state again.",
    b"oryn state 1",
    "ORYN_STATE_KEY",
    "saved states",
    StateKeyWrong,
    "Unlock it, or use ORYN_STATE_KEY with --state-encryption environment.",
)


class Encryptor:
    """Encrypts and decrypts content of one kind. `key_file` is the file of its key, for the source `file`."""

    def __init__(
        self, kind: EncryptedContentType, environment: Mapping[str, str] = os.environ, key_file: Path | None = None
    ) -> None:
        self.kind = kind
        self._environment = environment
        self._key_file = key_file

    def seal(self, content: bytes, source: KeySource) -> dict[str, Any]:
        """Encrypt `content`; the result is JSON data. If the keyring or the file has no key yet, one is created
        there."""
        cipher = self._cipher()
        salt, nonce = os.urandom(16), os.urandom(12)
        key = _derive_key(self._secret(source, make=True), salt)
        data = cipher(key).encrypt(nonce, content, self.kind.purpose)
        return {"cipher": _CIPHER, "key": source, "salt": _base64(salt), "nonce": _base64(nonce), "data": _base64(data)}

    def unseal(self, sealed: Mapping[str, Any]) -> bytes:
        """Decrypt content, with the key that `sealed` names. Raises the profile's `error`."""
        cipher = self._cipher()
        from cryptography.exceptions import InvalidTag

        kind, source = self.kind, self.source_of(sealed)
        salt, nonce, data = (self._decode_base64(sealed.get(name)) for name in ("salt", "nonce", "data"))
        try:
            content: bytes = cipher(_derive_key(self._secret(source), salt)).decrypt(nonce, data, kind.purpose)
        except (InvalidTag, ValueError):
            raise kind.error(
                f"{kind.thing} can't be decrypted: its key is another one, or the file was changed",
                f"Nothing was changed. Give the key that it was saved with ({self._source_name(source)}).",
            ) from None
        return content

    def source_of(self, sealed: Mapping[str, Any]) -> KeySource:
        """The source of the key for encrypted content. Raises the profile's `error` if the content names an unknown
        one."""
        source: Any = sealed.get("key")
        configured = source in ("environment", "keyring") or (source == "file" and self._key_file is not None)
        if sealed.get("cipher") != _CIPHER or not configured:
            raise self.kind.error(
                f"{self.kind.thing} is encrypted in a way that this Oryn does not know", self.kind.again
            )
        found: KeySource = source
        return found

    # --- the secret ---

    def _secret(self, source: KeySource, *, make: bool = False) -> str:
        if source == "keyring":
            return self._from_keyring(make)
        if source == "file":
            return self._from_file(make)
        if secret := self._environment.get(self.kind.variable):
            return secret
        raise self.kind.error(
            f"the environment variable {self.kind.variable} is not set", f"Set it to {self.kind.key}."
        )

    def _from_keyring(self, make: bool) -> str:
        kind = self.kind
        try:
            import keyring
            from keyring.errors import KeyringError
        except ImportError as error:
            raise kind.error(f"{kind.key} can't be read: the package keyring is not installed", _INSTALL) from error
        try:
            secret = keyring.get_password(KEYRING_SERVICE, kind.keyring_name)
            if secret is None and make:
                secret = _new_secret()
                keyring.set_password(KEYRING_SERVICE, kind.keyring_name, secret)
        except KeyringError as error:
            raise kind.error(f"the system's keyring does not answer ({type(error).__name__})", kind.unlock) from error
        if secret is None:
            missing = kind.key.removeprefix("the ")
            raise kind.error(f"the system's keyring has no {missing}", f"It had the key when {kind.thing} was saved.")
        return secret

    def _from_file(self, make: bool) -> str:
        file = self._key_file
        assert file is not None
        try:
            return file.read_text("ascii").strip()
        except FileNotFoundError:
            if not make:
                hint = f"Restore it from a backup: without it, {self.kind.thing} can't be opened."
                raise self.kind.error(f"{file} is missing: it contains {self.kind.key}", hint) from None
        except (OSError, ValueError) as error:
            hint = "Make it readable, or restore it from a backup."
            raise self.kind.error(f"{file} can't be read: it contains {self.kind.key}", hint) from error
        secret = _new_secret()
        write_private(file, f"{secret}\n")
        return secret

    def _source_name(self, source: KeySource) -> str:
        return {
            "environment": self.kind.variable,
            "keyring": "the system's keyring",
            "file": str(self._key_file),
        }[source]

    # --- format ---

    def _cipher(self) -> Any:
        try:
            from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        except ImportError as error:
            raise self.kind.error(f"{self.kind.thing} can't be encrypted or decrypted here", _INSTALL) from error
        return AESGCM

    def _decode_base64(self, value: Any) -> bytes:
        try:
            return base64.b64decode(value, validate=True)
        except (TypeError, ValueError):
            raise self.kind.error(
                f"{self.kind.thing} is damaged: the encrypted part is not base64", self.kind.again
            ) from None


class StateEncryptor:
    """Encrypts saved states; implements `oryn.engine.state.state_file.StateEncryption`.

    `source` is where the key for new states is; with None they are saved unencrypted. An encrypted file names the
    source of its own key."""

    def __init__(
        self, source: Literal["environment", "keyring"] | None, environment: Mapping[str, str] = os.environ
    ) -> None:
        self._source = source
        self._encryptor = Encryptor(STATE_PROFILE, environment)

    @property
    def on(self) -> bool:
        return self._source is not None

    async def seal(self, content: bytes) -> dict[str, Any]:
        assert self._source is not None
        # A keyring may prompt its owner, and deriving a key is slow on purpose.
        return await asyncio.to_thread(self._encryptor.seal, content, self._source)

    async def unseal(self, sealed: dict[str, Any]) -> bytes:
        return await asyncio.to_thread(self._encryptor.unseal, sealed)


def _new_secret() -> str:
    return base64.urlsafe_b64encode(os.urandom(32)).decode()


def _derive_key(secret: str, salt: bytes) -> bytes:
    return hashlib.scrypt(secret.encode(), salt=salt, n=_SCRYPT_COST, r=8, p=1, maxmem=_SCRYPT_MEMORY_BYTES, dklen=32)


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
