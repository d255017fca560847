"""Keys and their combinations (intent-language §4, *Acting*)."""

from __future__ import annotations

from typing import Any

from oryn.errors import InvalidValue
from oryn.language.kinds.base import Kind, Written
from oryn.language.strings import quote, shorten
from oryn.language.suggestions import did_you_mean
from oryn.language.tokens import Cursor

MODIFIERS = ("control", "shift", "alt", "meta")
KEYS = (
    *("enter", "tab", "escape", "space", "backspace", "delete"),
    *("arrowup", "arrowdown", "arrowleft", "arrowright", "home", "end", "pageup", "pagedown", "insert"),
    *(f"f{number}" for number in range(1, 13)),
    *MODIFIERS,
)

_OTHER_NAMES = {
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
"""Names from other tools: no aliases, only what the hint suggests."""


def fold_key(text: str, position: int) -> str:
    """The canonical name of one key. Raises `InvalidValue`."""
    name = text.lower()
    if name in KEYS:
        return name
    if len(text) == 1 and text != "+" and text.isprintable() and text != " ":
        return name if len(name) == 1 else text
    suggestion = _OTHER_NAMES.get(name)
    hint = f"did you mean {suggestion}?" if suggestion else did_you_mean(name, KEYS)
    raise InvalidValue(f"not a key: {shorten(text)}", hint, position)


class Key(Kind[str]):
    """One key. `others` are words beside the keys (`keyup all`)."""

    def __init__(self, *others: str) -> None:
        self.others = others
        self.label = "|".join(("<key>", *others))

    def read(self, cursor: Cursor) -> Written:
        start = cursor.position
        quoted = cursor.at_string
        text = cursor.string() if quoted else cursor.word()
        key = text.lower() if text.lower() in self.others else fold_key(text, start)
        return Written(quote(key) if quoted else key, key, start)

    def write(self, value: str) -> str:
        return value if value.isalnum() else quote(value)

    def text_of(self, data: Any) -> str | None:
        return quote(data) if isinstance(data, str) else None


class Combination(Kind["tuple[str, ...]"]):
    """Keys with `+` between them, around which spaces vanish; the value has them in the order written."""

    label = "<key combination>"

    def read(self, cursor: Cursor) -> Written:
        start = cursor.position
        quoted = cursor.at_string
        text = cursor.string() if quoted else _joined(cursor)
        keys = tuple(fold_key(part.strip(), start) for part in text.split("+"))
        combination = "+".join(keys)
        return Written(quote(combination) if quoted else combination, keys, start)

    def text_of(self, data: Any) -> str | None:
        return quote("+".join(data) if isinstance(data, list) else data) if isinstance(data, list | str) else None

    def write(self, value: tuple[str, ...]) -> str:
        combination = "+".join(value)
        return combination if all(key.isalnum() for key in value) else quote(combination)


def _joined(cursor: Cursor) -> str:
    """The words of a combination, those that a `+` on either side holds together."""
    parts = [cursor.word()]
    while True:
        end = cursor.position
        cursor.skip_space()
        if cursor.at_end or not (parts[-1].endswith("+") or cursor.looking_at("+")):
            cursor.position = end
            return "".join(parts)
        parts.append(cursor.word())
