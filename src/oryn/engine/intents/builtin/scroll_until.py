"""`scroll until <target>`: scrolls until the element exists and is in view, also on pages that load while scrolling."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.engine.action import Action, require_no_dialog
from oryn.engine.handlers.registry import handles
from oryn.engine.intents.builtin.steps import settle
from oryn.engine.intents.override import overridable
from oryn.engine.output.answer import Answer
from oryn.engine.page.element_index import query_scanner
from oryn.engine.page.elements import Element, label
from oryn.engine.page.ranking import best
from oryn.engine.page.resolve import matches
from oryn.errors import ElementNotFound
from oryn.language import ScrollUntil, Target

if TYPE_CHECKING:
    from oryn.browsers.base import Frame
    from oryn.engine.session import Session


@handles(ScrollUntil)
@overridable
async def scroll_until(session: Session, command: ScrollUntil) -> Answer:
    """Raises `ElementNotFound` at the end of the page, `Timeout` if the page has no end."""
    require_no_dialog(session)
    action = await Action.begin(session, reacts=False)
    last: dict[str, float] | None = None
    while True:
        found = await _visible(session, command.target)
        if found is not None:
            element, frame = found
            await query_scanner(
                session.page, {"cmd": "scroll", "element": element["id"]}, frame, session.deadline.remaining()
            )
            answer = await action.report()
            answer.lines.append(label(element))
            session.view.mark_reported([element["id"]])
            return answer
        at = await _one_screen_down(session)
        if at == last:
            raise ElementNotFound("element not found down to the page's end", "Run 'observe' to see what is there.")
        last = at


async def _one_screen_down(session: Session) -> dict[str, float]:
    """Scroll by one screen and return the position after the page has settled; at its end the position
    stays the same."""
    mark = session.page.mark()
    request = {"cmd": "scroll", "direction": "down", "page": True}
    await query_scanner(session.page, request, session.frame, session.deadline.remaining())
    await settle(session, mark)
    page = await query_scanner(session.page, {"cmd": "page"}, session.frame, session.deadline.remaining())
    at: dict[str, float] = page["scroll"]
    return at


async def _visible(session: Session, target: Target) -> tuple[Element, Frame | None] | None:
    found = await matches(session, target, any=True)
    top = best([element for element, _ in found if element["state"]["visible"]], "scroll")
    return next(((element, frame) for element, frame in found if top and element is top[0]), None)
