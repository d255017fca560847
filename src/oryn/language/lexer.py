"""Tokens of a raw line (docs/spec/intent-language.md#text): string literals and identifiers, the cursor that moves over
a line, and text up to its matching bracket (bare JSON, the selectors in `css(…)` and `xpath(…)`).

The meaning of a character depends on its position (`#` in a URL, `{` in a JSON argument). So the parser requests the
token that may follow from a `Cursor`. Every step takes linear time."""

from __future__ import annotations

import re
from collections.abc import Iterator

from oryn.errors import InvalidValue, UnexpectedInput, UnterminatedString

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_ESCAPE_TABLE = str.maketrans(_ESCAPES)
_ESCAPED_CHARACTERS = {"n": "\n", "r": "\r", "t": "\t"}
_ESCAPE = re.compile(r"\\([\"'\\nrt])")
_IDENTIFIER = re.compile(r"[^\W\d][\w-]*")


def quote(text: str) -> str:
    """Return the canonical string literal of `text`: `say "hi"` → `"say \\"hi\\""`."""
    return f'"{text.translate(_ESCAPE_TABLE)}"'


def unescape(text: str) -> str:
    """Return the meaning of the inside of a literal. A `\\` that begins no escape stays."""
    if "\\" not in text:
        return text
    return _ESCAPE.sub(lambda match: _ESCAPED_CHARACTERS.get(match[1], match[1]), text)


def is_identifier(text: str) -> bool:
    """Return whether the text is a letter or `_`, then letters, digits, `_`, `-`."""
    return _IDENTIFIER.fullmatch(text) is not None


def shorten(text: str, limit: int = 40) -> str:
    """Quote `text` for a message, and cut it if it is long, so that an error for a line of 1 MB is still one line."""
    return quote(text if len(text) <= limit else text[:limit] + "…")


def number_text(number: float) -> str:
    """Format a number as the language writes it: no exponent, and a fraction only if it isn't zero."""
    if number == int(number):
        return str(int(number))
    text = repr(number)
    return f"{number:.15f}".rstrip("0") if "e" in text else text


SPACE = " \t\r"
"""A lone carriage return counts as white space, so that canonical text never ends in one."""

_SPACES = re.compile(r"[ \t\r]*+")
_WORD = re.compile(r"[^ \t\r]*+")
_ATOM = re.compile(r"[^ \t\r#]*+")
_DIGITS = re.compile(r"[0-9]++")
_OPTION = re.compile(r"--|-(?=[^\W\d])")
_OPTION_NAME = re.compile(r"[^\W\d][\w-]*+")
_STRINGS = {
    '"': re.compile(r'"([^"\\]*+(?:\\.[^"\\]*+)*+)"', re.DOTALL),
    "'": re.compile(r"'([^'\\]*+(?:\\.[^'\\]*+)*+)'", re.DOTALL),
}


class Cursor:
    """A position in a line. `position` is a 0-based offset into it."""

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
        """Whether the cursor is at a `#` that starts the line or follows white space."""
        return self.looking_at("#") and (self.position == 0 or self.line[self.position - 1] in SPACE)

    @property
    def at_end(self) -> bool:
        """Whether nothing but a comment is left."""
        return self.position >= len(self.line) or self.at_comment

    @property
    def at_string(self) -> bool:
        return self.looking_at('"') or self.looking_at("'")

    @property
    def at_option(self) -> bool:
        """Whether the cursor is at `--`, or at `-` and a letter; `-5` is a number and `-` a word."""
        return _OPTION.match(self.line, self.position) is not None

    def looking_at(self, text: str) -> bool:
        return self.line.startswith(text, self.position)

    def peek_atom(self) -> str:
        """Return the characters up to white space or `#`, without taking them."""
        match = _ATOM.match(self.line, self.position)
        assert match is not None
        return match[0]

    def atom(self) -> str:
        """Take a word that can't contain `#`: `5` of `5#x`."""
        return self.take(_ATOM)

    def word(self) -> str:
        """Take the characters up to white space."""
        return self.take(_WORD)

    def digits(self) -> str:
        return self.take(_DIGITS)

    def option_name(self) -> str:
        """Take the name of an option, without its dashes; return `""` if there is none at this position."""
        return self.take(_OPTION_NAME)

    def take(self, pattern: re.Pattern[str]) -> str:
        """Take what `pattern` matches at the cursor, or nothing."""
        match = pattern.match(self.line, self.position)
        if match is None:
            return ""
        self.position = match.end()
        return match[0]

    def string(self) -> str:
        """Take a string literal and return its meaning. Raises `UnterminatedString` with the position
        where it began."""
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
        """Check that nothing follows the token just taken without white space. Raises `UnexpectedInput`."""
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


# The tokens that matter between brackets; all others are skipped. `quote` is an unterminated string, to the end of the
# text. Strings of JSON and CSS escape with `\`, those of XPath don't
# (https://www.w3.org/TR/css-syntax-3/#consume-string-token, https://www.w3.org/TR/xpath-10/#exprlex).
_JSON = re.compile(r"""(?P<string>"[^"\\]*+(?:\\.[^"\\]*+)*+")|(?P<quote>"(?s:.*+))|(?P<open>[\[{])|(?P<close>[\]}])""")
_SELECTORS = {
    "css": re.compile(
        r"""\\.|(?P<string>"[^"\\]*+(?:\\.[^"\\]*+)*+"|'[^'\\]*+(?:\\.[^'\\]*+)*+')"""
        r"""|(?P<quote>["'](?s:.*+))|(?P<open>\()|(?P<close>\))"""
    ),
    "xpath": re.compile(r"""(?P<string>"[^"]*+"|'[^']*+')|(?P<quote>["'](?s:.*+))|(?P<open>\()|(?P<close>\))"""),
}


def balanced_json(cursor: Cursor) -> str:
    """Take JSON up to the bracket that balances the one at `cursor`. Raises `InvalidValue`, `UnterminatedString`."""
    start = cursor.position
    if not _skip_balanced(cursor, _JSON):
        raise InvalidValue(f"not JSON, for a bracket is open: {shorten(cursor.line[start:])}", None, start)
    return cursor.line[start : cursor.position]


def bare_selector(cursor: Cursor, function: str) -> str:
    """Take the text between the `(` at `cursor` and the `)` that balances it. Raises `UnterminatedString`."""
    start = cursor.position
    if not _skip_balanced(cursor, _SELECTORS[function]):
        raise cursor.unterminated(f"{function}(")
    return cursor.line[start + 1 : cursor.position - 1].strip()


def nests_deeper(text: str, limit: int) -> bool:
    """Return whether the brackets of `text` nest deeper than `limit`, not counting those in its strings."""
    return any(depth > limit for _, depth in _depths(text, _JSON, 0))


def _skip_balanced(cursor: Cursor, pattern: re.Pattern[str]) -> bool:
    """Move past the bracket that balances the one at `cursor`; return False, without moving, if there is none."""
    for match, depth in _depths(cursor.line, pattern, cursor.position):
        if match.lastgroup == "quote":
            cursor.position = match.start()
            raise cursor.unterminated()
        if depth == 0:
            cursor.position = match.end()
            return True
    return False


def _depths(text: str, pattern: re.Pattern[str], start: int) -> Iterator[tuple[re.Match[str], int]]:
    """Yield every bracket and stray quote, with the depth after it."""
    depth = 0
    for match in pattern.finditer(text, start):
        if match.lastgroup in (None, "string"):
            continue
        depth += {"open": 1, "close": -1}.get(match.lastgroup or "", 0)
        yield match, depth
