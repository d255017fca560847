"""Link targets of a report. Pure."""

from __future__ import annotations

import re
from urllib.parse import quote, urlsplit

END_WORDS = 5
"""Words of the beginning and of the end by which a long text is found."""
SHORT_WORDS = 12
"""The maximum number of words of a text that is looked for as a whole."""


def web_address(url: str) -> str:
    """The URL if it is one of the web; empty for what would run something (`javascript:`)."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return url if parts.scheme in ("http", "https") and parts.netloc else ""


def text_fragment_url(url: str, text: str) -> str:
    """The URL with a fragment by which browsers scroll to a text and mark it; empty if the URL is none of the web.

    https://wicg.github.io/scroll-to-text-fragment/: a text is within one block, so of several lines the beginning of
    the first one and the end of the last one are used."""
    address = web_address(url)
    lines = [line.split() for line in text.splitlines() if line.strip()]
    if not address or not lines:
        return address
    if len(lines) == 1 and len(lines[0]) <= SHORT_WORDS:
        wanted = _escaped(lines[0])
    else:
        wanted = f"{_escaped(lines[0][:END_WORDS])},{_escaped(lines[-1][-END_WORDS:])}"
    return f"{address}{'' if '#' in address else '#'}:~:text={wanted}"


def _escaped(words: list[str]) -> str:
    """Words of a text fragment, in which `-` and `,` have a meaning of their own."""
    return re.sub("-", "%2D", quote(" ".join(words), safe=""))
