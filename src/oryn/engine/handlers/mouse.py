"""`mouse move`, `mouse down`, `mouse up`, `mouse wheel`, `tap`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.browsers.base.input import Point
from oryn.engine.action import Action
from oryn.engine.handlers.registry import handles
from oryn.engine.output.answer import Answer
from oryn.engine.page.context import require_no_dialog
from oryn.engine.page.resolve import accepted_place, resolve
from oryn.engine.page.scanner import query_scanner
from oryn.language import MouseDown, MouseMove, MouseUp, MouseWheel, PointTarget, Tap, Target

if TYPE_CHECKING:
    from oryn.engine.page.context import PageContext
    from oryn.scanner.protocol import PageResponse

NOTCH_PIXELS = 100
"""What one notch of a wheel turns."""
_DIRECTIONS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}


async def _place(
    context: PageContext, target: Target | None, strict: bool, notes: list[str], *, presses: int = 0
) -> Point:
    """Return the point of a target; without one, where the mouse is, or else the middle of the page.

    presses: how often the mouse presses there next; 0 if it does not."""
    if target is None:
        if context.page.mouse.position is not None:
            return context.page.mouse.position
        page: PageResponse = await query_scanner(context.page, {"cmd": "page"}, None, context.deadline.remaining())
        return page["viewport"]["width"] / 2, page["viewport"]["height"] / 2
    if isinstance(target, PointTarget):
        return target.x, target.y
    found = await resolve(context, target, "hover", strict=strict, wait=True)
    notes += found.notes
    # What is dragged may lie over the place.
    is_held = context.page.mouse.held is not None
    return (await accepted_place(context, found, purpose="hover", force=is_held, presses=presses)).point


@handles(MouseMove)
async def mouse_move(context: PageContext, command: MouseMove) -> Answer:
    require_no_dialog(context)
    notes: list[str] = []
    x, y = await _place(context, command.target, command.strict, notes)
    action = await Action.begin(context)
    await context.page.mouse.move(x, y)
    return await action.report(notes)


@handles(MouseDown)
async def mouse_down(context: PageContext, command: MouseDown) -> Answer:
    """The tab holds the button until `mouse up`, also in its next pages."""
    require_no_dialog(context)
    mouse, notes = context.page.mouse, list[str]()
    x, y = await _place(context, command.target, command.strict, notes, presses=1)
    if mouse.held:
        notes.append(f"the {mouse.held} button was held already: it was released first")
        await mouse.release(x, y)
    action = await Action.begin(context)
    await mouse.press(x, y, button="middle" if command.middle else "right" if command.right else "left")
    return await action.report(notes)


@handles(MouseUp)
async def mouse_up(context: PageContext, command: MouseUp) -> Answer:
    """Releasing without a held button is not an error, so that a script may end with it."""
    require_no_dialog(context)
    mouse, notes = context.page.mouse, list[str]()
    x, y = await _place(context, command.target, command.strict, notes)
    if mouse.held is None:
        return Answer(notes=[*notes, "no button was held"])
    action = await Action.begin(context)
    await mouse.release(x, y)
    return await action.report(notes)


@handles(MouseWheel)
async def mouse_wheel(context: PageContext, command: MouseWheel) -> Answer:
    require_no_dialog(context)
    notes: list[str] = []
    x, y = await _place(context, command.target, command.strict, notes)
    across, down = _DIRECTIONS[command.direction or "down"]
    amount = NOTCH_PIXELS if command.amount is None else command.amount
    action = await Action.begin(context, reacts=False)
    await context.page.mouse.wheel(x, y, across * amount, down * amount)
    return await action.report(notes)


@handles(Tap)
async def tap(context: PageContext, command: Tap) -> Answer:
    require_no_dialog(context)
    notes: list[str] = []
    if isinstance(command.target, PointTarget):
        x, y = command.target.x, command.target.y
    else:
        found = await resolve(context, command.target, "click", strict=command.strict, wait=True)
        notes = found.notes
        x, y = (await accepted_place(context, found, purpose="click", presses=1)).point
    action = await Action.begin(context)
    await context.page.mouse.tap(x, y)
    return await action.report(notes)
