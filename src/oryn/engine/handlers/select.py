"""`select`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.engine.action import Action
from oryn.engine.controls.date_picker import pick_date
from oryn.engine.controls.entry import enter_value
from oryn.engine.controls.option_list import choose_options, find_select_widget
from oryn.engine.handlers.registry import handles
from oryn.engine.output.answer import Answer
from oryn.engine.page.actionability import wait_until_accepted
from oryn.engine.page.context import query_element, require_no_dialog
from oryn.engine.page.scanner import Resolved
from oryn.errors import InvalidElementType, OptionNotFound
from oryn.language import Select

if TYPE_CHECKING:
    from oryn.engine.page.context import PageContext
    from oryn.scanner.protocol import SelectRequest


_CHECKED = {"checkbox": "check box", "radio": "radio button"}


@handles(Select)
async def select(context: PageContext, command: Select) -> Answer:
    require_no_dialog(context)
    action, target, _ = await Action.begin_on(
        context, command.target, "select", strict=command.strict, enters=True, input="entry"
    )
    return await action.report([*target.notes, *await choose(context, target, command.choice)])


async def choose(context: PageContext, target: Resolved, choice: tuple[str, ...] | int) -> list[str]:
    """Choose the options, or set the value of another control. Return the notes of the answer."""
    kind = target.element["type"] if target.element else "generic"
    if kind == "select":
        request: SelectRequest = {"cmd": "select"}
        if isinstance(choice, int):
            request["index"] = choice
        else:
            request["values"] = choice
        try:
            await wait_until_accepted(context, target.frame, lambda: query_element(context, target, request))
        except OptionNotFound:
            # A widget may keep the options that the select of the page lacks.
            widget = None if isinstance(choice, int) else await find_select_widget(context, target)
            if widget is None or isinstance(choice, int):
                raise
            return await choose_options(context, widget, choice)
        return []
    if kind in _CHECKED:
        raise InvalidElementType(f"a {_CHECKED[kind]} has no options", "Use 'check' or 'uncheck'.")
    state = target.element.get("state") if target.element else None
    if state and not state["visible"]:  # a field without an extent, which only takes the focus for its widget
        target = await find_select_widget(context, target) or target
    if isinstance(choice, int) or len(choice) == 1:
        value = str(choice) if isinstance(choice, int) else choice[0]
        notes = await enter_value(context, target, value)
        if notes is None and kind != "input":
            notes = await pick_date(context, target, value, is_field=False)
        if notes is not None:
            return notes
    if isinstance(choice, int):
        raise OptionNotFound("a list that the page built itself has no index", "Give the option's text.")
    return await choose_options(context, target, choice)
