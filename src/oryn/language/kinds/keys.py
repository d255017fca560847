"""Keys and their combinations (docs/spec/intent-language.md#keys)."""

from __future__ import annotations

from typing import Any

from oryn.core.suggestions import did_you_mean
from oryn.errors import InvalidValue
from oryn.language.kinds.base import ParsedValue, ValueKind
from oryn.language.lexer import Cursor, quote, shorten

MODIFIERS = ("control", "shift", "alt", "meta")
KEYS = (
    *("enter", "tab", "escape", "space", "backspace", "delete"),
    *("arrowup", "arrowdown", "arrowleft", "arrowright", "home", "end", "pageup", "pagedown", "insert"),
    *(f"f{number}" for number in range(1, 13)),
    *MODIFIERS,
)

_FOREIGN_NAMES = {
    "ctrl": "control",
    "option": "alt",
    "cmd": "meta",
    "command": "meta",
    "win": "meta",
    "super": "meta",
    "return": "enter",
    "esc": "escape",
    "del": "delete",
    "ins": "insert",
    "spacebar": "space",
    "up": "arrowup",
    "down": "arrowdown",
    "left": "arrowleft",
    "right": "arrowright",
    "pgup": "pageup",
    "pgdn": "pagedown",
}
"""Names from other tools. They are not aliases; hints suggest the key."""


def normalize_key(text: str, position: int) -> str:
    """Return the canonical name of one key. Raises `InvalidValue`."""
    name = text.lower()
    if name in KEYS:
        return name
    if len(text) == 1 and text != "+" and text.isprintable() and text != " ":
        return name if len(name) == 1 else text
    suggestion = _FOREIGN_NAMES.get(name)
    hint = f"did you mean {suggestion}?" if suggestion else did_you_mean(name, KEYS)
    raise InvalidValue(f"not a key: {shorten(text)}", hint, position)


class KeyKind(ValueKind[str]):
    """One key. `others` are additional words (`keyup all`)."""

    def __init__(self, *others: str) -> None:
        self.others = others
        self.label = "|".join(("<key>", *others))

    def read(self, cursor: Cursor) -> ParsedValue:
        start = cursor.position
        quoted = cursor.at_string
        text = cursor.string() if quoted else cursor.word()
        key = text.lower() if text.lower() in self.others else normalize_key(text, start)
        return ParsedValue(quote(key) if quoted else key, key, start)

    def write(self, value: str) -> str:
        return value if value.isalnum() else quote(value)

    def text_of(self, data: Any) -> str | None:
        return quote(data) if isinstance(data, str) else None


class KeyCombinationKind(ValueKind["tuple[str, ...]"]):
    """Keys joined by `+`, with optional spaces around it; the value has them in the order written."""

    label = "<key combination>"

    def read(self, cursor: Cursor) -> ParsedValue:
        start = cursor.position
        quoted = cursor.at_string
        text = cursor.string() if quoted else _read_combination(cursor)
        keys = tuple(normalize_key(part.strip(), start) for part in text.split("+"))
        combination = "+".join(keys)
        return ParsedValue(quote(combination) if quoted else combination, keys, start)

    def text_of(self, data: Any) -> str | None:
        keys = data if isinstance(data, list) else [data]
        return quote("+".join(keys)) if all(isinstance(each, str) for each in keys) else None

    def write(self, value: tuple[str, ...]) -> str:
        combination = "+".join(value)
        return combination if all(key.isalnum() for key in value) else quote(combination)


def _read_combination(cursor: Cursor) -> str:
    """Take the words of a combination, which a `+` on either side joins."""
    parts = [cursor.word()]
    while True:
        end = cursor.position
        cursor.skip_space()
        if cursor.at_end or not (parts[-1].endswith("+") or cursor.looking_at("+")):
            cursor.position = end
            return "".join(parts)
        parts.append(cursor.word())
