"""What the commands of `oryn vault` share: the vault of the settings, and origins as options."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from oryn.errors import InvalidValue
from oryn.settings import Configuration

if TYPE_CHECKING:
    from oryn.vault import Vault


def open_vault(configuration: Configuration) -> Vault:
    """The vault of the settings."""
    from oryn.vault import Vault

    return Vault(configuration.paths, configuration.settings.vault)


def origins_of(texts: Sequence[str]) -> list[str]:
    """Return the origins of URLs. Raises `InvalidValue`."""
    return [_origin(each) for each in texts]


def option_text(origins: Sequence[str]) -> str:
    """The options with which the origins were given."""
    return "".join(f" --origin {each}" for each in origins)


def _origin(text: str) -> str:
    from oryn.core.urls import origin_of
    from oryn.language.kinds.text import complete_url

    origin = origin_of(complete_url(text))
    if origin is None:
        raise InvalidValue(f"{text} has no origin", "Give one such as https://shop.example.")
    return origin
