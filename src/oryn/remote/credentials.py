"""What a server can prove itself with: the keys that it keeps, and the code that its user has given it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from oryn.errors import ConfigurationError, PairingFailed, PairingRequired
from oryn.records import Record
from oryn.remote.keys import Keys
from oryn.remote.messages import Paired, Registration
from oryn.remote.pairing import WrongPairings, read_code

log = logging.getLogger(__name__)


class Secret(Record):
    """What both ends know. `key` names it where it is a kept one; else it is a code."""

    text: str
    key: str | None

    def __repr__(self) -> str:
        return f"Secret(key={self.key!r})"


class Credentials:
    """Those of one server, for all its connections. `clock` tells the time in seconds."""

    def __init__(self, keys: Keys, code: str | None = None, clock: Callable[[], float] = time.time) -> None:
        self.keys = keys
        self._clock = clock
        self._wrong = WrongPairings()
        self._code: str | None = None
        self.port: int | None = None
        """Where the server listens."""
        if code is not None:
            self.give(code)

    @property
    def has_code(self) -> bool:
        return self._code is not None

    def give(self, code: str) -> None:
        """The code that the extension shows, for the next one that comes without a key; one before it is forgotten.
        Raises `InvalidValue`."""
        self._code = read_code(code)

    def secret_for(self, registration: Registration) -> Secret:
        """What to prove with. A code is spent by this. Raises `PairingRequired` where there is nothing, and
        `PairingFailed` where too many have tried codes: keys can't be guessed, and whoever has one is not kept out."""
        if registration.nonce is None:
            raise PairingRequired
        if registration.key is not None:
            kept = self.keys.find(registration.key, self.port)
            if kept is None:
                raise PairingRequired
            return Secret(kept.secret, kept.id)
        if self._code is not None and not self._wrong.allows(self._clock()):
            raise PairingFailed(hint="Too many pairings have failed: wait a minute.")
        code, self._code = self._code, None
        if code is None:
            raise PairingRequired
        return Secret(code, None)

    def failed(self) -> None:
        """A proof was wrong, on either end."""
        self._wrong.note(self._clock())

    def proved(self, secret: Secret, told: Paired, browser: str) -> str | None:
        """An extension has proved that it knows the secret; the id of the key that both have from now on. A file that
        can't be written costs the next connection its key, not this one."""
        try:
            if secret.key is not None:
                self.keys.used(secret.key, browser)
                return secret.key
            if told.key is not None and told.secret is not None:
                self.keys.keep(told.key, told.secret, browser, self.port)
                return told.key
        except ConfigurationError as error:
            log.warning("the pairing is not kept: %s", error)
        return secret.key
