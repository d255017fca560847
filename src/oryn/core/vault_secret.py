"""A secret of the vault, and the interface by which sessions read it. `oryn.vault` stores secrets, `oryn.engine` fills
them in and masks them; neither imports the other."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from oryn.core.records import Record, field

MIN_MASKED_CHARACTERS = 4
"""Minimum length of a masked value, in characters. A shorter value would match in every other word of a page. Only a
user's name (`VaultSecret.is_name`) may be shorter, and is not masked then."""
DEFAULT_SECONDS = 30.0
"""How long a value may take that no command waits for."""

_NAMES = (".user", "/username", "/user", "#user", "#username", "#login")


class SecretBinding(Record):
    """The name of a secret, and the origins that it may be sent to; if they are empty, all origins."""

    name: str
    origins: tuple[str, ...] = ()


class VaultSecret(Record):
    """One value of the vault. It may only be sent to `origins`; if it is empty, to all origins."""

    name: str
    value: str
    origins: tuple[str, ...] = ()
    is_code: bool = False
    """Whether the value is a code for one login, which no picture may show either."""

    @property
    def binding(self) -> SecretBinding:
        return SecretBinding(self.name, self.origins)

    @property
    def is_name(self) -> bool:
        """Whether it is a user's name, which may be short, and part of other words."""
        return self.name.lower().endswith(_NAMES)

    def __repr__(self) -> str:
        return f"Secret({self.name!r})"


def _permit_all(binding: SecretBinding) -> None:
    """Permit every secret."""


class SecretRequest(Record):
    """What the vault needs to know of the command that wants a value."""

    permit: Callable[[SecretBinding], None] = _permit_all
    """Raises an error if the secret may not be used. Called before anything is computed, read or waited for."""
    since: float = field(factory=time.time)
    """Unix time: messages that came before it have no code for this command."""
    remaining: Callable[[], float] = lambda: DEFAULT_SECONDS
    """Returns how many seconds the value may still take."""
    prolong: Callable[[float], None] = lambda seconds: None
    """Gives the command that many more seconds, for a wait that it can't avoid."""


class SecretVault(Protocol):
    """Stores values: `oryn.vault`. The host provides it."""

    async def secret(self, name: str, request: SecretRequest | None = None) -> VaultSecret:
        """Return the value of this name. A code is computed or waited for, and is never returned again.

        Raises `SecretNotFound`, `VaultKeyWrong`; `SecretSourceFailed` if a password manager or a mail server does not
        give it; `Timeout`; and the errors of `request.permit`."""

    async def values_to_mask(self, name: str) -> tuple[VaultSecret, ...]:
        """Return the values that a session may have been given under this name, without using up a code. Raises the
        errors of `secret`."""


class FilledText(Record):
    """A text with its references filled in, for a document of the page."""

    text: str
    origin: str | None = None
    """The only origin that the document may have; None if no value is bound to an origin."""
    is_code: bool = False
    """Whether a code for one login is in it."""

    def __repr__(self) -> str:
        return f"Filled({self.origin!r})"
