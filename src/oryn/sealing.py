"""Encryption of saved states (extra `oryn[encryption]`): with a passphrase from the environment, or a key that the
system's keyring keeps.

The cipher is AES-256-GCM with a fresh key for each file, derived by scrypt (RFC 7914) from the secret and a salt: a
file says by itself whether a key is the right one and whether a byte of it was changed. The secret is read when it is
needed, kept nowhere, and named in no message.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import os
from collections.abc import Mapping
from typing import Any, Literal

from oryn.errors import StateKeyWrong

KEY_VARIABLE = "ORYN_STATE_KEY"
KEYRING_SERVICE, KEYRING_NAME = "oryn", "saved states"

_CIPHER = "AES-256-GCM"
_PURPOSE = b"oryn state 1"
_ROUNDS = 2**15
_MEMORY = 64 * 2**20
_INSTALL = "Install the extra: pip install 'oryn[encryption]'."

KeySource = Literal["environment", "keyring"]


class StateSealing:
    """`source` is where the key of states to save is; None saves them as they are. A file says itself where the key is
    that it needs."""

    def __init__(self, source: KeySource | None, environment: Mapping[str, str] = os.environ) -> None:
        self._source = source
        self._environment = environment

    @property
    def on(self) -> bool:
        return self._source is not None

    async def seal(self, content: bytes) -> dict[str, Any]:
        assert self._source is not None
        # A keyring may ask its owner, and deriving a key is slow on purpose.
        return await asyncio.to_thread(self._seal, content, self._source)

    async def unseal(self, sealed: dict[str, Any]) -> bytes:
        return await asyncio.to_thread(self._unseal, sealed)

    def _seal(self, content: bytes, source: KeySource) -> dict[str, Any]:
        cipher = _cipher()
        salt, nonce = os.urandom(16), os.urandom(12)
        key = _derived(self._secret(source, make=True), salt)
        data = cipher(key).encrypt(nonce, content, _PURPOSE)
        return {"cipher": _CIPHER, "key": source, "salt": _text(salt), "nonce": _text(nonce), "data": _text(data)}

    def _unseal(self, sealed: dict[str, Any]) -> bytes:
        cipher = _cipher()
        from cryptography.exceptions import InvalidTag

        source = sealed.get("key")
        if sealed.get("cipher") != _CIPHER or source not in ("environment", "keyring"):
            raise StateKeyWrong("the state is encrypted in a way that this Oryn does not know", "Save the state again.")
        salt, nonce, data = (_bytes(sealed.get(name)) for name in ("salt", "nonce", "data"))
        try:
            content: bytes = cipher(_derived(self._secret(source), salt)).decrypt(nonce, data, _PURPOSE)
        except (InvalidTag, ValueError):
            raise StateKeyWrong(
                "the state can't be decrypted: its key is another one, or the file was changed",
                f"Nothing was changed. Give the key that it was saved with ({_named(source)}).",
            ) from None
        return content

    def _secret(self, source: KeySource, *, make: bool = False) -> str:
        if source == "environment":
            if secret := self._environment.get(KEY_VARIABLE):
                return secret
            raise StateKeyWrong(f"the environment variable {KEY_VARIABLE} is not set", "Set it to the key of states.")
        return _from_keyring(make)


def _from_keyring(make: bool) -> str:
    """The secret of the system's keyring, made there on first use with `make`."""
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError as error:
        raise StateKeyWrong("the system's keyring can't be asked for the key of states", _INSTALL) from error
    try:
        secret = keyring.get_password(KEYRING_SERVICE, KEYRING_NAME)
        if secret is None and make:
            secret = base64.urlsafe_b64encode(os.urandom(32)).decode()
            keyring.set_password(KEYRING_SERVICE, KEYRING_NAME, secret)
    except KeyringError as error:
        raise StateKeyWrong(
            f"the system's keyring does not answer ({type(error).__name__})",
            f"Unlock it, or use {KEY_VARIABLE} with --state-encryption environment.",
        ) from error
    if secret is None:
        raise StateKeyWrong("the system's keyring has no key of states", "Load it where it was saved.")
    return secret


def _named(source: KeySource) -> str:
    return KEY_VARIABLE if source == "environment" else "the system's keyring"


def _derived(secret: str, salt: bytes) -> bytes:
    return hashlib.scrypt(secret.encode(), salt=salt, n=_ROUNDS, r=8, p=1, maxmem=_MEMORY, dklen=32)


def _cipher() -> Any:
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    except ImportError as error:
        raise StateKeyWrong("states can't be encrypted or decrypted here", _INSTALL) from error
    return AESGCM


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _bytes(value: Any) -> bytes:
    try:
        return base64.b64decode(value, validate=True)
    except (TypeError, ValueError):
        raise StateKeyWrong("the state is damaged: what is encrypted is no base64", "Save the state again.") from None
