"""`click`, `hover`, `focus`, `press`, `scroll`, `submit`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from oryn.browsers.base import MouseButton
from oryn.engine.action import Action, require_no_dialog
from oryn.engine.handlers.registry import handles
from oryn.engine.output.answer import Answer
from oryn.engine.page.element_index import query_scanner
from oryn.engine.page.resolve import Resolved, accepted_place, click_element, resolve
from oryn.language import Click, Focus, Hover, PointTarget, Press, Scroll, Submit

if TYPE_CHECKING:
    from oryn.engine.session import Session


async def query_element(session: Session, target: Resolved, request: dict[str, Any]) -> dict[str, Any]:
    """Send a scanner command about a resolved element to its frame, and return the data."""
    return await query_scanner(session.page, {**request, "id": target.id}, target.frame, session.deadline.remaining())


def _button(command: Click) -> MouseButton:
    """Return the mouse button; the last one named wins (intent-language §5)."""
    if command.middle:
        return "middle"
    return "right" if command.right else "left"


@handles(Click)
async def click(session: Session, command: Click) -> Answer:
    require_no_dialog(session)
    button, count = _button(command), 2 if command.double else 1
    keys = (("control", command.ctrl), ("shift", command.shift), ("alt", command.alt))
    held = [key for key, wanted in keys if wanted]
    if isinstance(command.target, PointTarget):
        action = await Action.begin(session)
        at = command.target
        await session.page.mouse.click(at.x, at.y, button=button, count=count, modifiers=held)
        return await action.report()
    force = command.force
    action, target, place = await Action.begin_on(
        session, command.target, "click", strict=command.strict, locate={"purpose": "click", "force": force}
    )
    await click_element(session, target, place=place, button=button, count=count, modifiers=held, force=force)
    return await action.report(target.notes)


@handles(Hover)
async def hover(session: Session, command: Hover) -> Answer:
    require_no_dialog(session)
    notes: list[str] = []
    if isinstance(command.target, PointTarget):
        action = await Action.begin(session)
        x, y = command.target.x, command.target.y
    else:
        action, target, place = await Action.begin_on(
            session, command.target, "hover", strict=command.strict, locate={"purpose": "hover"}
        )
        notes = target.notes
        x, y = (place or await accepted_place(session, target, purpose="hover")).point
    await session.page.mouse.move(x, y)
    return await action.report(notes)


@handles(Focus)
async def focus(session: Session, command: Focus) -> Answer:
    require_no_dialog(session)
    action, target, _ = await Action.begin_on(session, command.target, "focus", strict=command.strict)
    await query_element(session, target, {"cmd": "focus"})
    return await action.report(target.notes)


EDITING_KEYS = frozenset({"backspace", "delete", "space"})
"""Keys, besides those of a character, that change what a field holds."""


@handles(Press)
async def press(session: Session, command: Press) -> Answer:
    require_no_dialog(session)
    action = await Action.begin(session)
    if len(command.keys[-1]) == 1 or command.keys[-1] in EDITING_KEYS:
        action.edits_focused_field()
    await session.page.keyboard.press(command.keys)
    return await action.report()


@handles(Submit)
async def submit(session: Session, command: Submit) -> Answer:
    """Without a target it is the form that has the focus, or the only form of the page."""
    require_no_dialog(session)
    notes: list[str] = []
    if command.target is None:
        action = await Action.begin(session)
        await query_scanner(session.page, {"cmd": "submit"}, session.frame, session.deadline.remaining())
    else:
        action, target, _ = await Action.begin_on(session, command.target, "submit", strict=command.strict)
        notes = target.notes
        await query_element(session, target, {"cmd": "submit"})
    return await action.report(notes)


@handles(Scroll)
async def scroll(session: Session, command: Scroll) -> Answer:
    """A direction scrolls the page, or the box that contains the target; a target alone is scrolled into view."""
    require_no_dialog(session)
    request: dict[str, Any] = {"cmd": "scroll"}
    frame, notes = session.frame, list[str]()
    if command.target is not None:
        target = await resolve(session, command.target, "scroll", strict=command.strict, wait=True)
        frame, notes = target.frame, target.notes
        request["element" if command.direction is None else "id"] = target.id
    if command.direction is not None or command.target is None:
        request["direction"] = command.direction or "down"
        if command.amount is not None:
            request["amount"] = command.amount
        elif command.page:
            request["page"] = True
    action = await Action.begin(session, reacts=False)
    data = await query_scanner(session.page, request, frame, session.deadline.remaining())
    answer = await action.report(notes)
    answer.data = at = data["scroll"]
    answer.lines.append(scroll_text(at))
    return answer


def scroll_text(at: Mapping[str, float]) -> str:
    """Render the position of a scroll, and its maximum: `at 0,300 of 0,4200`."""
    return f"at {at['x']:.0f},{at['y']:.0f} of {at['max_x']:.0f},{at['max_y']:.0f}"
