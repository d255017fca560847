"""Enters a value into a control that takes no typed text: what `type`, `select` and `fill_form` do about one.

An ordinary text field costs nothing here: its type and role are known already."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.engine.controls.date_picker import pick_date, set_native_date
from oryn.engine.controls.date_segments import set_date_segments
from oryn.engine.controls.iso_dates import NATIVE_FORMS, parse_days
from oryn.engine.controls.slider import SLIDER_ROLES, set_slider
from oryn.engine.page.scanner import Resolved
from oryn.errors import ElementDisabled, ElementNotInteractable, ElementNotVisible, OrynError

if TYPE_CHECKING:
    from oryn.engine.page.context import PageContext


async def enter_value(context: PageContext, target: Resolved, value: str) -> list[str] | None:
    """Set the value of a slider, of a field for dates (also one of parts), or of one that opens a calendar. Return the
    notes of the answer; None if it is another element, or the value is to be typed."""
    element = target.element
    if element is None or not value:
        return None
    role = element.get("role")
    if role in ("group", "spinbutton") and (notes := await set_date_segments(context, target, value)) is not None:
        return notes
    if role in SLIDER_ROLES:
        return await set_slider(context, target, value)
    if role in NATIVE_FORMS and element["type"] == "input":
        return await set_native_date(context, target, str(role), value)
    if element["type"] == "input" and parse_days(value):
        is_readonly = "readonly" in element["modifiers"]
        try:
            return await pick_date(context, target, value, is_field=not is_readonly)
        except (ElementNotVisible, ElementNotInteractable):
            if is_readonly:
                raise
            await context.page.keyboard.press(["escape"])  # the calendar is out of reach: its field takes the text
    return None


async def enter_value_instead(context: PageContext, target: Resolved, value: str, refusal: OrynError) -> list[str]:
    """Set the value of a control whose element takes no text, such as the track of a slider, or a button that opens a
    calendar. Raises `refusal` if there is none."""
    notes = await set_date_segments(context, target, value)
    if notes is None:
        notes = await pick_date(context, target, value, is_field=False)
    if notes is None:
        notes = await set_slider(context, target, value)
    if notes is not None:
        return notes
    if isinstance(refusal, ElementDisabled) and "readonly" in ((target.element or {}).get("modifiers") or ()):
        refusal.hint = "It may open something to choose from: click it."
    raise refusal
