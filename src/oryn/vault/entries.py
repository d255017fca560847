"""What a vault holds, and its form as JSON. Pure.

{"version": 1, "entries": {"shop": {"origins": ["https://shop.example"],
                                    "fields": {"password": {"value": "…", "set": "2026-11-22T09:30:00Z"}}}}}
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from oryn.engine.secrets import SHORTEST_MASKED, Secret
from oryn.errors import InvalidValue, VaultKeyWrong

VERSION = 1
LONGEST = 4096
"""Characters of a value."""
_PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,63}")


@dataclass(frozen=True, slots=True)
class Value:
    """One secret; `set` is when it was stored, in UTC, ISO 8601."""

    value: str = field(repr=False)
    set: str


@dataclass(frozen=True, slots=True)
class Entry:
    """What belongs together: the secrets of one account. `origins` are the only ones that they may go to; none means
    that they may go anywhere."""

    fields: Mapping[str, Value] = field(default_factory=dict)
    origins: tuple[str, ...] = ()


Entries = Mapping[str, Entry]


def split_name(name: str) -> tuple[str, str]:
    """`shop.password` → `("shop", "password")`. Raises `InvalidValue`."""
    entry, dot, key = name.partition(".")
    if not dot or not _PART.fullmatch(entry) or not _PART.fullmatch(key):
        raise InvalidValue(
            f"not the name of a secret: {name[:60]!r}",
            "An entry and a field with a dot between them, such as shop.password: letters, digits, _ and -.",
        )
    return entry, key


def with_value(entries: Entries, name: str, value: Value, origins: tuple[str, ...]) -> Entries:
    """The entries with one more secret. `origins` replace those of its entry, where there are any. Raises
    `InvalidValue`."""
    entry, key = split_name(name)
    _check(Secret(name, value.value))
    old = entries.get(entry, Entry())
    new = replace(old, fields={**old.fields, key: value}, origins=origins or old.origins)
    return {**entries, entry: new}


def _check(secret: Secret) -> None:
    length = len(secret.value)
    if not length:
        raise InvalidValue("the value is empty", "Nothing was stored.")
    if length > LONGEST:
        raise InvalidValue(f"the value is longer than {LONGEST} characters", "Nothing was stored.")
    if length < SHORTEST_MASKED and not secret.is_name:
        raise InvalidValue(
            f"the value is shorter than {SHORTEST_MASKED} characters: it could not be masked where a page shows it",
            "Nothing was stored. Only a field called user may be so short.",
        )


def without(entries: Entries, name: str) -> Entries | None:
    """The entries without a secret, or without an entry where `name` has no dot; None where there is no such."""
    entry, _, key = name.partition(".")
    found = entries.get(entry)
    if found is None or (key and key not in found.fields):
        return None
    left = {each: value for each, value in found.fields.items() if key and each != key}
    rest = {each: value for each, value in entries.items() if each != entry}
    return {**rest, entry: replace(found, fields=left)} if left else rest


# --- JSON ---


def encode(entries: Entries) -> bytes:
    data = {
        name: {
            "origins": list(entry.origins),
            "fields": {key: {"value": each.value, "set": each.set} for key, each in entry.fields.items()},
        }
        for name, entry in sorted(entries.items())
    }
    return json.dumps({"version": VERSION, "entries": data}).encode()


def decode(content: bytes) -> dict[str, Entry]:
    """Raises `VaultKeyWrong` for what `encode` has not made."""
    try:
        data = json.loads(content)
        if data["version"] != VERSION:
            raise VaultKeyWrong(
                f"the vault has version {str(data['version'])[:20]}, and this Oryn reads version {VERSION}",
                "Use the Oryn that wrote it.",
            )
        return {name: _entry(each) for name, each in data["entries"].items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        raise VaultKeyWrong("the vault is damaged: it holds something else", "Store its secrets again.") from None


def _entry(data: Mapping[str, Any]) -> Entry:
    fields = {key: Value(str(each["value"]), str(each["set"])) for key, each in data["fields"].items()}
    return Entry(fields, tuple(map(str, data["origins"])))
