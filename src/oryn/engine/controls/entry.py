"""Enters a value into a control that takes no typed text: what `type`, `select` and `fill_form` do about one.

An ordinary text field costs nothing here: its type and role are known already."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.engine.controls.slider import SLIDER_ROLES, set_slider
from oryn.engine.page.resolve import Resolved
from oryn.errors import OrynError

if TYPE_CHECKING:
    from oryn.engine.session import Session


async def enter_value(session: Session, target: Resolved, value: str) -> list[str] | None:
    """Set the value of a control that is known to take one: a slider. Return the notes of the answer; None if it is
    another element."""
    element = target.element
    if element is not None and element.get("role") in SLIDER_ROLES:
        return await set_slider(session, target, value)
    return None


async def enter_value_instead(session: Session, target: Resolved, value: str, refusal: OrynError) -> list[str]:
    """Set the value of a control whose element takes no text, such as the track of a slider. Raises `refusal` if there
    is none."""
    notes = await set_slider(session, target, value)
    if notes is None:
        raise refusal
    return notes
