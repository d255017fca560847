"""The mouse on an element: where to press it, and the press itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from oryn.browsers.base import MouseButton
from oryn.engine.conditions import next_change
from oryn.engine.resolve import Resolved
from oryn.engine.view import ask
from oryn.errors import ElementNotInteractable, ElementNotVisible

if TYPE_CHECKING:
    from oryn.engine.session import Session

HOVER_LIMIT = 1.0
"""Seconds that an element may be away after the mouse has come over it: a page may load a picture for that first."""


async def point_of(
    session: Session, target: Resolved, *, purpose: str, force: bool = False, scroll: bool = True
) -> tuple[float, float]:
    """Where in the tab's viewport the element can be pressed, after the scanner has checked that it can."""
    request = {"cmd": "locate", "id": target.id, "force": force, "purpose": purpose, "scroll_into_view": scroll}
    data = await ask(session.page, request, target.frame, session.remaining())
    if target.frame is None:
        return data["x"], data["y"]
    return await session.page.to_viewport(data["x"], data["y"], target.frame)


async def press_element(
    session: Session,
    target: Resolved,
    *,
    button: MouseButton = "left",
    count: int = 1,
    modifiers: Sequence[str] = (),
    force: bool = False,
) -> None:
    """Move the mouse over the element, see that it is still there, and press.

    What a page does when the mouse comes (a menu, another picture) may move or cover the element; a press aimed before
    that would miss it."""
    x, y = await point_of(session, target, purpose="click", force=force)
    if not force:
        await session.page.mouse_move(x, y)
        x, y = await _point_under_mouse(session, target)
    await session.page.mouse_click(x, y, button=button, count=count, modifiers=modifiers)


async def _point_under_mouse(session: Session, target: Resolved) -> tuple[float, float]:
    """Where the element is now that the mouse is over it. Raises what `point_of` raises when it does not come back."""
    left = HOVER_LIMIT
    while True:
        try:
            return await point_of(session, target, purpose="click")
        except (ElementNotVisible, ElementNotInteractable):
            if left <= 0:
                raise
        left -= await next_change(session, min(left, session.remaining()))
