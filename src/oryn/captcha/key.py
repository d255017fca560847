"""The user's key at the service: the setting itself, or the value of the vault that it names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.engine.secrets import origin_of
from oryn.errors import SecretNotAllowed
from oryn.language import VAULT_REFERENCE
from oryn.language.command import of_entry

if TYPE_CHECKING:
    from oryn.engine.secrets import Vault


async def key_of(text: str, vault: Vault, address: str) -> str:
    """Raises `SecretNotFound`, `VaultKeyWrong`; `SecretNotAllowed` for a value that is bound to other origins."""
    found = VAULT_REFERENCE.fullmatch(of_entry(text.strip(), "password"))
    if found is None:
        return text
    secret = await vault.secret(found[1])
    if secret.origins and origin_of(address) not in secret.origins:
        raise SecretNotAllowed(
            f"{secret.name} of the vault is not for the service at {origin_of(address)}: nothing was sent",
            f"It may go to {', '.join(secret.origins)}.",
        )
    return secret.value
