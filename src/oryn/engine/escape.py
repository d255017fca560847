"""Text from a page, made unable to forge a line of an answer (intent-language §6)."""

from __future__ import annotations

import re
from urllib.parse import quote as percent_encode

# Line separators, bidirectional controls (UAX #9), lone surrogates, what a model reads though nobody sees it: spaces
# of no width, tags (U+E0000), variation selectors that no emoji needs. The joiners of emoji and of Indic scripts stay.
UNSEEN = (
    "\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufe00-\ufe0d\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e0fff"
)
"""What a page's text never shows unescaped, ASCII's controls aside: the inside of a regular expression's brackets."""

# With the two that end or escape a quoted string.
_UNSAFE = re.compile(f'[\x00-\x1f"\\\\{UNSEEN}]')
_UNSAFE_IN_BLOCK = re.compile(f"[\x00-\x08\x0b-\x1f{UNSEEN}]")
_NAMED = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
# The dots of what is withheld stay readable; a browser's URL has no such character.
_UNSAFE_IN_URL = re.compile(r"[^!#-;=?-\[\]_a-z|~•]")
_LINE_END = re.compile(r"\r\n|[\n\r\u0085\u2028\u2029]")

URL_LIMIT = 200
"""Characters of a URL that an answer shows; `data:` URLs may hold megabytes."""


def _escape_character(found: re.Match[str]) -> str:
    code = ord(found[0])
    return _NAMED.get(found[0]) or (f"\\u{code:04x}" if code < 0x10000 else f"\\u{{{code:x}}}")


def plain(text: str) -> str:
    """A page's text on one line, with what could forge a line or end a string escaped."""
    return text if _UNSAFE.search(text) is None else _UNSAFE.sub(_escape_character, text)


def quoted(text: str) -> str:
    """A page's text as one quoted string, `"` included."""
    return f'"{plain(text)}"'


def shortened(text: str, limit: int) -> str:
    """The first `limit` characters, with `…` where something was cut."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def visible(text: str) -> str:
    """A page's longer text as it is, with its own lines; controls but tabs, and what nobody sees, are escaped."""
    return "\n".join(_UNSAFE_IN_BLOCK.sub(_escape_character, line) for line in _LINE_END.split(text))


def block(text: str) -> str:
    """A page's longer text: every line begins with `| `; the rest as in `visible`."""
    return "\n".join(f"| {line}" if line else "|" for line in visible(text).split("\n"))


def _encode_character(found: re.Match[str]) -> str:
    return percent_encode(found[0].encode("utf-8", "replace"), safe="")


def url(address: str) -> str:
    """A URL with everything percent-encoded that is not plain and printable, cut at `URL_LIMIT`."""
    return shortened(_UNSAFE_IN_URL.sub(_encode_character, address[: URL_LIMIT * 4]), URL_LIMIT)


def location(address: str) -> str:
    """A URL as an observation shows it: no `https://`, no scheme on loopback, no lone trailing slash."""
    shown = url(address)
    if shown.startswith("https://"):
        shown = shown[8:]
    elif re.match(r"http://(localhost|127\.\d+\.\d+\.\d+|\[::1\])([:/?#]|$)", shown):
        shown = shown[7:]
    head, slash, rest = shown.partition("/")
    return head if slash and not rest else shown


def path(address: str) -> str:
    """What differs between two URLs of one origin: path, query and fragment."""
    found = re.match(r"[a-z][a-z0-9+.-]*://[^/?#]*(.*)", url(address), re.IGNORECASE | re.DOTALL)
    return (found[1] or "/") if found else url(address)


def one_line(text: str) -> str:
    """Text that is not the page's but may hold anything (a command as typed), kept to one harmless line."""
    return _UNSAFE_IN_BLOCK.sub(_escape_character, text.replace("\n", "\\n").replace("\t", " "))
