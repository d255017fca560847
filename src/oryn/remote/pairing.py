"""Codes, nonces and proofs: how a server and an extension know each other (docs/remote-protocol.md; DESIGN, Pairing).

The extension shows a code, its user gives it to the server, and each proves to the other that it knows it; then both
keep a random key for the next time. Pure: the time is an argument, in seconds of the epoch.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import string
from collections.abc import Mapping
from typing import Any, Self

from oryn.errors import InvalidValue
from oryn.records import Record

CODE_LENGTH = 6
CODE_SECONDS = 300.0
"""How long a code can be used."""
TRIES = 5
"""Wrong proofs after which a code is void; wrong pairings that a server lets happen in a minute."""
MINUTE = 60.0

_ALPHABET = string.ascii_uppercase + string.digits


def new_code() -> str:
    return "".join(secrets.choice(_ALPHABET) for _ in range(CODE_LENGTH))


def read_code(text: str) -> str:
    """A code as a person may write it, in lower case or with blanks and hyphens in it. Raises `InvalidValue`."""
    code = re.sub(r"[\s-]", "", text).upper()
    if len(code) != CODE_LENGTH or not set(code) <= set(_ALPHABET):
        raise InvalidValue("a pairing code has six letters and digits", "The extension's popup shows it.")
    return code


def new_nonce() -> str:
    return secrets.token_hex(16)


def server_proof(secret: str, nonce: str) -> str:
    """What the server answers the extension's nonce with; the secret is a code, or a key's."""
    return _digest(secret, nonce)


def extension_proof(secret: str, nonce: str) -> str:
    """What the extension answers the server's nonce with. Never what a server's proof would be."""
    return _digest(secret, f"extension {nonce}")


def _digest(secret: str, message: str) -> str:
    return hmac.new(secret.encode(), message.encode("ascii"), hashlib.sha256).hexdigest()


def matches(given: str | None, proof: str) -> bool:
    """Compared in a time that says nothing about where they differ."""
    return given is not None and hmac.compare_digest(given.encode("utf-8", "replace"), proof.encode())


class Key(Record):
    """What both ends keep once they know each other: `id` names it in a registration, `secret` never leaves again."""

    id: str
    secret: str

    @classmethod
    def new(cls) -> Key:
        return cls(secrets.token_hex(4), secrets.token_hex(32))


class Offer(Record, frozen=False):
    """A code that the extension shows: for five minutes, for one use, void after five wrong proofs."""

    code: str
    expires: float
    tries: int = TRIES

    @classmethod
    def new(cls, now: float) -> Self:
        return cls(new_code(), now + CODE_SECONDS)

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Self:
        """What `data` gave, which a restart of the extension's worker outlives."""
        return cls(str(data["code"]), float(data["expires"]), int(data["tries"]))

    def data(self) -> dict[str, Any]:
        return self.values()

    def holds(self, now: float) -> bool:
        """Whether the code can still be used."""
        return self.tries > 0 and now < self.expires

    def accepts(self, proof: str | None, nonce: str, now: float) -> bool:
        """Whether a server has proved that it knows the code, which is spent then; a wrong proof costs a try."""
        right = matches(proof, server_proof(self.code, nonce)) and self.holds(now)
        self.tries = 0 if right else max(0, self.tries - 1)
        return right


class WrongPairings:
    """Counts the pairings that failed: no more than five a minute, from whomever, so that nobody can guess on."""

    def __init__(self) -> None:
        self._times: list[float] = []

    def allows(self, now: float) -> bool:
        """Whether another pairing may be tried."""
        self._times = [time for time in self._times if now - time < MINUTE]
        return len(self._times) < TRIES

    def note(self, now: float) -> None:
        """A pairing has failed."""
        self._times.append(now)
