"""`Greeting`: how the extension and a server get to know each other on one connection (docs/remote-protocol.md). Pure.

With a key that both keep, or with the code that the extension shows: what to send, and what comes of the answer.
"""

from __future__ import annotations

from oryn import PROTOCOL_VERSION
from oryn.records import Record
from oryn.remote.messages import Accepted, Paired, Registration
from oryn.remote.pairing import Key, Offer, extension_proof, matches, new_nonce, server_proof


class Versions(Record):
    """What a registration says of this browser."""

    engine: str
    extension: str
    browser: str


class Greeting:
    """One connection's. `key` is the kept one; without it the `offer` counts. The nonce is for this connection only."""

    def __init__(self, versions: Versions, key: Key | None, offer: Offer | None, *, again: bool) -> None:
        self._versions = versions
        self._key = key
        self._offer = offer
        self._again = again
        self._nonce = new_nonce()

    @property
    def uses_code(self) -> bool:
        return self._key is None

    @property
    def frame(self) -> str:
        """The registration. It may be sent again while the server knows no code yet."""
        return Registration(
            PROTOCOL_VERSION,
            self._versions.engine,
            self._versions.extension,
            self._versions.browser,
            nonce=self._nonce,
            key=self._key.id if self._key else None,
            reconnected=self._again,
        ).frame

    def accepts(self, answer: Accepted, now: float) -> tuple[Paired, Key | None] | None:
        """What to answer a server that has proved who it is, with the new key that it holds, if it does; None for one
        that has not."""
        if self._key is not None:
            secret = self._key.secret
            right = matches(answer.proof, server_proof(secret, self._nonce))
        else:
            secret = self._offer.code if self._offer else ""
            right = self._offer is not None and self._offer.accepts(answer.proof, self._nonce, now)
        if not right:
            return None
        if answer.nonce is None:  # a server that has no proof to ask for keeps no key either
            return Paired(), None
        proof = extension_proof(secret, answer.nonce)
        if self._key is not None:
            return Paired(proof), None
        key = Key.new()
        return Paired(proof, key.id, key.secret), key
