"""`select`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.engine.action import Action, require_no_dialog
from oryn.engine.controls.date_picker import pick_date
from oryn.engine.controls.entry import enter_value
from oryn.engine.handlers.pointer import query_element
from oryn.engine.handlers.registry import handles
from oryn.engine.output.answer import Answer
from oryn.engine.page.actionability import wait_until_accepted
from oryn.engine.page.resolve import Resolved, click_element, resolve
from oryn.errors import OptionNotFound
from oryn.language import Select, TextTarget

if TYPE_CHECKING:
    from oryn.engine.session import Session


@handles(Select)
async def select(session: Session, command: Select) -> Answer:
    require_no_dialog(session)
    target = await resolve(session, command.target, "select", strict=command.strict, wait=True)
    action = await Action.begin(session, target.id, enters=True)
    return await action.report([*target.notes, *await _choose(session, target, command.choice)])


async def _choose(session: Session, target: Resolved, choice: tuple[str, ...] | int) -> list[str]:
    """Choose the options, or set the value of another control. Return the notes of the answer."""
    kind = target.element["type"] if target.element else "generic"
    if kind == "select":
        wanted = {"index": choice} if isinstance(choice, int) else {"values": list(choice)}
        request = {"cmd": "select", **wanted}
        await wait_until_accepted(session, target.frame, lambda: query_element(session, target, request))
        return []
    if isinstance(choice, int) or len(choice) == 1:
        value = str(choice) if isinstance(choice, int) else choice[0]
        notes = await enter_value(session, target, value)
        if notes is None and kind != "input":
            notes = await pick_date(session, target, value, is_field=False)
        if notes is not None:
            return notes
    await _choose_from_widget(session, target, choice)
    return []


async def _choose_from_widget(session: Session, target: Resolved, choice: tuple[str, ...] | int) -> None:
    """Choose from a list that the page built itself: open it, then press the option with the wanted text."""
    if isinstance(choice, int):
        raise OptionNotFound("a list that the page built itself has no index", "Give the option's text.")
    opened = session.page.mark()
    await click_element(session, target)
    for value in choice:
        await session.page.settle(opened, limit=session.options.settle_limit)
        option = await resolve(session, TextTarget(value), "click")
        opened = session.page.mark()
        await click_element(session, option)
