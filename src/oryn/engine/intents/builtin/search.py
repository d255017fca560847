"""`search "<query>"`: the page's own search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.core.records import Record
from oryn.engine.action import Action
from oryn.engine.handlers.forms import write_text
from oryn.engine.handlers.registry import handles
from oryn.engine.intents.builtin.reaction import Reaction
from oryn.engine.intents.builtin.steps import by_role, by_text, element_by_number, scan_page, settle, wait_for_departure
from oryn.engine.intents.override import overridable
from oryn.engine.output.answer import Answer
from oryn.engine.page.context import query_element, require_no_dialog
from oryn.engine.page.resolve import click_element
from oryn.engine.page.scanner import Resolved
from oryn.errors import ElementNotFound, ElementNotInteractable, NoReaction
from oryn.language import Search

if TYPE_CHECKING:
    from oryn.engine.session import Session

OPEN_TEXTS = ("Search", "Open search", "Show search")


class SearchForm(Record):
    """The field, the button that starts the search, and whether both are in a form."""

    field: Resolved
    button: Resolved | None = None
    in_form: bool = False


@handles(Search)
@overridable
async def search(session: Session, command: Search) -> Answer:
    """`--submit auto` (the default) presses Enter. If the page doesn't react, it clicks the button, and finally submits
    the form. `enter` and `click` only do the one thing. The answer is `NoReaction` if the page reacted to none."""
    require_no_dialog(session)
    action = await Action.begin(session)
    form = await _find_form(session)
    reaction = await Reaction.watch(session, form.field)
    notes = await (await write_text(session, form.field, command.query)).notes()
    if not await reaction.arm():
        return await action.report(notes, reaction.effects)
    tried: list[str] = []
    started = await _start(session, command.submit or "auto", form, reaction, tried)
    if command.wait and session.page.url == action.url:
        await wait_for_departure(session, command.wait)
        started = await reaction.wait_for_reaction(late=False) or started
    await reaction.end()
    if started:
        return await action.report(notes, reaction.effects)
    if not reaction.typed:
        error = NoReaction(
            f"the query is typed, but nothing on the page reacted to {' or '.join(tried)}",
            "Run 'observe': perhaps a suggestion is to be chosen, or another button to be pressed.",
        )
        return await action.report(notes, error=error)
    notes.append(f"nothing came of {' or '.join(tried)}: what changed came while the query was typed")
    return await action.report(notes)


async def _start(session: Session, submit: str, form: SearchForm, reaction: Reaction, tried: list[str]) -> bool:
    """Start the search and return whether the page reacted. The actions are appended to `tried`."""
    if submit != "click":
        await session.page.keyboard.press(["enter"])
        tried.append("enter")
        if await reaction.wait_for_reaction():
            return True
        if submit == "enter":
            return False
    button = form.button or (await _find_form_pattern(session) or form).button  # it may appear with the query
    if button is not None:
        await _press(session, button)
        tried.append(f"[{button.id}]")
        if await reaction.wait_for_reaction():
            return True
    elif submit == "click":
        raise ElementNotFound("the search has no button", "Use --submit enter.")
    if submit == "click" or not form.in_form:
        return False
    await query_element(session, form.field, {"cmd": "submit"})
    tried.append("its form's submission")
    return await reaction.wait_for_reaction()


async def _press(session: Session, button: Resolved) -> None:
    """Click the button; a list of suggestions that covers it closes when the field loses the focus."""
    try:
        await click_element(session, button)
    except ElementNotInteractable:
        checkpoint = session.page.checkpoint()
        await session.page.keyboard.press(["tab"])
        await settle(session, checkpoint)
        await click_element(session, button)


async def _find_form(session: Session) -> SearchForm:
    """Find the search form; open it first if it is hidden behind a button."""
    for attempt in range(2):
        if found := await _find_form_pattern(session):
            return found
        field = await by_role(session, "search")
        if field is not None:
            return SearchForm(field)
        opener = None if attempt else await by_text(session, *OPEN_TEXTS)
        if opener is None:
            break
        checkpoint = session.page.checkpoint()
        await click_element(session, opener)
        await settle(session, checkpoint)
    raise ElementNotFound("no search field on this page", "Run 'observe' to see what is there.")


async def _find_form_pattern(session: Session) -> SearchForm | None:
    pattern = (await scan_page(session)).patterns.get("search_form", {})
    if "input" not in pattern:
        return None
    submit = pattern.get("submit")
    return SearchForm(
        element_by_number(session, pattern["input"]),
        element_by_number(session, submit) if submit else None,
        "container" in pattern,
    )
