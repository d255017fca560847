"""Having captchas solved by a service that the user has chosen (docs/login.md)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from oryn.captcha.key import key_of
from oryn.captcha.service import Service
from oryn.captcha.tasks import address_of

if TYPE_CHECKING:
    from oryn.engine.secrets import Vault

__all__ = ["Service", "service_of"]


def service_of(service: str, key: str, vault: Vault) -> Service:
    """The service that the settings describe; `key` may name a value of the vault."""
    return Service(service, partial(key_of, key, vault, address_of(service)))
