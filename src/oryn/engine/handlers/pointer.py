"""`click`, `hover`, `focus`, `press`, `scroll`, `submit`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from oryn.browsers.base import MouseButton
from oryn.engine.action import Action
from oryn.engine.handlers.registry import handles
from oryn.engine.output.answer import Answer
from oryn.engine.page.context import query_element, require_no_dialog
from oryn.engine.page.resolve import accepted_place, click_element, resolve
from oryn.engine.page.scanner import query_scanner
from oryn.engine.postcondition import pressed, repeating
from oryn.language import Click, Focus, Hover, PointTarget, Press, Scroll, Submit

if TYPE_CHECKING:
    from oryn.engine.page.context import PageContext
    from oryn.scanner.protocol import ScrollData, ScrollRequest, ScrollResponse


def _button(command: Click) -> MouseButton:
    """Return the mouse button; the last one named wins (docs/spec/intent-language.md#options)."""
    if command.middle:
        return "middle"
    return "right" if command.right else "left"


@handles(Click)
async def click(context: PageContext, command: Click) -> Answer:
    require_no_dialog(context)
    button, count = _button(command), 2 if command.double else 1
    keys = (("control", command.ctrl), ("shift", command.shift), ("alt", command.alt))
    held = [key for key, wanted in keys if wanted]
    if isinstance(command.target, PointTarget):
        action = await Action.begin(context)
        at = command.target
        await context.page.mouse.click(at.x, at.y, button=button, count=count, modifiers=held)
        return await action.report()
    force = command.force
    action, target, place = await Action.begin_on(
        context,
        command.target,
        "click",
        strict=command.strict,
        input="press",
        locate={"purpose": "click", "force": force},
    )
    act = partial(click_element, context, target, button=button, count=count, modifiers=held, force=force)
    await act(place=place)
    return await action.report(target.notes, expects=[] if force else [pressed(target)], again=repeating(act))


@handles(Hover)
async def hover(context: PageContext, command: Hover) -> Answer:
    require_no_dialog(context)
    notes: list[str] = []
    if isinstance(command.target, PointTarget):
        action = await Action.begin(context)
        x, y = command.target.x, command.target.y
    else:
        action, target, place = await Action.begin_on(
            context, command.target, "hover", strict=command.strict, input="press", locate={"purpose": "hover"}
        )
        notes = target.notes
        x, y = (place or await accepted_place(context, target, purpose="hover")).point
    await context.page.mouse.move(x, y)
    return await action.report(notes)


@handles(Focus)
async def focus(context: PageContext, command: Focus) -> Answer:
    require_no_dialog(context)
    action, target, _ = await Action.begin_on(context, command.target, "focus", strict=command.strict)
    await query_element(context, target, {"cmd": "focus"})
    return await action.report(target.notes)


EDITING_KEYS = frozenset({"backspace", "delete", "space"})
"""Keys, besides those of a character, that change what a field holds."""


@handles(Press)
async def press(context: PageContext, command: Press) -> Answer:
    require_no_dialog(context)
    action = await Action.begin(context)
    if len(command.keys[-1]) == 1 or command.keys[-1] in EDITING_KEYS:
        action.edits_focused_field()
    await context.page.keyboard.press(command.keys)
    return await action.report()


@handles(Submit)
async def submit(context: PageContext, command: Submit) -> Answer:
    """Without a target it is the form that has the focus, or the only form of the page."""
    require_no_dialog(context)
    notes: list[str] = []
    if command.target is None:
        action = await Action.begin(context)
        await query_scanner(context.page, {"cmd": "submit"}, context.frame, context.deadline.remaining())
    else:
        action, target, _ = await Action.begin_on(context, command.target, "submit", strict=command.strict)
        notes = target.notes
        await query_element(context, target, {"cmd": "submit"})
    return await action.report(notes)


@handles(Scroll)
async def scroll(context: PageContext, command: Scroll) -> Answer:
    """A direction scrolls the page, or the box that contains the target; a target alone is scrolled into view."""
    require_no_dialog(context)
    request: ScrollRequest = {"cmd": "scroll"}
    frame, notes = context.frame, list[str]()
    if command.target is not None:
        target = await resolve(context, command.target, "scroll", strict=command.strict, wait=True)
        frame, notes = target.frame, target.notes
        request["element" if command.direction is None else "id"] = target.id
    if command.direction is not None or command.target is None:
        request["direction"] = command.direction or "down"
        if command.amount is not None:
            request["amount"] = command.amount
        elif command.page:
            request["page"] = True
    action = await Action.begin(context, reacts=False)
    data: ScrollResponse = await query_scanner(context.page, request, frame, context.deadline.remaining())
    answer = await action.report(notes)
    answer.data = at = data["scroll"]
    answer.lines.append(scroll_text(at))
    return answer


def scroll_text(at: ScrollData) -> str:
    """Render the position of a scroll, and its maximum: `at 0,300 of 0,4200`."""
    return f"at {at['x']:.0f},{at['y']:.0f} of {at['max_x']:.0f},{at['max_y']:.0f}"
