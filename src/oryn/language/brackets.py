"""Text that runs to its balancing bracket: bare JSON, and what stands bare in `css(…)` and `xpath(…)`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from oryn.errors import InvalidValue
from oryn.language.strings import shorten
from oryn.language.tokens import Cursor

# What matters between brackets; all else is passed over. A quote that begins no whole string is `quote`. Strings of
# JSON and CSS escape with `\`, those of XPath don't (https://www.w3.org/TR/css-syntax-3/#consume-string-token,
# https://www.w3.org/TR/xpath-10/#exprlex).
_JSON = re.compile(r"""(?P<string>"[^"\\]*+(?:\\.[^"\\]*+)*+")|(?P<quote>")|(?P<open>[\[{])|(?P<close>[\]}])""")
_SELECTORS = {
    "css": re.compile(
        r"""\\.|(?P<string>"[^"\\]*+(?:\\.[^"\\]*+)*+"|'[^'\\]*+(?:\\.[^'\\]*+)*+')"""
        r"""|(?P<quote>["'])|(?P<open>\()|(?P<close>\))"""
    ),
    "xpath": re.compile(r"""(?P<string>"[^"]*+"|'[^']*+')|(?P<quote>["'])|(?P<open>\()|(?P<close>\))"""),
}


def balanced_json(cursor: Cursor) -> str:
    """Take JSON up to the bracket that balances the one at `cursor`. Raises `InvalidValue`, `UnterminatedString`."""
    start = cursor.position
    if not _skip_balanced(cursor, _JSON):
        raise InvalidValue(f"not JSON, for a bracket is open: {shorten(cursor.line[start:])}", None, start)
    return cursor.line[start : cursor.position]


def bare_selector(cursor: Cursor, function: str) -> str:
    """Take what stands between the `(` at `cursor` and the `)` that balances it. Raises `UnterminatedString`."""
    start = cursor.position
    if not _skip_balanced(cursor, _SELECTORS[function]):
        raise cursor.unterminated(f"{function}(")
    return cursor.line[start + 1 : cursor.position - 1].strip()


def json_depth(text: str) -> int:
    """How deep the brackets of `text` nest, those in its strings left out."""
    return max((depth for _, depth in _depths(text, _JSON, 0)), default=0)


def _skip_balanced(cursor: Cursor, pattern: re.Pattern[str]) -> bool:
    """Move past the bracket that balances the one at `cursor`; False (and nothing moves) when there is none."""
    for match, depth in _depths(cursor.line, pattern, cursor.position):
        if match.lastgroup == "quote":
            cursor.position = match.start()
            raise cursor.unterminated()
        if depth == 0:
            cursor.position = match.end()
            return True
    return False


def _depths(text: str, pattern: re.Pattern[str], start: int) -> Iterator[tuple[re.Match[str], int]]:
    """Every bracket and stray quote, with the depth behind it."""
    depth = 0
    for match in pattern.finditer(text, start):
        if match.lastgroup in (None, "string"):
            continue
        depth += {"open": 1, "close": -1}.get(match.lastgroup or "", 0)
        yield match, depth
