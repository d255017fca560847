"""Named secrets, kept encrypted: what an agent may use without ever seeing it (docs/vault.md)."""

from __future__ import annotations

from oryn.vault.entries import Entries, Entry, Value, split_name
from oryn.vault.vault import Listed, Vault

__all__ = ["Entries", "Entry", "Listed", "Value", "Vault", "split_name"]
