"""`select`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.engine.action import Action
from oryn.engine.controls.date_picker import pick_date
from oryn.engine.controls.entry import enter_value
from oryn.engine.controls.option_list import Chosen, OptionList
from oryn.engine.handlers.registry import handles
from oryn.engine.output.answer import Answer
from oryn.engine.page.actionability import ChangeWait, wait_until_accepted
from oryn.engine.page.context import query_element, require_no_dialog
from oryn.engine.page.scanner import Resolved
from oryn.engine.postcondition import Postcondition
from oryn.errors import ElementDisabled, InvalidElementType, OptionNotFound
from oryn.language import Select

if TYPE_CHECKING:
    from oryn.engine.page.context import PageContext
    from oryn.scanner.protocol import SelectRequest, SelectResponse


_CHECKED = {"checkbox": "check box", "radio": "radio button"}


@handles(Select)
async def select(context: PageContext, command: Select) -> Answer:
    require_no_dialog(context)
    action, target, _ = await Action.begin_on(
        context, command.target, "select", strict=command.strict, enters=True, input="entry"
    )
    try:
        chosen = await choose(context, target, command.choice)
    except (OptionNotFound, ElementDisabled) as error:
        return await action.report(target.notes, error=error)
    if not chosen.native:
        action.input = None
    for postcondition in chosen.expects:
        action.subject = postcondition.target.id  # of the label that was named, it is the control
    return await action.report([*target.notes, *chosen.notes], expects=chosen.expects)


async def choose(context: PageContext, target: Resolved, choice: tuple[str, ...] | int) -> Chosen:
    """Choose the options, or set the value of another control."""
    kind = target.element["type"] if target.element else "generic"
    state = target.element.get("state") if target.element else None
    is_visible = state is None or state["visible"]
    if kind == "select" and is_visible:
        return await _choose_native(context, target, choice)
    if kind in _CHECKED:
        raise InvalidElementType(f"a {_CHECKED[kind]} has no options", "Use 'check' or 'uncheck'.")
    widget = OptionList(context, target)
    native = await widget.mark()
    if native is not None:
        return await _choose_native(context, native, choice)
    if isinstance(choice, int) or len(choice) == 1:
        value = str(choice) if isinstance(choice, int) else choice[0]
        notes = await enter_value(context, target, value)
        if notes is None and kind != "input":
            notes = await pick_date(context, target, value, is_field=False)
        if notes is not None:
            return Chosen(notes)
    if isinstance(choice, int):
        raise OptionNotFound("a list that the page built itself has no index", "Give the option's text.")
    return await widget.choose(choice)


async def _choose_native(context: PageContext, target: Resolved, choice: tuple[str, ...] | int) -> Chosen:
    """Choose from the options of HTML's own, waiting for those that the page adds a moment later."""
    request: SelectRequest = {"cmd": "select"}
    if isinstance(choice, int):
        request["index"] = choice
    else:
        request["values"] = choice
    options = context.options
    wait, long_wait = ChangeWait(context, options.presence_wait), ChangeWait(context, options.action_wait)
    is_focused = False
    while True:
        try:
            data: SelectResponse = await wait_until_accepted(
                context, target.frame, lambda: query_element(context, target, request)
            )
            return Chosen(
                [], (Postcondition(target, {"kind": "chosen", "texts": data["chosen"]}, lasts=True),), native=True
            )
        except OptionNotFound as missing:
            if not is_focused:  # many lists are filled when their field gets the focus
                is_focused = True
                await query_element(context, target, {"cmd": "focus"})
            is_empty = missing.count is not None and missing.count < 2
            if not await (long_wait if is_empty else wait).for_change():
                raise
