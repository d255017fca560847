"""The pause that a server requests between attempts (`Retry-After`)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds to wait, from `retry-after-ms` (OpenAI's) or `Retry-After`, which has seconds or a date
    (https://www.rfc-editor.org/rfc/rfc9110#field.retry-after); None if neither header is valid.

    `headers`: lower-case names, or case-insensitive. `now`: with a time zone."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers[name]) * unit
        except (KeyError, ValueError):
            continue
        if 0 <= seconds < float("inf"):
            return seconds
    try:
        date = parsedate_to_datetime(headers["retry-after"])
    except (KeyError, ValueError, TypeError):
        return None
    return max(0.0, (date - now).total_seconds()) if date.tzinfo else None
