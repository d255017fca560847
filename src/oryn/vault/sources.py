"""References to the secrets of password managers, and the sources that the user has allowed. Pure.

`op://Work/Shop/password` is 1Password's own form (https://developer.1password.com/docs/cli/secret-reference-syntax/),
`bw:Shop/password` a field of an item of Bitwarden's, `pass:web/shop` the first line of a password of pass's, and
`pass:web/shop#user` the line that begins with `user:`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from oryn.core.text_safety import quoted
from oryn.core.vault_secret import SecretBinding
from oryn.errors import InvalidValue, SecretNotAllowed

SOURCES = "source"
"""The section of the vault's records that has the allowed sources, by their beginning."""
Manager = Literal["op", "bw", "pass"]
_FORM = re.compile(r"(?:(op)://|(bw|pass):)(.+)", re.DOTALL)
_HOW = "References are op://vault/item/field, bw:item/field, pass:path or pass:path#field."


@dataclass(frozen=True, slots=True)
class SourceReference:
    """A reference, or the beginning of one. `path` has no empty part; `field` is that behind `#`, for pass."""

    manager: Manager
    path: tuple[str, ...]
    field: str = ""

    def is_within(self, other: SourceReference) -> bool:
        """Return whether `other` is its beginning, or the same."""
        mine, others = self._compared, other._compared
        is_beginning = self.manager == other.manager and mine[: len(others)] == others
        return is_beginning and (not other.field or (mine == others and self.field == other.field))

    @property
    def _compared(self) -> tuple[str, ...]:
        """The path as its manager compares it: for 1Password and Bitwarden, capitals are the same as small letters."""
        return self.path if self.manager == "pass" else tuple(map(str.casefold, self.path))

    def __str__(self) -> str:
        field = f"#{self.field}" if self.field else ""
        return f"{self.manager}:{'//' if self.manager == 'op' else ''}{'/'.join(self.path)}{field}"


def is_reference(name: str) -> bool:
    """Return whether a name is for a password manager: those of the vault's own secrets have no colon."""
    return ":" in name


def parse_reference(text: str) -> SourceReference:
    """Parse a reference or its beginning. Raises `InvalidValue`."""
    found = _FORM.fullmatch(text.strip())
    if found is None:
        raise InvalidValue(f"not a reference to a password manager: {quoted(text[:60])}", _HOW)
    manager: Any = found[1] or found[2]
    rest, _, field = found[3].partition("#") if manager == "pass" else (found[3], "", "")
    if manager == "op":  # a code is computed here, so that none is used twice
        rest = re.sub(r"\?attribute=(?:otp|totp)$", "", rest)
    path = tuple(rest.removesuffix("/").split("/"))
    # They become an argument of a program, and one part of a path.
    if any(not part.strip() or part.startswith("-") or part in (".", "..") for part in path) or not rest.isprintable():
        raise InvalidValue(f"not a reference to a password manager: {quoted(text[:60])}", _HOW)
    if not field.isprintable():
        raise InvalidValue(f"not a field: {quoted(field[:60])}", _HOW)
    return SourceReference(manager, path, field.strip())


def bind_reference(reference: SourceReference, allowed: Mapping[str, Any]) -> SecretBinding:
    """Return where the secret of a reference may go, by the longest of the allowed sources that it is within. Raises
    `SecretNotAllowed` if the user has allowed none."""
    rules = [(parse_reference(name), rule) for name, rule in allowed.items()]
    found = [(len(rule.path) + bool(rule.field), data) for rule, data in rules if reference.is_within(rule)]
    if not found:
        raise SecretNotAllowed(
            f"{quoted(str(reference)[:80])} is not a source that the user has allowed: nothing was read",
            f"Only the user can allow it: oryn vault source {shell_word(str(reference))} --origin URL.",
        )
    _, rule = max(found, key=lambda each: each[0])
    return SecretBinding(str(reference), tuple(rule["origins"]))


def shell_word(text: str) -> str:
    """Quote a reference for a shell if it needs it."""
    return text if re.fullmatch(r"[\w:/.@#+-]+", text) else "'" + text.replace("'", "'\\''") + "'"
