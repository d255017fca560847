"""Reading a raw line: where words, strings and brackets begin and end, and where the comment does (intent-language §2).

What a character means depends on where it stands (`#` in a URL, `{` in a JSON argument), so a `Cursor` walks the line
and the grammar asks it for the token that fits. Every step is linear in what it reads.
"""

from __future__ import annotations

import re

from oryn.errors import UnexpectedInput, UnterminatedString
from oryn.language.strings import shorten, unescape

SPACE = " \t\r"
"""A lone carriage return counts as white space, so that canonical text never ends in one."""

_SPACES = re.compile(r"[ \t\r]*+")
_WORD = re.compile(r"[^ \t\r]*+")
_ATOM = re.compile(r"[^ \t\r#]*+")
_DIGITS = re.compile(r"[0-9]++")
_OPTION = re.compile(r"--|-(?=[^\W\d])")
_STRINGS = {
    '"': re.compile(r'"([^"\\]*+(?:\\.[^"\\]*+)*+)"', re.DOTALL),
    "'": re.compile(r"'([^'\\]*+(?:\\.[^'\\]*+)*+)'", re.DOTALL),
}


class Cursor:
    """A place in a line. `position` is a 0-based offset into it."""

    __slots__ = ("line", "position")

    def __init__(self, line: str, position: int = 0) -> None:
        self.line = line
        self.position = position

    def skip_space(self) -> None:
        match = _SPACES.match(self.line, self.position)
        assert match is not None
        self.position = match.end()

    @property
    def at_comment(self) -> bool:
        """At a `#` that starts the line or follows white space."""
        return self.looking_at("#") and (self.position == 0 or self.line[self.position - 1] in SPACE)

    @property
    def at_end(self) -> bool:
        """Nothing but a comment is left."""
        return self.position >= len(self.line) or self.at_comment

    @property
    def at_string(self) -> bool:
        return self.looking_at('"') or self.looking_at("'")

    @property
    def at_option(self) -> bool:
        """At `--` or at `-` and a letter; `-5` is a number and `-` a word."""
        return _OPTION.match(self.line, self.position) is not None

    def looking_at(self, text: str) -> bool:
        return self.line.startswith(text, self.position)

    def peek_atom(self) -> str:
        """The characters up to white space or `#`, without taking them."""
        match = _ATOM.match(self.line, self.position)
        assert match is not None
        return match[0]

    def atom(self) -> str:
        """Take a word in which `#` has no place: `5` of `5#x`."""
        return self.take(_ATOM)

    def word(self) -> str:
        """Take the characters up to white space."""
        return self.take(_WORD)

    def digits(self) -> str:
        return self.take(_DIGITS)

    def take(self, pattern: re.Pattern[str]) -> str:
        """Take what `pattern` matches here, or nothing."""
        match = pattern.match(self.line, self.position)
        if match is None:
            return ""
        self.position = match.end()
        return match[0]

    def string(self) -> str:
        """Take a string literal and return what it means. Raises `UnterminatedString` with the place where it began."""
        match = _STRINGS[self.line[self.position]].match(self.line, self.position)
        if match is None:
            raise self.unterminated()
        self.position = match.end()
        return unescape(match[1])

    def unterminated(self, what: str = "string") -> UnterminatedString:
        position = self.position
        return UnterminatedString(
            f"unterminated {what}, begun at position {position}: {shorten(self.line[position : position + 60])}",
            'close it, or write \\" for a quote inside it' if what == "string" else None,
            position,
        )

    def boundary(self) -> None:
        """Nothing may touch the token just taken. Raises `UnexpectedInput`."""
        if self.position < len(self.line) and self.line[self.position] not in SPACE:
            raise self.unexpected()

    def unexpected(self, hint: str | None = None) -> UnexpectedInput:
        rest = self.line[self.position : self.position + 60]
        if rest.startswith("#"):
            hint = "a comment needs a space before its #"
        return UnexpectedInput(f"unexpected {shorten(rest)}", hint, self.position)

    def comment(self) -> str | None:
        """Take the comment, `#` included, as it was written."""
        self.skip_space()
        if not self.at_comment:
            return None
        text = self.line[self.position :].rstrip("\r")
        self.position = len(self.line)
        return text
