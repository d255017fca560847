"""`mouse move`, `mouse down`, `mouse up`, `mouse wheel`, `tap`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.browsers.base.input import Point
from oryn.engine.action import Action, require_no_dialog
from oryn.engine.handlers.registry import handles
from oryn.engine.output.answer import Answer
from oryn.engine.page.element_index import query_scanner
from oryn.engine.page.resolve import accepted_place, resolve
from oryn.language import MouseDown, MouseMove, MouseUp, MouseWheel, PointTarget, Tap, Target

if TYPE_CHECKING:
    from oryn.engine.session import Session

NOTCH_PIXELS = 100
"""What one notch of a wheel turns."""
_DIRECTIONS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}


async def _place(session: Session, target: Target | None, strict: bool, notes: list[str], *, presses: int = 0) -> Point:
    """Return the point of a target; without one, where the mouse is, or else the middle of the page.

    presses: how often the mouse presses there next; 0 if it does not."""
    if target is None:
        return session.page.mouse.position or await _middle(session)
    if isinstance(target, PointTarget):
        return target.x, target.y
    found = await resolve(session, target, "hover", strict=strict, wait=True)
    notes += found.notes
    # What is dragged may lie over the place.
    is_held = session.page.mouse.held is not None
    return (await accepted_place(session, found, purpose="hover", force=is_held, presses=presses)).point


async def _middle(session: Session) -> Point:
    page = await query_scanner(session.page, {"cmd": "page"}, None, session.deadline.remaining())
    return page["viewport"]["width"] / 2, page["viewport"]["height"] / 2


@handles(MouseMove)
async def mouse_move(session: Session, command: MouseMove) -> Answer:
    require_no_dialog(session)
    notes: list[str] = []
    x, y = await _place(session, command.target, command.strict, notes)
    action = await Action.begin(session)
    await session.page.mouse.move(x, y)
    return await action.report(notes)


@handles(MouseDown)
async def mouse_down(session: Session, command: MouseDown) -> Answer:
    """The tab holds the button until `mouse up`, also in its next pages."""
    require_no_dialog(session)
    mouse, notes = session.page.mouse, list[str]()
    x, y = await _place(session, command.target, command.strict, notes, presses=1)
    if mouse.held:
        notes.append(f"the {mouse.held} button was held already: it was released first")
        await mouse.release(x, y)
    action = await Action.begin(session)
    await mouse.press(x, y, button="middle" if command.middle else "right" if command.right else "left")
    return await action.report(notes)


@handles(MouseUp)
async def mouse_up(session: Session, command: MouseUp) -> Answer:
    """Releasing without a held button is not an error, so that a script may end with it."""
    require_no_dialog(session)
    mouse, notes = session.page.mouse, list[str]()
    x, y = await _place(session, command.target, command.strict, notes)
    if mouse.held is None:
        return Answer(notes=[*notes, "no button was held"])
    action = await Action.begin(session)
    await mouse.release(x, y)
    return await action.report(notes)


@handles(MouseWheel)
async def mouse_wheel(session: Session, command: MouseWheel) -> Answer:
    require_no_dialog(session)
    notes: list[str] = []
    x, y = await _place(session, command.target, command.strict, notes)
    across, down = _DIRECTIONS[command.direction or "down"]
    amount = NOTCH_PIXELS if command.amount is None else command.amount
    action = await Action.begin(session, reacts=False)
    await session.page.mouse.wheel(x, y, across * amount, down * amount)
    return await action.report(notes)


@handles(Tap)
async def tap(session: Session, command: Tap) -> Answer:
    require_no_dialog(session)
    notes: list[str] = []
    if isinstance(command.target, PointTarget):
        x, y = command.target.x, command.target.y
    else:
        found = await resolve(session, command.target, "click", strict=command.strict, wait=True)
        notes = found.notes
        x, y = (await accepted_place(session, found, purpose="click", presses=1)).point
    action = await Action.begin(session)
    await session.page.mouse.tap(x, y)
    return await action.report(notes)
