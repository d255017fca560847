"""The credentials of a server: its saved keys, and the pairing code that its user has entered."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from oryn.core.records import Record
from oryn.errors import ConfigurationError, PairingFailed, PairingRequired
from oryn.extension_server.keys import KeyStore
from oryn.extension_server.messages import ExtensionRegistration, Paired
from oryn.extension_server.pairing import PairingRateLimit, read_code

log = logging.getLogger(__name__)


class PairingSecret(Record):
    """The secret that both ends prove to know: that of a saved key, by the id `key`, or else a code."""

    text: str
    key: str | None

    def __repr__(self) -> str:
        return f"PairingSecret(key={self.key!r})"  # never the text: it might be logged


class ServerCredentials:
    """The credentials of one server, for all its connections."""

    def __init__(self, keys: KeyStore, code: str | None = None, clock: Callable[[], float] = time.time) -> None:
        """`clock` returns the time in epoch seconds. Raises `InvalidValue` for a malformed `code`."""
        self.keys = keys
        self._clock = clock
        self._wrong = PairingRateLimit()
        self._code: str | None = None
        self.port: int | None = None
        """The port on which the server listens."""
        if code is not None:
            self.set_code(code)

    @property
    def has_code(self) -> bool:
        """Whether a code is set and unused."""
        return self._code is not None

    def set_code(self, code: str) -> None:
        """Set the code that the extension displays, for the next registration without a key. It replaces an earlier
        one. Raises `InvalidValue`."""
        self._code = read_code(code)

    def secret_for(self, registration: ExtensionRegistration) -> PairingSecret:
        """The secret for a registration; a code can be used only once. Raises `PairingRequired` if there is none, and
        `PairingFailed` after too many wrong codes. Keys can't be guessed, so they are not limited."""
        if registration.nonce is None:
            raise PairingRequired
        if registration.key is not None:
            key = self.keys.find(registration.key, self.port)
            if key is None:
                raise PairingRequired
            return PairingSecret(key.secret, key.id)
        if self._code is not None and not self._wrong.allows(self._clock()):
            raise PairingFailed(hint="Too many pairings have failed: wait a minute.")
        code, self._code = self._code, None
        if code is None:
            raise PairingRequired
        return PairingSecret(code, None)

    def note_failure(self) -> None:
        """Count a wrong proof, of either end."""
        self._wrong.note(self._clock())

    def confirm_pairing(self, secret: PairingSecret, paired: Paired, browser: str) -> str | None:
        """An extension has proved that it knows the secret: save its key; the id of it, or None without a key. If the
        file can't be written, this connection goes on, but the next one needs a code."""
        try:
            if secret.key is not None:
                self.keys.mark_used(secret.key, browser)
                return secret.key
            if paired.key is not None and paired.secret is not None:
                self.keys.save(paired.key, paired.secret, browser, self.port)
                return paired.key
        except ConfigurationError as error:
            log.warning("the pairing is not saved: %s", error)
        return secret.key
