"""`drag`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.engine.action import Action
from oryn.engine.handlers.registry import handles
from oryn.engine.output.answer import Answer
from oryn.engine.page.context import require_no_dialog
from oryn.engine.page.resolve import hit_place, resolve
from oryn.engine.page.scanner import Resolved
from oryn.engine.postcondition import Postcondition
from oryn.errors import ElementNotInteractable, ElementNotVisible
from oryn.language import Drag, PointTarget, Target

if TYPE_CHECKING:
    from oryn.engine.page.context import PageContext


REACTION_SECONDS = 0.5
"""How long the page may move other things out of the way of what is dragged."""


@handles(Drag)
async def drag(context: PageContext, command: Drag) -> Answer:
    """The drop point may be out of sight: the page is scrolled there while the button is held."""
    require_no_dialog(context)
    what = await _end(context, command.target, command.strict)
    where = None if command.to is None else await _end(context, command.to, command.strict)
    dx, dy = command.offset or (0, 0)
    action = await Action.begin(context)
    if isinstance(what, PointTarget):
        x, y = what.x, what.y
    else:
        x, y = (await hit_place(context, what, purpose="hover", presses=1)).point
    free = isinstance(where, Resolved) and await _is_free(context, where)

    end: tuple[float, float] | None = None

    async def aim() -> tuple[float, float]:
        nonlocal end
        if end is None:
            end_x, end_y = await middle()
            end = end_x + dx, end_y + dy
        else:
            page = context.page
            await page.settle(page.checkpoint(), limit=min(REACTION_SECONDS, context.deadline.remaining()))
        return end

    async def middle() -> tuple[float, float]:
        if where is None:
            return x, y
        if isinstance(where, PointTarget):
            return where.x, where.y
        try:
            return (await hit_place(context, where, purpose="hover")).point
        except ElementNotInteractable:
            if not free:
                raise
            # Only the dragged element covers it.
            return (await hit_place(context, where, purpose="hover", force=True)).point

    await context.page.mouse.drag(x, y, aim)
    notes = [note for end in (what, where) if isinstance(end, Resolved) for note in end.notes]
    expects = [Postcondition(what, {"kind": "dropped"})] if isinstance(what, Resolved) and where is not None else []
    return await action.report(notes, expects=expects)


async def _end(context: PageContext, target: Target, strict: bool) -> Resolved | PointTarget:
    return (
        target if isinstance(target, PointTarget) else await resolve(context, target, "drag", strict=strict, wait=True)
    )


async def _is_free(context: PageContext, where: Resolved) -> bool:
    """Return whether nothing covers the drop point before the drag begins. One that is out of sight is
    checked later."""
    try:
        await hit_place(context, where, purpose="hover", scroll=False)
    except (ElementNotInteractable, ElementNotVisible):
        return False
    return True
