"""Named secrets, stored encrypted: an agent can use them without ever seeing them (docs/vault.md)."""

from __future__ import annotations

from oryn.vault.entries import SecretValue, VaultEntries, VaultEntry, split_name
from oryn.vault.vault import SecretListing, Vault

__all__ = ["SecretListing", "SecretValue", "Vault", "VaultEntries", "VaultEntry", "split_name"]
