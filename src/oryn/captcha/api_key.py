"""Resolves the user's key at a service: the setting itself, or the value of the vault that it references."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.core.urls import origin_of
from oryn.errors import SecretNotAllowed
from oryn.language import VAULT_REFERENCE
from oryn.language.command import with_vault_field

if TYPE_CHECKING:
    from oryn.core.vault_secret import SecretVault


async def resolve_api_key(text: str, vault: SecretVault, address: str) -> str:
    """Return the key: `text` itself, or the value of the vault that it references. `address` is the URL of the service.

    Raises `SecretNotFound`, `VaultKeyWrong`; `SecretNotAllowed` if the value is bound to other origins."""
    found = VAULT_REFERENCE.fullmatch(with_vault_field(text.strip(), "password"))
    if found is None:
        return text
    secret = await vault.secret(found[1])
    if secret.origins and origin_of(address) not in secret.origins:
        raise SecretNotAllowed(
            f"{secret.name} of the vault is not for the service at {origin_of(address)}: nothing was sent",
            f"It may go to {', '.join(secret.origins)}.",
        )
    return secret.value
