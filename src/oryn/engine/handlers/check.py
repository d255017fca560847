"""`check`, `uncheck`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.browsers.base import PageEffects
from oryn.engine.action import Action
from oryn.engine.handlers.registry import handles
from oryn.engine.output.answer import Answer
from oryn.engine.page.context import query_element, require_no_dialog
from oryn.engine.page.resolve import click_element, resolve
from oryn.engine.page.scanner import Resolved
from oryn.engine.postcondition import SLOW_SECONDS, Postcondition, pressed
from oryn.language import Check, Uncheck

if TYPE_CHECKING:
    from oryn.engine.page.context import PageContext
    from oryn.scanner.protocol import ToggleResponse


@handles(Check)
async def check(context: PageContext, command: Check) -> Answer:
    return await _set_checked(context, command, "check", True)


@handles(Uncheck)
async def uncheck(context: PageContext, command: Uncheck) -> Answer:
    return await _set_checked(context, command, "uncheck", False)


async def _set_checked(context: PageContext, command: Check | Uncheck, verb: str, wanted: bool) -> Answer:
    """Press what has the state as a user would, unless it is so already.

    A box that is partly ticked (`mixed`) may become ticked or not with a press, as its page likes: it is pressed once
    more if it became the other one."""
    require_no_dialog(context)
    target = await resolve(context, command.target, verb, strict=command.strict, wait=True)
    toggle: ToggleResponse = await query_element(
        context, target, {"cmd": "toggle", "next_id": context.element_index.next_id}
    )
    context.element_index.next_id = toggle["next_id"]
    if toggle["id"] != target.id:
        element = (context.element_index.elements or {}).get(toggle["id"], target.element)
        target = Resolved(toggle["id"], target.frame, element, target.notes)
    state = "checked" if wanted else "unchecked"
    if toggle["state"] == state:
        action = await Action.begin(context, target.id, reacts=False)
        return await action.report([*target.notes, f"it was {state} already"], PageEffects())  # there is no effect
    action = await Action.begin(context, target.id, enters=True, input="press")
    await click_element(context, target)

    hint = None if wanted or not toggle["radio"] else "A radio can't be unchecked: check another."
    repeats: tuple[str, ...] = ()
    if toggle["state"] == "mixed":
        repeats = ("unchecked",) if wanted else ("checked",)
    checked = Postcondition(
        target, {"kind": "checked", "checked": wanted}, patience=SLOW_SECONDS, hint=hint, repeats=repeats
    )
    return await action.report(
        target.notes, expects=[checked, pressed(target)], again=lambda: click_element(context, target)
    )
