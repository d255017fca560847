"""`select`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.engine.action import Action
from oryn.engine.controls.date_picker import pick_date
from oryn.engine.controls.entry import enter_value
from oryn.engine.controls.option_list import OptionList, choose_options, find_select_widget
from oryn.engine.handlers.registry import handles
from oryn.engine.output.answer import Answer
from oryn.engine.page.actionability import ChangeWait, wait_until_accepted
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
        return await _choose_native(context, target, choice)
    if kind in _CHECKED:
        raise InvalidElementType(f"a {_CHECKED[kind]} has no options", "Use 'check' or 'uncheck'.")
    state = target.element.get("state") if target.element else None
    if state and not state["visible"]:  # a field without an extent, which only takes the focus for its widget
        target = await find_select_widget(context, target) or target
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
            return notes
    if isinstance(choice, int):
        raise OptionNotFound("a list that the page built itself has no index", "Give the option's text.")
    return await widget.choose(choice)


async def _choose_native(context: PageContext, target: Resolved, choice: tuple[str, ...] | int) -> list[str]:
    """Choose from the options of HTML's own, waiting for those that the page adds a moment later; or in the widget that
    the page shows in the place of a select, which may keep options that the select lacks."""
    request: SelectRequest = {"cmd": "select"}
    if isinstance(choice, int):
        request["index"] = choice
    else:
        request["values"] = choice
    options = context.options
    wait, long_wait = ChangeWait(context, options.presence_wait), ChangeWait(context, options.action_wait)
    is_hidden: bool | None = None
    while True:
        try:
            await wait_until_accepted(context, target.frame, lambda: query_element(context, target, request))
            return []
        except OptionNotFound as missing:
            if is_hidden is None and not isinstance(choice, int):
                widget = await find_select_widget(context, target)
                if widget is not None:
                    return await choose_options(context, widget, choice)
            if is_hidden is None:  # many lists are filled when their field gets the focus
                await query_element(context, target, {"cmd": "focus"})
            is_hidden = False
            is_empty = missing.count is not None and missing.count < 2
            if not await (long_wait if is_empty else wait).for_change():
                raise
