"""Keys and their combinations (docs/spec/intent-language.md#keys)."""

from __future__ import annotations

import re
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

ALIASES = {
    "ctrl": "control",
    "ctl": "control",
    "option": "alt",
    "opt": "alt",
    "altgr": "alt",
    **dict.fromkeys(("cmd", "command", "win", "windows", "super"), "meta"),
    "return": "enter",
    "esc": "escape",
    "del": "delete",
    "ins": "insert",
    "bksp": "backspace",
    "spacebar": "space",
    "up": "arrowup",
    "down": "arrowdown",
    "left": "arrowleft",
    "right": "arrowright",
    "pgup": "pageup",
    "pgdn": "pagedown",
    "pgdown": "pagedown",
    "plus": "+",
    "minus": "-",
}
"""Other names of keys, as keyboards and other tools have them. Canonical text has the key's own name."""
_JOINTS = re.compile(r"[-_\s]")
"""What other spellings have inside of a name: `page_up`, `Page-Down`, `Arrow Left`."""


def normalize_key(text: str, position: int) -> str:
    """Return the canonical name of one key. Raises `InvalidValue`."""
    if len(text) == 1 and text.isprintable() and text != " ":
        name = text.lower()
        return name if len(name) == 1 else text
    name = _JOINTS.sub("", text).lower()
    name = ALIASES.get(name, name)
    if name in KEYS or name in ALIASES.values():
        return name
    raise InvalidValue(f"not a key: {shorten(text)}", did_you_mean(text.lower(), (*KEYS, *ALIASES)), position)


def split_combination(text: str) -> list[str]:
    """Return the keys that `+` joins, with the spaces around them removed. A `+` where a key is expected is that key:
    `control++` → `["control", "+"]`."""
    keys: list[str] = []
    rest = text.strip()
    while True:
        end = rest.find("+", 1)  # a `+` that comes first is a key
        if end < 0:
            return [*keys, rest]
        keys.append(rest[:end].strip())
        rest = rest[end + 1 :].strip()


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
        keys = tuple(normalize_key(part, start) for part in split_combination(text))
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
    is_joined = _ends_in_joint(parts[0], False)
    while True:
        end = cursor.position
        cursor.skip_space()
        if cursor.at_end or cursor.at_option or not (is_joined or cursor.looking_at("+")):
            cursor.position = end
            return "".join(parts)
        parts.append(cursor.word())
        is_joined = _ends_in_joint(parts[-1], not is_joined)


def _ends_in_joint(word: str, follows_key: bool) -> bool:
    """Return whether a key must follow the word: whether a `+` at its end joins, and is no key itself."""
    for character in word:
        follows_key = not follows_key if character == "+" else True
    return not follows_key
