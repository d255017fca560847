"""`search "<query>"`: the page's own search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.engine.actions import Action, require_no_dialog
from oryn.engine.answer import Answer
from oryn.engine.execute.filling import write
from oryn.engine.execute.registry import handles
from oryn.engine.intents.own.builtin import overridable
from oryn.engine.intents.steps import by_role, by_text, known, linger, look, settle
from oryn.engine.pointing import press_element
from oryn.engine.resolve import Resolved
from oryn.errors import ElementNotFound
from oryn.language import Search

if TYPE_CHECKING:
    from oryn.engine.session import Session

OPENERS = ("Search", "Open search", "Show search")


@handles(Search)
@overridable
async def search(session: Session, command: Search) -> Answer:
    """`--submit auto` (the default) presses Enter; `click` presses the form's button."""
    require_no_dialog(session)
    action = await Action.begin(session)
    field, button = await _field(session)
    await write(session, field, command.query)
    if command.submit == "click":
        if button is None:
            raise ElementNotFound("the search has no button", "Use --submit enter.")
        await press_element(session, button)
    else:
        await session.page.press(["enter"])
    if command.wait and session.page.url == action.url:
        await linger(session, command.wait)
    return await action.report()


async def _field(session: Session) -> tuple[Resolved, Resolved | None]:
    """The field and its button. A search that hides behind a button is opened first."""
    for attempt in range(2):
        pattern = (await look(session)).patterns.get("search_form", {})
        if "input" in pattern:
            submit = pattern.get("submit")
            return known(session, pattern["input"]), known(session, submit) if submit else None
        found = await by_role(session, "search")
        if found is not None:
            return found, None
        opener = None if attempt else await by_text(session, *OPENERS)
        if opener is None:
            break
        mark = session.page.mark()
        await press_element(session, opener)
        await settle(session, mark)
    raise ElementNotFound("no search field on this page", "Run 'observe' to see what is there.")
