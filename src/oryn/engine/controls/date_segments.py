"""Fields for dates and times that a page builds of parts: each part gets its number by keys.

https://www.w3.org/WAI/ARIA/apg/patterns/spinbutton/examples/datepicker-spinbuttons/"""

from __future__ import annotations

import re
from datetime import date, time
from typing import TYPE_CHECKING

from oryn.core.text_safety import quoted
from oryn.engine.controls.iso_dates import parse_moment, parse_time
from oryn.engine.page.actionability import wait_until_accepted
from oryn.engine.page.resolve import click_element
from oryn.engine.page.scanner import Resolved, query_scanner
from oryn.errors import ElementDisabled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oryn.engine.page.context import PageContext
    from oryn.scanner.protocol import DateSegmentsRequest, DateSegmentsResponse, FocusRequest

_OF_DAYS = ("year", "month", "day")


async def set_date_segments(context: PageContext, target: Resolved, text: str) -> list[str] | None:
    """Write a date, a time, or both, into a field of parts. Return the notes of the answer; None if `text` is neither,
    or the target is no such field.

    Raises `ElementDisabled` if the field takes no keys."""
    moment, at = parse_moment(text), parse_time(text)
    if moment is None and at is None:
        return None
    day, at = (moment.day, moment.time) if moment else (None, at)
    found = await _query(context, target)
    if not found["segments"]:
        return None
    if any(each["disabled"] for each in found["segments"]):
        raise ElementDisabled("the field is disabled or read-only", "Look at it with 'observe'.")
    await click_element(context, target)
    kinds = [each["kind"] for each in found["segments"]]
    typed: dict[str, str] = {}
    for segment in (await _query(context, target))["segments"]:
        keys = _keys(segment["kind"], day, at, has_halves="half" in kinds)
        if keys is None:
            continue
        request: FocusRequest = {"cmd": "focus", "id": segment["id"]}
        await query_scanner(context.page, request, target.frame, context.deadline.remaining())
        await context.page.keyboard.type(keys)
        typed[segment["kind"]] = keys
    return _missing(kinds, day, at) or _not_taken(typed, (await _query(context, target))["text"])


def _keys(kind: str, day: date | None, at: time | None, *, has_halves: bool) -> str | None:
    """Return what is typed into a part; None if the value says nothing about it."""
    if day is not None and kind in _OF_DAYS:
        return f"{day.year:04}" if kind == "year" else f"{getattr(day, kind):02}"
    if at is None:
        return None
    match kind:
        case "hour":
            return f"{(at.hour + 11) % 12 + 1 if has_halves else at.hour:02}"
        case "minute" | "second":
            return f"{getattr(at, kind):02}"
        case "half":
            return "p" if at.hour >= 12 else "a"
    return None


def _missing(kinds: Sequence[str], day: date | None, at: time | None) -> list[str]:
    """Return a note if the field has parts that the value says nothing about."""
    if day is None and "day" in kinds:
        return ["the field also takes a date: 2026-12-24 10:30"]
    if at is None and "hour" in kinds:
        return ["the field also takes a time: 2026-12-24 10:30"]
    return []


def _not_taken(typed: Mapping[str, str], text: str) -> list[str]:
    """Return a note if the field's text lacks a number that was typed. Months may have names."""
    numbers = {int(each) for each in re.findall(r"\d+", text)}
    wanted = {int(keys) for kind, keys in typed.items() if kind != "month" and keys.isdigit()}
    return [] if wanted <= numbers else [f"the field holds {quoted(text)}"]


async def _query(context: PageContext, target: Resolved) -> DateSegmentsResponse:
    index = context.element_index
    request: DateSegmentsRequest = {"cmd": "date_segments", "id": target.id, "next_id": index.next_id}

    async def send() -> DateSegmentsResponse:
        data: DateSegmentsResponse = await query_scanner(
            context.page, request, target.frame, context.deadline.remaining()
        )
        return data

    data = await wait_until_accepted(context, target.frame, send)
    index.next_id = data["next_id"]
    return data
