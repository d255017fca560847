"""Solving captchas with a service that the user has chosen (docs/login.md)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from oryn.captcha.api_key import resolve_api_key
from oryn.captcha.solver import CaptchaServiceSolver, service_url

if TYPE_CHECKING:
    from oryn.core.vault_secret import SecretVault

__all__ = ["CaptchaServiceSolver", "create_solver"]


def create_solver(service: str, key: str, vault: SecretVault) -> CaptchaServiceSolver:
    """Return the solver that the settings describe; `key` may reference a value of the vault."""
    return CaptchaServiceSolver(service, partial(resolve_api_key, key, vault, service_url(service)))
