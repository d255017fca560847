"""`check`, `uncheck`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from oryn.browsers.base import PageEffects
from oryn.core.records import Record
from oryn.engine.action import Action
from oryn.engine.handlers.registry import handles
from oryn.engine.output.answer import Answer
from oryn.engine.page.context import query_element, require_no_dialog
from oryn.engine.page.resolve import click_element, resolve
from oryn.engine.page.scanner import Resolved
from oryn.engine.postcondition import SLOW_SECONDS, Postcondition, pressed, repeating, verify
from oryn.language import Check, Uncheck

if TYPE_CHECKING:
    from oryn.engine.page.context import PageContext
    from oryn.scanner.protocol import ToggleResponse, ToggleState


class Toggle(Record):
    """What has the state, as it was before the act."""

    target: Resolved
    state: ToggleState
    is_radio: bool


@handles(Check)
async def check(context: PageContext, command: Check) -> Answer:
    return await _set_checked(context, command, "check", True)


@handles(Uncheck)
async def uncheck(context: PageContext, command: Uncheck) -> Answer:
    return await _set_checked(context, command, "uncheck", False)


async def _set_checked(context: PageContext, command: Check | Uncheck, verb: str, wanted: bool) -> Answer:
    """Press what has the state as a user would, unless it is so already."""
    require_no_dialog(context)
    named = await resolve(context, command.target, verb, strict=command.strict, wait=True)
    toggle = await find_toggle(context, named)
    target = toggle.target
    if toggle.state == _state(wanted):
        action = await Action.begin(context, target.id, reacts=False)
        note = f"it was {toggle.state} already"
        return await action.report([*named.notes, note], PageEffects())  # nothing was done: there is no effect
    action = await Action.begin(context, target.id, enters=True, input="press")
    await click_element(context, target)
    again = repeating(partial(click_element, context, target))
    return await action.report(named.notes, expects=[checked(toggle, wanted), pressed(target)], again=again)


def _state(wanted: bool) -> ToggleState:
    return "checked" if wanted else "unchecked"


async def find_toggle(context: PageContext, named: Resolved) -> Toggle:
    """Return what has the state that an element stands for. Raises `InvalidElementType` if there is none."""
    index = context.element_index
    found: ToggleResponse = await query_element(context, named, {"cmd": "toggle", "next_id": index.next_id})
    index.next_id = found["next_id"]
    target = named
    if found["id"] != named.id:
        if named.frame is not None:
            index.frames[found["id"]] = named.frame
        target = Resolved(found["id"], named.frame, (index.elements or {}).get(found["id"], named.element))
    return Toggle(target, found["state"], found["radio"])


def checked(toggle: Toggle, wanted: bool) -> Postcondition:
    """What must be true of a toggle after it was pressed.

    One that was partly ticked (`mixed`) becomes ticked or not with a press, as its page likes: it is pressed once more
    if it became the other one."""
    return Postcondition(
        toggle.target,
        {"kind": "checked", "checked": wanted},
        patience=SLOW_SECONDS,
        hint="A radio can't be unchecked: check another." if toggle.is_radio and not wanted else None,
        repeats=(_state(not wanted),) if toggle.state == "mixed" else (),
    )


async def press_toggle(context: PageContext, named: Resolved, wanted: bool) -> Toggle:
    """Press what has the state, unless it is so already, as one of several acts. Return it as it was before."""
    toggle = await find_toggle(context, named)
    if toggle.state == _state(wanted):
        return toggle
    await click_element(context, toggle.target)
    state = await verify(context, checked(toggle, wanted))
    if state.is_unmet and (state.asks_again or (await verify(context, pressed(toggle.target))).asks_again):
        await click_element(context, toggle.target)
    return toggle
