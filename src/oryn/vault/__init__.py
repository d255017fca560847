"""Named secrets, stored encrypted: an agent can use them without ever seeing them (docs/vault.md)."""

from __future__ import annotations

from oryn.vault.entries import SecretValue, VaultContent, VaultEntries, VaultEntry, split_name
from oryn.vault.inventory import SecretListing
from oryn.vault.vault import Vault

__all__ = ["SecretListing", "SecretValue", "Vault", "VaultContent", "VaultEntries", "VaultEntry", "split_name"]
