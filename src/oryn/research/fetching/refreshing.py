"""Pages that only send on to another one: `<meta http-equiv="refresh" content="0; url=…">`. Pure.

https://html.spec.whatwg.org/multipage/semantics.html#attr-meta-http-equiv-refresh
"""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import urljoin, urlsplit

SOON = 5.0
"""Seconds. What takes longer is for people to read, or loads the same page again."""
LOOKED_AT = 16_384

_META = re.compile(r"<meta\b[^>]*\bhttp-equiv\s*=\s*[\"']?refresh\b[^>]*>", re.I)
_CONTENT = re.compile(r"\bcontent\s*=\s*(?:\"([^\"]*)\"|'([^']*)')", re.I)
_VALUE = re.compile(r"\s*(\d+(?:\.\d*)?)\s*[;,]?\s*(?:url\s*=\s*)?[\"']?([^\"']*)[\"']?\s*", re.I)
_HIDDEN = re.compile(r"<!--.*?-->|<(noscript|script|template)\b.*?</\1\s*>", re.I | re.S)


def refresh_of(body: bytes, charset: str, url: str) -> str:
    """The absolute URL that a page sends on to within `SOON`, or "". What only who runs no scripts is sent to does not
    count: that is seldom the page itself."""
    start = _HIDDEN.sub("", body[:LOOKED_AT].decode(charset or "utf-8", errors="replace"))
    meta = _META.search(start)
    content = _CONTENT.search(meta[0]) if meta else None
    value = _VALUE.fullmatch(unescape(content[1] or content[2] or "")) if content else None
    if value is None or not value[2].strip() or float(value[1]) > SOON:
        return ""
    try:
        target = urljoin(url, value[2].strip())
        return target if urlsplit(target).scheme in ("http", "https") else ""
    except ValueError:
        return ""
