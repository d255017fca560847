"""A secret of the vault, and the interface by which sessions read it. `oryn.vault` stores secrets, `oryn.engine` fills
them in and masks them; neither imports the other."""

from __future__ import annotations

from typing import Protocol

from oryn.core.records import Record

MIN_MASKED_CHARACTERS = 4
"""Minimum length of a masked value, in characters. A shorter value would match in every other word of a page. Only a
user's name (`VaultSecret.is_name`) may be shorter, and is not masked then."""


class VaultSecret(Record):
    """One value of the vault. It may only be sent to `origins`; if it is empty, to all origins."""

    name: str
    value: str
    origins: tuple[str, ...] = ()

    @property
    def is_name(self) -> bool:
        """Whether it is a user's name, which may be short, and part of other words."""
        return self.name.endswith(".user")

    def __repr__(self) -> str:
        return f"Secret({self.name!r})"


class SecretVault(Protocol):
    """Stores values: `oryn.vault`. The host provides it."""

    async def secret(self, name: str) -> VaultSecret:
        """Return the value of this name. Raises `SecretNotFound`, `VaultKeyWrong`."""


class FilledText(Record):
    """A text with its references filled in, for a document of the page."""

    text: str
    origin: str | None = None
    """The only origin that the document may have; None if no value is bound to an origin."""

    def __repr__(self) -> str:
        return f"Filled({self.origin!r})"
