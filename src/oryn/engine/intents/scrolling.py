"""`scroll until <target>`: scrolls until the element is there and in view, also on pages that load as one scrolls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.engine.actions import Action, require_no_dialog
from oryn.engine.answer import Answer
from oryn.engine.elements import Element, label
from oryn.engine.execute.registry import handles
from oryn.engine.intents.own.builtin import overridable
from oryn.engine.intents.steps import settle
from oryn.engine.ranking import best
from oryn.engine.resolve import matches
from oryn.engine.view import ask
from oryn.errors import ElementNotFound
from oryn.language import ScrollUntil, Target

if TYPE_CHECKING:
    from oryn.browsers.base import Frame
    from oryn.engine.session import Session


@handles(ScrollUntil)
@overridable
async def scroll_until(session: Session, command: ScrollUntil) -> Answer:
    """Raises `ElementNotFound` at the end of the page, `Timeout` on one that has none."""
    require_no_dialog(session)
    action = await Action.begin(session)
    last: dict[str, float] | None = None
    while True:
        found = await _visible(session, command.target)
        if found is not None:
            element, frame = found
            await ask(session.page, {"cmd": "scroll", "element": element["id"]}, frame, session.remaining())
            answer = await action.report()
            answer.lines.append(label(element))
            session.view.tell([element["id"]])
            return answer
        at = await _one_screen_down(session)
        if at == last:
            raise ElementNotFound("element not found down to the page's end", "Run 'observe' to see what is there.")
        last = at


async def _one_screen_down(session: Session) -> dict[str, float]:
    """Where the page stands once what the scrolling loaded is there; the same as before at its end."""
    mark = session.page.mark()
    request = {"cmd": "scroll", "direction": "down", "page": True}
    await ask(session.page, request, session.frame, session.remaining())
    await settle(session, mark)
    page = await ask(session.page, {"cmd": "page"}, session.frame, session.remaining())
    at: dict[str, float] = page["scroll"]
    return at


async def _visible(session: Session, target: Target) -> tuple[Element, Frame | None] | None:
    found = await matches(session, target, any=True)
    top = best([element for element, _ in found if element["state"]["visible"]], "scroll")
    return next(((element, frame) for element, frame in found if top and element is top[0]), None)
