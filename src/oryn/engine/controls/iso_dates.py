"""Dates and times as commands write them, and as native fields take them.

https://html.spec.whatwg.org/multipage/common-microsyntaxes.html#dates-and-times"""

from __future__ import annotations

import re
from datetime import date, time

from oryn.core.records import Record

NATIVE_FORMS = {
    "date": "2026-12-24",
    "datetime-local": "2026-12-24T10:30",
    "month": "2026-12",
    "week": "2026-W52",
    "time": "10:30",
}
"""The types of native fields for dates and times, each with an example of its value."""

_DATE = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")
_DATE_TIME = re.compile(r"(\d{4}-\d{1,2}-\d{1,2})(?:[T ]\s*+(.+))?")
_MONTH = re.compile(r"(\d{4})-(\d{1,2})")
_TIME = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s*([ap]m)?", re.IGNORECASE)
_TIME_IN_TEXT = re.compile(r"(?<!\d)(\d{1,2}):(\d{2})(:\d{2})?(\s*)([ap]\.?m\b\.?)?(?![\d:])", re.IGNORECASE)
_DATE_RANGE = re.compile(r"(\d{4}-\d{1,2}-\d{1,2})\s*(?:to|–|—|-|/|,|\.\.)\s*(\d{4}-\d{1,2}-\d{1,2})")


class Moment(Record):
    """A day, and the time of the day if one is named."""

    day: date
    time: time | None = None


def parse_date(text: str) -> date | None:
    """Return the date that a text is in ISO form, or None."""
    found = _DATE.fullmatch(text.strip())
    try:
        return date(*map(int, found.groups())) if found else None
    except ValueError:
        return None


def parse_time(text: str) -> time | None:
    """Return the time that a text is: `9:05`, `21:30:15`, `3:30 pm`; or None."""
    found = _TIME.fullmatch(text.strip())
    if not found:
        return None
    hour, half = int(found[1]), (found[4] or "").lower()
    if half and not 1 <= hour <= 12:
        return None
    try:
        return time(hour % 12 + (12 if half == "pm" else 0) if half else hour, int(found[2]), int(found[3] or 0))
    except ValueError:
        return None


def time_in(text: str) -> time | None:
    """Return the only time in a text (`24/12/2026 9:05 PM`); None if it has none, or several."""
    found = list(_TIME_IN_TEXT.finditer(text))
    return parse_time(found[0][0].replace(".", "")) if len(found) == 1 else None


def with_time(text: str, at: time) -> str:
    """Return a text with another time in the place of its only one (`time_in`), written like that one."""
    found = _TIME_IN_TEXT.search(text)
    assert found is not None
    half = found[5] or ""
    hour = str((at.hour - 1) % 12 + 1 if half else at.hour)
    if len(found[1]) == 2 and (not half or found[1].startswith("0")):
        hour = hour.zfill(2)
    if half:
        first = "p" if at.hour >= 12 else "a"
        half = (first if half[0].islower() else first.upper()) + half[1:]
    seconds = f":{at.second:02}" if found[3] else ""
    return f"{text[: found.start()]}{hour}:{at.minute:02}{seconds}{found[4]}{half}{text[found.end() :]}"


def parse_moment(text: str) -> Moment | None:
    """Return the day, and the time after it, of an ISO date (`2026-12-24`, `2026-12-24 10:30`); or None."""
    found = _DATE_TIME.fullmatch(text.strip())
    day = parse_date(found[1]) if found else None
    if found is None or day is None:
        return None
    if found[2] is None:
        return Moment(day)
    at = parse_time(found[2].removesuffix("Z"))
    return Moment(day, at) if at else None


def parse_days(text: str) -> list[Moment]:
    """Return the days of a date (`2026-12-24`) or of a range of dates (`2026-12-24 to 2026-12-28`). Empty if the text
    is neither."""
    if found := _DATE_RANGE.fullmatch(text.strip()):
        days = [parse_moment(part) for part in found.groups()]
        return [day for day in days if day] if all(days) else []
    only = parse_moment(text)
    return [only] if only else []


def native_value(kind: str, text: str) -> str:
    """Return a text in the form that a native field takes (`NATIVE_FORMS`); the text itself if it is no such date."""
    moment, at = parse_moment(text), parse_time(text)
    match kind:
        case "date" if moment:
            return moment.day.isoformat()
        case "datetime-local" if moment and moment.time:
            return f"{moment.day.isoformat()}T{_time_text(moment.time)}"
        case "time" if at or (moment and moment.time):
            return _time_text(at or (moment.time if moment and moment.time else time()))
        case "month" if moment:
            return moment.day.isoformat()[:7]
        case "month" if found := _MONTH.fullmatch(text.strip()):
            return f"{found[1]}-{int(found[2]):02}"
        case "week" if moment:
            year, week, _ = moment.day.isocalendar()
            return f"{year}-W{week:02}"
    return text.strip()


def _time_text(at: time) -> str:
    return at.isoformat("seconds" if at.second else "minutes")
