"""Pairing codes, nonces and proofs by which a server and an extension authenticate each other
(docs/spec/extension-protocol.md#pairing-and-handshake).

The extension displays a code, its user enters it at the server, and each proves to the other that it has it; then both
save a random key for the next time. Pure: the time is an argument, in seconds of the epoch."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import string
from collections.abc import Mapping
from typing import Any, Self

from oryn.core.records import Record
from oryn.errors import InvalidValue

CODE_LENGTH = 6
CODE_SECONDS = 300.0
"""Lifetime of a code."""
MAX_TRIES = 5
"""Wrong proofs after which a code is invalid; failed pairings that a server allows in a minute."""
MINUTE = 60.0

_ALPHABET = string.ascii_uppercase + string.digits


def new_code() -> str:
    """A random pairing code."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(CODE_LENGTH))


def read_code(text: str) -> str:
    """Parse a code that a person has typed: lower case, blanks and hyphens are allowed. Raises `InvalidValue`."""
    code = re.sub(r"[\s-]", "", text).upper()
    if len(code) != CODE_LENGTH or not set(code) <= set(_ALPHABET):
        raise InvalidValue("a pairing code has six letters and digits", "The extension's popup shows it.")
    return code


def new_nonce() -> str:
    """A random nonce of 32 hexadecimal digits."""
    return secrets.token_hex(16)


def server_proof(secret: str, nonce: str) -> str:
    """The server's answer to the extension's nonce. The secret is a code, or that of a key."""
    return _digest(secret, nonce)


def extension_proof(secret: str, nonce: str) -> str:
    """The extension's answer to the server's nonce; it always differs from a server's proof."""
    return _digest(secret, f"extension {nonce}")


def _digest(secret: str, message: str) -> str:
    return hmac.new(secret.encode(), message.encode("ascii"), hashlib.sha256).hexdigest()


def constant_time_equal(received: str | None, proof: str) -> bool:
    """Compare a received proof with the expected one, in a time that does not depend on where they differ."""
    return received is not None and hmac.compare_digest(received.encode("utf-8", "replace"), proof.encode())


class PairingKey(Record):
    """The key that both ends save after pairing. `id` names it in a registration; `secret` is never sent again."""

    id: str
    secret: str

    @classmethod
    def new(cls) -> PairingKey:
        """A random key."""
        return cls(secrets.token_hex(4), secrets.token_hex(32))


class PairingOffer(Record, frozen=False):
    """A code that the extension displays: valid for `CODE_SECONDS`, one use and `MAX_TRIES` wrong proofs."""

    code: str
    expires: float
    tries: int = MAX_TRIES

    @classmethod
    def new(cls, now: float) -> Self:
        """A new code; `now` is in epoch seconds."""
        return cls(new_code(), now + CODE_SECONDS)

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Self:
        """Restore an offer from the result of `data`, after a restart of the extension's worker."""
        return cls(str(data["code"]), float(data["expires"]), int(data["tries"]))

    def data(self) -> dict[str, Any]:
        """The offer as JSON data."""
        return self.values()

    def is_valid(self, now: float) -> bool:
        """Whether the code can still be used at `now` (epoch seconds)."""
        return self.tries > 0 and now < self.expires

    def accepts(self, proof: str | None, nonce: str, now: float) -> bool:
        """Whether a server has proved at `now` (epoch seconds) that it knows the code, which is used up then; a wrong
        proof uses up a try."""
        right = constant_time_equal(proof, server_proof(self.code, nonce)) and self.is_valid(now)
        self.tries = 0 if right else max(0, self.tries - 1)
        return right


class PairingRateLimit:
    """Limits failed pairings of all clients to `MAX_TRIES` a minute, so that codes can't be guessed."""

    def __init__(self) -> None:
        self._times: list[float] = []

    def allows(self, now: float) -> bool:
        """Whether another attempt is allowed at `now` (epoch seconds)."""
        self._times = [time for time in self._times if now - time < MINUTE]
        return len(self._times) < MAX_TRIES

    def note(self, now: float) -> None:
        """Count a failed pairing at `now` (epoch seconds)."""
        self._times.append(now)
