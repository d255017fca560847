"""Date pickers: an ISO date goes into a native field in its own form, or is picked in the calendar that a field opens.

The scanner finds the calendar by its numbers (`controls/calendar.ts`) and says which month it shows; this module goes
from month to month until it shows the wanted one. What a button does is measured, not assumed."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import date, time
from typing import TYPE_CHECKING, Any

from oryn.core.text_safety import plain, quoted
from oryn.engine.controls.iso_dates import NATIVE_FORMS, Moment, native_value, parse_days, time_in, with_time
from oryn.engine.page.actionability import wait_until_accepted
from oryn.engine.page.context import query_element
from oryn.engine.page.polling import wait_for_change
from oryn.engine.page.resolve import accepted_place, click_element
from oryn.engine.page.scanner import Resolved, query_scanner
from oryn.errors import (
    ElementDisabled,
    ElementNotInteractable,
    ElementNotVisible,
    ElementStale,
    InvalidElementType,
    PageError,
)

if TYPE_CHECKING:
    from oryn.engine.page.context import PageContext
    from oryn.scanner.protocol import (
        CalendarData,
        CalendarRequest,
        CalendarResponse,
        DateLimitsResponse,
        GetStateResponse,
        LocatePurpose,
        ScannerRequest,
    )

OPENING_MILLISECONDS = 500
"""How long a calendar may take to open, or to show another month."""
FIELD_MILLISECONDS = 250
"""The same, for a field that most often has no calendar, so that a date takes little longer than other text."""
MAX_MONTH_CHANGES = 400
MAX_BLIND_PRESSES = 12
FAR_MONTHS = 18
"""Months from which on buttons for whole years are worth a try."""


async def set_native_date(context: PageContext, target: Resolved, kind: str, text: str) -> list[str]:
    """Put a date or a time into a native field of a kind of `NATIVE_FORMS`. Return the notes of the answer.

    Raises `InvalidElementType` with an example if the field takes no such value."""
    value = native_value(kind, text)

    await wait_until_accepted(
        context, target.frame, lambda: query_element(context, target, {"cmd": "prepare", "clear": True})
    )
    try:
        await query_element(context, target, {"cmd": "type", "text": value})
    except InvalidElementType as error:
        raise InvalidElementType(
            f"not a value of a {kind} field: {plain(text)}", f"It takes {NATIVE_FORMS[kind]}."
        ) from error
    limits: DateLimitsResponse = await query_element(context, target, {"cmd": "date_limits"})
    if limits["valid"]:
        return []
    low, high = limits["min"], limits["max"]
    bounds = " ".join(part for part in (low and f"from {low}", high and f"to {high}") if part)
    return [f"the field does not accept {plain(value)}: it takes {bounds or limits['message']}"]


async def pick_date(context: PageContext, target: Resolved, text: str, *, is_field: bool) -> list[str] | None:
    """Pick an ISO date, or a range of dates, in the calendar that belongs to an element. Return the notes of the
    answer; None if `text` is no date, or the element has no calendar.

    is_field: text can be typed into the element, so that only a calendar that its press opens is its own.
    Raises `ElementDisabled` if the calendar does not offer the day, `InvalidElementType` if it does not go there."""
    days = parse_days(text)
    if not days:
        return None
    picker = DatePicker(context, target)
    if not await picker.open(days[0].day, is_field=is_field):
        return None
    before = await picker.value()
    for day in days:
        if day is not days[0] and not await picker.is_open(day.day) and await picker.open(day.day, is_field=is_field):
            await picker.pick(days[0].day)  # it has ended a range that had been begun before, which closed the calendar
        await picker.pick(day.day)
    return await picker.finish(days[-1], before) or await picker.close(days[-1].day)


async def press_enter(context: PageContext, target: Resolved, text: str) -> list[str]:
    """Press Enter in a field after its text; a calendar that this opens again is closed. Return the notes of the
    answer. In a read-only field there is nothing that Enter could confirm, but it would open the calendar."""
    days, element = parse_days(text), target.element
    is_picked = bool(days) and element is not None and element.get("role") not in NATIVE_FORMS
    if is_picked and element is not None and "readonly" in (element.get("modifiers") or ()):
        return ["enter was not pressed: the date was picked in a calendar"]
    await context.page.keyboard.press(["enter"])
    if is_picked and context.page.dialog is None and await DatePicker(context, target).is_open(days[0].day):
        await context.page.keyboard.press(["escape"])
    return []


class DatePicker:
    """The calendar of one field. `_calendar` is the scanner's last report on it (`calendar` in `scanner.protocol`)."""

    def __init__(self, context: PageContext, target: Resolved) -> None:
        self._context = context
        self._target = target
        self._calendar: CalendarData | None = None
        self._opener: int | None = None
        self._in_dialog = False
        self._has_opened = False
        # A button that says nothing of itself may open a calendar, or be a press that a person has to confirm.
        self._purpose: LocatePurpose = "choose" if context.options.only_clicks_press else "open"

    async def open(self, day: date, *, is_field: bool) -> bool:
        """Open the calendar, unless it is open. Return whether there is one whose month is readable."""
        focused = "focused" in ((self._target.element or {}).get("modifiers") or ())
        before = await self._query(day)
        if before and (focused if before["floating"] else not is_field):
            return bool(before["first"])
        try:
            found = await self._press_and_look(self._target.id, day, before, is_field)
        except (ElementNotVisible, ElementNotInteractable):
            if before and before["floating"]:  # it lies over its own field
                return bool(before["first"])
            raise
        if before and before["floating"]:
            if not found:  # the press has closed it, or that of another field
                found = await self._press_and_look(self._target.id, day, None, is_field)
            elif not is_field and found["key"] == before["key"]:  # that of another field would have been closed
                return bool(found["first"])
        if not self._is_new(found, before) and self._opener is not None:
            found = await self._press_and_look(self._opener, day, before, is_field=False)
        self._has_opened = self._is_new(found, before) and bool(found and found["first"])
        return self._has_opened

    async def _press_and_look(
        self, number: int, day: date, before: CalendarData | None, is_field: bool
    ) -> CalendarData | None:
        """Press an element, and return the calendar that is shown then, waiting a moment for another than `before`."""
        await self._press(number)
        patience = FIELD_MILLISECONDS if is_field else OPENING_MILLISECONDS
        return await self._query(day, timeout=patience, unlike=before["key"] if before else None)

    @staticmethod
    def _is_new(found: CalendarData | None, before: CalendarData | None) -> bool:
        return found is not None and (before is None or found["key"] != before["key"])

    async def is_open(self, day: date) -> bool:
        """Return whether a calendar is open now. False if the field is gone."""
        with suppress(ElementStale, PageError):
            return await self._query(day) is not None
        return False

    async def pick(self, day: date) -> None:
        """Show the month of a day, and press the day."""
        for is_last in (False, True):
            await self._show(day)
            assert self._calendar is not None and self._calendar["day"] is not None
            if self._calendar["disabled"]:
                raise ElementDisabled(f"the calendar does not offer {day.isoformat()}", "Choose another date.")
            try:
                await self._press(self._calendar["day"])
                return
            except ElementStale:  # of a calendar that was about to close, or that is drawn anew
                if is_last:
                    raise

    async def value(self) -> str | None:
        """Return what the field holds."""
        data: GetStateResponse = await self._request({"cmd": "get_state", "id": self._target.id})
        return data["state"]["value"]

    async def finish(self, day: Moment, before: str | None) -> list[str]:
        """Wait until the field has the date, and press the calendar's own button for that if it needs one. Return the
        notes of the answer."""
        kind = self._target.element["type"] if self._target.element else ""
        if kind != "input":
            return [_time_is_left(day)] if day.time is not None else []
        value = await self._changed_value(before)
        if value == before and (displayed := await self._query(day.day)) and displayed["confirm"] is not None:
            await self._press(displayed["confirm"])
            value = await self._changed_value(before)
        if value == before and not (value and str(day.day.day) in value):
            return [f"the field still holds {quoted(value or '')}: the calendar may need another step"]
        years = re.findall(r"(?<!\d)[12]\d{3}(?!\d)", value or "")
        if years and str(day.day.year) not in years:
            return [f"the field holds {quoted(value or '')}: another date than {day.day.isoformat()}"]
        return await self._set_time(day, value or "")

    async def _set_time(self, day: Moment, value: str) -> list[str]:
        """Set the wanted time in the calendar's own fields, or type it in the place of the one that the field shows
        beside the date, if text can be typed into it. Return the notes of the answer."""
        displayed = time_in(value)
        if day.time is None or displayed == day.time:
            return []
        if await self._set_calendar_time(day, value) == day.time:
            return []
        modifiers = (self._target.element or {}).get("modifiers") or ()
        if displayed is None or "readonly" in modifiers:
            return [_time_is_left(day)]
        text = with_time(value, day.time)
        await self._replace_text(self._target.id, text)
        return [] if await self.value() == text else [_time_is_left(day)]

    async def _set_calendar_time(self, day: Moment, before: str) -> time | None:
        """Set the time in the calendar's fields for an hour and a minute. Return the time that the field shows then."""
        assert day.time is not None
        displayed = await self._query(day.day, time=day.time.isoformat("minutes"))
        if not displayed or not displayed["time"]:
            return None
        for step in displayed["time"]:
            if "value" in step:
                await self._request({"cmd": "select", "id": step["id"], "value": step["value"]})
            elif "text" in step:
                await self._replace_text(step["id"], step["text"])
                await self._context.page.keyboard.press(["tab"])
            else:
                await self._press(step["id"])
        return time_in(await self._changed_value(before) or "")

    async def close(self, day: date) -> list[str]:
        """Close the calendar that `open` has opened if it is still open, unless the key for that may close the dialog
        around it. What is typed next would go into it. Return the notes of the answer."""
        page = self._context.page
        if not self._has_opened or self._in_dialog or page.dialog is not None:
            return []
        await self._settle()
        if not await self.is_open(day):
            return []
        value = await self.value()
        await page.keyboard.press(["escape"])
        await self._settle()
        if (now := await self.value()) != value:
            return [f"the field holds {quoted(now or '')} now that its calendar is closed"]
        return []

    async def _settle(self) -> None:
        page, options = self._context.page, self._context.options
        await page.settle(page.checkpoint(), limit=min(options.settle_limit, self._context.deadline.remaining()))

    async def _changed_value(self, before: str | None) -> str | None:
        for _ in range(3):
            value = await self.value()
            if value != before:
                return value
            await wait_for_change(self._context, OPENING_MILLISECONDS / 1000)
        return await self.value()

    # --- from month to month ---

    async def _show(self, day: date) -> None:
        """Go to the month of a day. Raises `InvalidElementType` if the calendar does not go there."""
        displayed = await self._query(day, timeout=OPENING_MILLISECONDS)
        useless: set[int] = set()
        lengths: dict[int, int] = {}
        for _ in range(MAX_MONTH_CHANGES):
            if displayed is None or (first := displayed["first"]) is None:
                break
            if displayed["day"] is not None:
                return
            distance = _distance(first, displayed["last"] or first, day)
            if await self._choose_in_select(displayed, first, day):
                displayed = await self._query(day, timeout=OPENING_MILLISECONDS, after=first)
                continue
            button = _button(displayed, distance, useless, lengths)
            if button is None:
                break
            try:
                await self._press(button, _repetitions(distance, lengths.get(button, 0)))
            except ElementStale:  # the page has drawn the calendar anew
                displayed = await self._query(day, timeout=OPENING_MILLISECONDS)
                continue
            now = await self._query(day, timeout=OPENING_MILLISECONDS, after=first)
            went = _months(now["first"]) - _months(first) if now and now["first"] else 0
            if went * distance <= 0:
                useless.add(button)
            lengths[button] = lengths.get(button) or abs(went)
            displayed = now
        month = displayed["first"] if displayed else None
        reason = f": it shows {month}" if month else ""
        raise InvalidElementType(
            f"the calendar does not go to {day.isoformat()[:7]}{reason}", "Run 'observe' to see the calendar."
        )

    async def _choose_in_select(self, calendar: CalendarData, first: str, day: date) -> bool:
        """Choose the year, then the month, in selects of the calendar; type the year into its field if it is far."""
        choice = calendar["year_option"] or calendar["month_option"]
        if choice is not None:
            await self._request({"cmd": "select", "id": choice["id"], "value": choice["value"]})
            return True
        if calendar["year_field"] is None or first[:4] == str(day.year):
            return False
        await self._replace_text(calendar["year_field"], str(day.year))
        changed = await self._query(day, timeout=OPENING_MILLISECONDS, after=first)
        return changed is not None and changed["first"] != first

    async def _press(self, number: int, times: int = 1) -> None:
        button = Resolved(number, self._target.frame)
        await click_element(self._context, button, purpose=self._purpose)
        if times > 1:
            x, y = (await accepted_place(self._context, button, purpose="click")).point
            for _ in range(times - 1):
                await self._context.page.mouse.click(x, y)

    async def _replace_text(self, number: int, text: str) -> None:
        """Type a text in the place of what a field holds."""
        await self._request({"cmd": "prepare", "id": number, "clear": True})
        await self._context.page.keyboard.type(text)

    async def _request(self, request: ScannerRequest) -> Any:
        """Send a request to the scanner of the element's frame."""
        left = self._context.deadline.remaining()
        return await query_scanner(self._context.page, request, self._target.frame, left)

    async def _query(
        self,
        day: date,
        *,
        time: str | None = None,
        timeout: float | None = None,
        after: str | None = None,
        unlike: int | None = None,
    ) -> CalendarData | None:
        index = self._context.element_index
        request: CalendarRequest = {"cmd": "calendar", "id": self._target.id, "date": day.isoformat(), "time": time}
        request |= {"timeout": timeout, "after": after, "unlike": unlike, "next_id": index.next_id}
        data: CalendarResponse = await self._request(request)
        index.next_id = data["next_id"]
        self._calendar, self._opener, self._in_dialog = data["calendar"], data["opener"], data["in_dialog"]
        return self._calendar


def _time_is_left(day: Moment) -> str:
    return f"the calendar took the day; set the time {day.time.isoformat('minutes') if day.time else ''} in it"


def _months(text: str) -> int:
    year, _, month = text.partition("-")
    return int(year) * 12 + int(month)


def _distance(first: str, last: str, day: date) -> int:
    """Return how many months later the day is than those that the calendar shows; negative if earlier."""
    month = day.year * 12 + day.month
    return month - _months(last) if month > _months(last) else month - _months(first)


def _repetitions(distance: int, length: int) -> int:
    """Return how often a button may be pressed without a look at the calendar: once, unless the way is far. If the
    button moves and a press picks another day, the last press corrects that."""
    return 1 if not length or abs(distance) < FAR_MONTHS * length else min(MAX_BLIND_PRESSES, abs(distance) // length)


def _button(displayed: CalendarData, distance: int, useless: set[int], lengths: dict[int, int]) -> int | None:
    """Return the button to press next: the one that goes farthest without going too far, an untried one if only that
    may. None if none is left."""
    candidates: list[int] = [
        each for each in displayed["forward" if distance > 0 else "backward"] if each not in useless
    ]
    fitting = [each for each in candidates if 0 < lengths.get(each, 0) <= abs(distance)]
    untried = [each for each in candidates if each not in lengths]
    if untried and (not fitting or (abs(distance) > FAR_MONTHS and all(lengths[each] < 12 for each in fitting))):
        return untried[0]
    return max(fitting, key=lengths.__getitem__, default=None)
