"""Makes text from a page safe: it can't forge a line of an answer (docs/spec/intent-language.md#text-of-a-page)."""

from __future__ import annotations

import re
from urllib.parse import quote as percent_encode

# Line separators, bidirectional controls (UAX #9), lone surrogates, and what a model reads and people can't see:
# zero-width spaces, tags (U+E0000), variation selectors that no emoji needs. Joiners of emoji and Indic scripts stay.
UNSEEN = (
    "\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufe00-\ufe0d\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e0fff"
)
"""Characters of a page's text that are always escaped, besides ASCII controls; for a regular expression's brackets."""

# Includes the two characters that end or escape a quoted string.
_UNSAFE = re.compile(f'[\x00-\x1f"\\\\{UNSEEN}]')
_UNSAFE_IN_BLOCK = re.compile(f"[\x00-\x08\x0b-\x1f{UNSEEN}]")
_NAMED = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
# The dots of masked secrets stay readable; a browser's URL has no such character.
_UNSAFE_IN_URL = re.compile(r"[^!#-;=?-\[\]_a-z|~•]")
_LINE_END = re.compile(r"\r\n|[\n\r\u0085\u2028\u2029]")

URL_LIMIT = 200
"""Maximum characters of a URL in an answer; a `data:` URL may have megabytes."""


def _escape_character(found: re.Match[str]) -> str:
    code = ord(found[0])
    return _NAMED.get(found[0]) or (f"\\u{code:04x}" if code < 0x10000 else f"\\u{{{code:x}}}")


def plain(text: str) -> str:
    """Put a page's text on one line, and escape what could forge a line or end a string."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return text  # most texts, in a third of the time of the expression
    return _UNSAFE.sub(_escape_character, text)


def phrase(text: str) -> str:
    """Put on one line what the scanner says of a page in words, such as `button#buy "Buy"`: its quotes stay."""
    return " ".join(visible(text).split("\n"))


def quoted(text: str) -> str:
    """Return a page's text as one quoted string, including the `"`."""
    return f'"{plain(text)}"'


def shortened(text: str, limit: int) -> str:
    """Cut `text` to at most `limit` characters, with `…` at its end if it was cut."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def visible(text: str) -> str:
    """Escape controls except tabs, and invisible characters, in a page's longer text; it keeps its lines."""
    return "\n".join(_UNSAFE_IN_BLOCK.sub(_escape_character, line) for line in _LINE_END.split(text))


def block(text: str) -> str:
    """Mark every line of a page's longer text by `| `, and escape it as `visible` does."""
    return "\n".join(f"| {line}" if line else "|" for line in visible(text).split("\n"))


def _encode_character(found: re.Match[str]) -> str:
    return percent_encode(found[0].encode("utf-8", "replace"), safe="")


def url(address: str, limit: int = URL_LIMIT) -> str:
    """Percent-encode everything in a URL that is not plain and printable, and cut it at `limit`."""
    return shortened(_UNSAFE_IN_URL.sub(_encode_character, address[: limit * 4]), limit)


def location(address: str) -> str:
    """Format a URL for an observation: no `https://`, no scheme on loopback, no lone trailing slash."""
    safe = url(address)
    if safe.startswith("https://"):
        safe = safe[8:]
    elif re.match(r"http://(localhost|127\.\d+\.\d+\.\d+|\[::1\])([:/?#]|$)", safe):
        safe = safe[7:]
    head, slash, rest = safe.partition("/")
    return head if slash and not rest else safe


def path(address: str) -> str:
    """Return the part of a URL after its origin: path, query and fragment."""
    found = re.match(r"[a-z][a-z0-9+.-]*://[^/?#]*(.*)", url(address), re.IGNORECASE | re.DOTALL)
    return (found[1] or "/") if found else url(address)


def one_line(text: str) -> str:
    """Escape text that is not a page's but may contain anything, such as a command as typed, on one line."""
    return _UNSAFE_IN_BLOCK.sub(_escape_character, text.replace("\n", "\\n").replace("\t", " "))
