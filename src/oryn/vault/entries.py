"""The entries of a vault, and their form as JSON. Pure.

{"version": 1, "entries": {"shop": {"origins": ["https://shop.example"],
                                    "fields": {"password": {"value": "…", "set": "2026-11-22T09:30:00Z"}}}}}"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from oryn.core.vault_secret import MIN_MASKED_CHARACTERS, VaultSecret
from oryn.errors import InvalidValue, VaultKeyWrong

VERSION = 1
MAX_VALUE_CHARACTERS = 4096
"""Maximum length of a value, in characters."""
_PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,63}")


@dataclass(frozen=True, slots=True)
class SecretValue:
    """One secret; `set` is when it was stored, in UTC, ISO 8601."""

    value: str = field(repr=False)
    set: str


@dataclass(frozen=True, slots=True)
class VaultEntry:
    """The secrets of one account. They may only be sent to `origins`; if it is empty, they may be sent anywhere."""

    fields: Mapping[str, SecretValue] = field(default_factory=dict)
    origins: tuple[str, ...] = ()


VaultEntries = Mapping[str, VaultEntry]


def split_name(name: str) -> tuple[str, str]:
    """Split the name of a secret: `shop.password` → `("shop", "password")`. Raises `InvalidValue`."""
    entry, dot, key = name.partition(".")
    if not dot or not _PART.fullmatch(entry) or not _PART.fullmatch(key):
        raise InvalidValue(
            f"not the name of a secret: {name[:60]!r}",
            "An entry and a field with a dot between them, such as shop.password: letters, digits, _ and -.",
        )
    return entry, key


def with_value(entries: VaultEntries, name: str, value: SecretValue, origins: tuple[str, ...]) -> VaultEntries:
    """Return the entries with one more secret. `origins` replace those of its entry, unless they are empty. Raises
    `InvalidValue` if the name or the value is invalid."""
    entry, key = split_name(name)
    _check(VaultSecret(name, value.value))
    old = entries.get(entry, VaultEntry())
    new = replace(old, fields={**old.fields, key: value}, origins=origins or old.origins)
    return {**entries, entry: new}


def _check(secret: VaultSecret) -> None:
    length = len(secret.value)
    if not length:
        raise InvalidValue("the value is empty", "Nothing was stored.")
    if length > MAX_VALUE_CHARACTERS:
        raise InvalidValue(f"the value is longer than {MAX_VALUE_CHARACTERS} characters", "Nothing was stored.")
    if length < MIN_MASKED_CHARACTERS and not secret.is_name:
        raise InvalidValue(
            f"the value is shorter than {MIN_MASKED_CHARACTERS} characters: "
            "it could not be masked where a page shows it",
            "Nothing was stored. Only a field called user may be so short.",
        )


def without(entries: VaultEntries, name: str) -> VaultEntries | None:
    """Return the entries without a secret, or without an entry if `name` has no dot. None if there is no such secret or
    entry."""
    entry, _, key = name.partition(".")
    found = entries.get(entry)
    if found is None or (key and key not in found.fields):
        return None
    left = {each: value for each, value in found.fields.items() if key and each != key}
    rest = {each: value for each, value in entries.items() if each != entry}
    return {**rest, entry: replace(found, fields=left)} if left else rest


# --- JSON ---


def encode(entries: VaultEntries) -> bytes:
    """Encode the content of a vault, sorted by name."""
    data = {
        name: {
            "origins": list(entry.origins),
            "fields": {key: {"value": each.value, "set": each.set} for key, each in entry.fields.items()},
        }
        for name, entry in sorted(entries.items())
    }
    return json.dumps({"version": VERSION, "entries": data}).encode()


def decode(content: bytes) -> dict[str, VaultEntry]:
    """Decode the bytes that `encode` returned. Raises `VaultKeyWrong` if they are invalid."""
    try:
        data = json.loads(content)
        if data["version"] != VERSION:
            raise VaultKeyWrong(
                f"the vault has version {str(data['version'])[:20]}, and this Oryn reads version {VERSION}",
                "Use the Oryn that wrote it.",
            )
        return {name: _entry(each) for name, each in data["entries"].items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        raise VaultKeyWrong("the vault is damaged: it contains something else", "Store its secrets again.") from None


def _entry(data: Mapping[str, Any]) -> VaultEntry:
    fields = {key: SecretValue(str(each["value"]), str(each["set"])) for key, each in data["fields"].items()}
    return VaultEntry(fields, tuple(map(str, data["origins"])))
