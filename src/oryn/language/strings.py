"""String literals and identifiers as text (intent-language §2)."""

from __future__ import annotations

import re

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_WRITTEN = str.maketrans(_ESCAPES)
_MEANT = {"n": "\n", "r": "\r", "t": "\t"}
_ESCAPE = re.compile(r"\\([\"'\\nrt])")
_IDENTIFIER = re.compile(r"[^\W\d][\w-]*")


def quote(text: str) -> str:
    """The canonical string literal of `text`: `say "hi"` → `"say \\"hi\\""`."""
    return f'"{text.translate(_WRITTEN)}"'


def unescape(text: str) -> str:
    """What the inside of a literal means. A `\\` before any other character than those of §2 stays."""
    if "\\" not in text:
        return text
    return _ESCAPE.sub(lambda match: _MEANT.get(match[1], match[1]), text)


def is_identifier(text: str) -> bool:
    """A letter or `_`, then letters, digits, `_`, `-`."""
    return _IDENTIFIER.fullmatch(text) is not None


def shorten(text: str, limit: int = 40) -> str:
    """`text` quoted for a message, cut when it is long, so that an error for a line of 1 MB is a line."""
    return quote(text if len(text) <= limit else text[:limit] + "…")


def number_text(number: float) -> str:
    """A number as the language writes it: no exponent, no fraction where there is none."""
    if number == int(number):
        return str(int(number))
    text = repr(number)
    return f"{number:.15f}".rstrip("0") if "e" in text else text
