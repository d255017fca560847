"""The content of a vault, and its form as JSON. Pure.

{"version": 2,
 "entries": {"shop": {"origins": ["https://shop.example"],
                      "fields": {"password": {"value": "…", "set": "2026-11-22T09:30:00Z"},
                                 "totp": {"value": "otpauth://…", "set": "…", "kind": "totp"}}}},
 "records": {"source": {"op://Work/Shop": {"origins": […], "set": "…"}}, "mail": {…}, "use": {…}}}

A version 1 has neither kinds nor records. It is written as long as that suffices: an older Oryn would type the key of a
code into a page."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from oryn.core.vault_secret import MIN_MASKED_CHARACTERS, VaultSecret
from oryn.errors import InvalidValue, VaultKeyWrong

VERSIONS = (1, 2)
MAX_VALUE_CHARACTERS = 4096
"""Maximum length of a value, in characters."""
_PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,63}")

SecretKind = Literal["text", "totp", "mail"]
"""How a value is made of what is stored: it is the text itself, the current code of an otpauth URI, or the code of a
message (`MailCode` as JSON)."""


@dataclass(frozen=True, slots=True)
class SecretValue:
    """One secret; `set` is when it was stored, in UTC, ISO 8601."""

    value: str = field(repr=False)
    set: str
    kind: SecretKind = "text"


@dataclass(frozen=True, slots=True)
class VaultEntry:
    """The secrets of one account. They may only be sent to `origins`; if it is empty, they may be sent anywhere."""

    fields: Mapping[str, SecretValue] = field(default_factory=dict)
    origins: tuple[str, ...] = ()


VaultEntries = Mapping[str, VaultEntry]
Records = Mapping[str, Mapping[str, Any]]
"""What else is kept beside the secrets: JSON objects by name, by section."""


@dataclass(frozen=True, slots=True)
class VaultContent:
    """All that a vault holds. The module that owns a section of `records` says what its objects contain."""

    entries: VaultEntries = field(default_factory=dict)
    records: Records = field(default_factory=dict)

    def section(self, name: str) -> Mapping[str, Any]:
        """The records of a section, by name."""
        return self.records.get(name, {})

    def with_section(self, name: str, section: Mapping[str, Any]) -> VaultContent:
        """Return the content with another section of this name."""
        rest = {each: value for each, value in self.records.items() if each != name}
        return replace(self, records={**rest, name: section} if section else rest)


def is_part(name: str) -> bool:
    """Return whether it may be the name of an entry, or of a field."""
    return _PART.fullmatch(name) is not None


def split_name(name: str) -> tuple[str, str]:
    """Split the name of a secret: `shop.password` → `("shop", "password")`. Raises `InvalidValue`."""
    entry, dot, key = name.partition(".")
    if not dot or not is_part(entry) or not is_part(key):
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


def encode(content: VaultContent) -> bytes:
    """Encode the content of a vault, sorted by name."""
    has_kinds = any(each.kind != "text" for entry in content.entries.values() for each in entry.fields.values())
    data: dict[str, Any] = {"version": 2 if has_kinds or content.records else 1}
    data["entries"] = {
        name: {"origins": list(entry.origins), "fields": {key: _encoded(each) for key, each in entry.fields.items()}}
        for name, entry in sorted(content.entries.items())
    }
    if content.records:
        data["records"] = content.records
    return json.dumps(data).encode()


def _encoded(value: SecretValue) -> dict[str, str]:
    data = {"value": value.value, "set": value.set}
    return data if value.kind == "text" else {**data, "kind": value.kind}


def decode(content: bytes) -> VaultContent:
    """Decode the bytes that `encode` returned. Raises `VaultKeyWrong` if they are invalid."""
    try:
        data = json.loads(content)
        if data["version"] not in VERSIONS:
            raise VaultKeyWrong(
                f"the vault has version {str(data['version'])[:20]}, and this Oryn reads versions up to {VERSIONS[-1]}",
                "Use the Oryn that wrote it.",
            )
        entries = {name: _entry(each) for name, each in data["entries"].items()}
        records = {name: dict(section) for name, section in data.get("records", {}).items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        raise VaultKeyWrong("the vault is damaged: it contains something else", "Store its secrets again.") from None
    return VaultContent(entries, records)


def _entry(data: Mapping[str, Any]) -> VaultEntry:
    fields = {
        key: SecretValue(str(each["value"]), str(each["set"]), _kind(each.get("kind", "text")))
        for key, each in data["fields"].items()
    }
    return VaultEntry(fields, tuple(map(str, data["origins"])))


def _kind(name: Any) -> SecretKind:
    if name not in ("text", "totp", "mail"):
        raise VaultKeyWrong("the vault has a secret of a kind that this Oryn does not know", "Use a newer Oryn.")
    kind: SecretKind = name
    return kind
