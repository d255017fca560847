"""`search "<query>"`: the page's own search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.engine.actions import Action, require_no_dialog
from oryn.engine.answer import Answer
from oryn.engine.execute.acting import ask_about
from oryn.engine.execute.filling import write
from oryn.engine.execute.registry import handles
from oryn.engine.intents.own.builtin import overridable
from oryn.engine.intents.reaction import Reaction
from oryn.engine.intents.steps import by_role, by_text, known, linger, look, settle
from oryn.engine.pointing import press_element
from oryn.engine.resolve import Resolved
from oryn.errors import ElementNotFound, ElementNotInteractable, NoReaction
from oryn.language import Search
from oryn.records import Record

if TYPE_CHECKING:
    from oryn.engine.session import Session

OPENERS = ("Search", "Open search", "Show search")


class Form(Record):
    """The field, the button that starts the search, and whether both are in a form."""

    field: Resolved
    button: Resolved | None = None
    in_form: bool = False


@handles(Search)
@overridable
async def search(session: Session, command: Search) -> Answer:
    """`--submit auto` (the default) presses Enter, where nothing comes of that the button, and at last sends the form;
    `enter` and `click` do the one thing. Raises `NoReaction` where nothing came of it."""
    require_no_dialog(session)
    action = await Action.begin(session)
    form = await _form(session)
    reaction = await Reaction.to(session, form.field)
    notes = await (await write(session, form.field, command.query)).notes()
    if not await reaction.arm():
        return await action.report(notes, reaction.happened)
    tried: list[str] = []
    started = await _start(session, command.submit or "auto", form, reaction, tried)
    if command.wait and session.page.url == action.url:
        await linger(session, command.wait)
        started = await reaction.seen(late=False) or started
    await reaction.end()
    if started:
        return await action.report(notes, reaction.happened)
    if not reaction.typed:
        raise NoReaction(
            f"the query is typed, but nothing on the page reacted to {' or '.join(tried)}",
            "Run 'observe': perhaps a suggestion is to be chosen, or another button to be pressed.",
        )
    notes.append(f"nothing came of {' or '.join(tried)}: what changed came while the query was typed")
    return await action.report(notes)


async def _start(session: Session, submit: str, form: Form, reaction: Reaction, tried: list[str]) -> bool:
    """Start the search; whether the page reacted. `tried` gets what was done."""
    if submit != "click":
        await session.page.press(["enter"])
        tried.append("enter")
        if await reaction.seen():
            return True
        if submit == "enter":
            return False
    button = form.button or (await _found(session) or form).button  # one may have come with the query
    if button is not None:
        await _press(session, button)
        tried.append(f"[{button.id}]")
        if await reaction.seen():
            return True
    elif submit == "click":
        raise ElementNotFound("the search has no button", "Use --submit enter.")
    if submit == "click" or not form.in_form:
        return False
    await ask_about(session, form.field, {"cmd": "submit"})
    tried.append("its form's submission")
    return await reaction.seen()


async def _press(session: Session, button: Resolved) -> None:
    """Press the button; a list of suggestions that lies over it closes when the field is left."""
    try:
        await press_element(session, button)
    except ElementNotInteractable:
        mark = session.page.mark()
        await session.page.press(["tab"])
        await settle(session, mark)
        await press_element(session, button)


async def _form(session: Session) -> Form:
    """A search that hides behind a button is opened first."""
    for attempt in range(2):
        if found := await _found(session):
            return found
        field = await by_role(session, "search")
        if field is not None:
            return Form(field)
        opener = None if attempt else await by_text(session, *OPENERS)
        if opener is None:
            break
        mark = session.page.mark()
        await press_element(session, opener)
        await settle(session, mark)
    raise ElementNotFound("no search field on this page", "Run 'observe' to see what is there.")


async def _found(session: Session) -> Form | None:
    pattern = (await look(session)).patterns.get("search_form", {})
    if "input" not in pattern:
        return None
    submit = pattern.get("submit")
    return Form(known(session, pattern["input"]), known(session, submit) if submit else None, "container" in pattern)
