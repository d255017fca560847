"""Where the links of a report lead. Pure."""

from __future__ import annotations

import re
from urllib.parse import quote, urlsplit

ENDS = 5
"""Words of the beginning and of the end that find a long text."""
SHORT = 12
"""Words of a text that is looked for as it is."""


def web_address(url: str) -> str:
    """The URL where it is one of the web's; empty for what would run something (`javascript:`)."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return url if parts.scheme in ("http", "https") and parts.netloc else ""


def to_text(url: str, text: str) -> str:
    """The URL with a fragment by which browsers scroll to a text and mark it; empty where the URL is none of the web's.

    https://wicg.github.io/scroll-to-text-fragment/: the text is of one block each, so of several lines the first one's
    beginning and the last one's end are named."""
    address = web_address(url)
    lines = [line.split() for line in text.splitlines() if line.strip()]
    if not address or not lines:
        return address
    if len(lines) == 1 and len(lines[0]) <= SHORT:
        wanted = _escaped(lines[0])
    else:
        wanted = f"{_escaped(lines[0][:ENDS])},{_escaped(lines[-1][-ENDS:])}"
    return f"{address}{'' if '#' in address else '#'}:~:text={wanted}"


def _escaped(words: list[str]) -> str:
    """`-` and `,` have a meaning of their own there."""
    return re.sub("-", "%2D", quote(" ".join(words), safe=""))
