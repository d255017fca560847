"""Whether a page may be kept, and for how long it is good: RFC 9111 in the simple form of a cache that has one user.

`private` is fine here, what is fresh without anybody saying so is not guessed, and `Vary` is heeded where it is `*`: we
always ask with the same headers. https://www.rfc-editor.org/rfc/rfc9111
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime

LONGEST = 365 * 86_400.0
"""Seconds. What is to be good for longer is asked about again after these."""


def may_be_kept(headers: Mapping[str, str]) -> bool:
    """Of the headers of an answer (names in small letters)."""
    return "no-store" not in _directives(headers) and headers.get("vary", "").strip() != "*"


def lifetime(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds for which an answer that came at `now` is good without asking; 0.0 where it must be asked about each
    time; None where the server says nothing about it."""
    directives = _directives(headers)
    if "no-cache" in directives or ("cache-control" not in headers and "no-cache" in headers.get("pragma", "")):
        return 0.0
    if "max-age" in directives:
        age = _seconds(headers.get("age", "0"))
        return min(LONGEST, max(0.0, _seconds(directives["max-age"]) - age))
    if "expires" in headers:
        expires, date = _date(headers["expires"]), _date(headers.get("date", "")) or now
        return min(LONGEST, max(0.0, (expires - date).total_seconds())) if expires else 0.0
    return None


def _directives(headers: Mapping[str, str]) -> dict[str, str]:
    parts = (part.strip().partition("=") for part in headers.get("cache-control", "").split(","))
    return {name.strip().lower(): value.strip().strip('"') for name, _, value in parts}


def _seconds(text: str) -> float:
    """What is no number means nothing is fresh (RFC 9111 §4.2.1)."""
    return float(text) if text.isascii() and text.isdigit() and len(text) < 15 else 0.0


def _date(text: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, TypeError):
        return None
    return date if date.tzinfo else None
