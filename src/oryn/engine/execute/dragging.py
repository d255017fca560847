"""`drag`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.engine.actions import Action, require_no_dialog
from oryn.engine.answer import Answer
from oryn.engine.execute.registry import handles
from oryn.engine.pointing import point_of
from oryn.engine.resolve import Resolved, resolve
from oryn.errors import ElementNotInteractable, ElementNotVisible
from oryn.language import Drag, Point, Target

if TYPE_CHECKING:
    from oryn.engine.session import Session


@handles(Drag)
async def drag(session: Session, command: Drag) -> Answer:
    """Where to drop it may be out of sight: the page is scrolled there while the button is held."""
    require_no_dialog(session)
    what = await _end(session, command.target, command.strict)
    where = await _end(session, command.to, command.strict)
    action = await Action.begin(session)
    x, y = (what.x, what.y) if isinstance(what, Point) else await point_of(session, what, purpose="hover")
    free = not isinstance(where, Point) and await _is_free(session, where)

    async def aim() -> tuple[float, float]:
        if isinstance(where, Point):
            return where.x, where.y
        try:
            return await point_of(session, where, purpose="hover")
        except ElementNotInteractable:
            if not free:
                raise
            # Only what is being dragged has come over it.
            return await point_of(session, where, purpose="hover", force=True)

    await session.page.drag(x, y, aim)
    notes = [note for end in (what, where) if isinstance(end, Resolved) for note in end.notes]
    return await action.report(notes)


async def _end(session: Session, target: Target, strict: bool) -> Resolved | Point:
    return target if isinstance(target, Point) else await resolve(session, target, "drag", strict=strict)


async def _is_free(session: Session, where: Resolved) -> bool:
    """Whether nothing covers the place before the drag begins; one that is out of sight now is looked at later."""
    try:
        await point_of(session, where, purpose="hover", scroll=False)
    except (ElementNotInteractable, ElementNotVisible):
        return False
    return True
