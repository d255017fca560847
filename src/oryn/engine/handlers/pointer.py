"""`click`, `hover`, `focus`, `press`, `scroll`, `submit`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from oryn.browsers.base import MouseButton
from oryn.core.text_safety import plain, quoted
from oryn.engine.action import Action
from oryn.engine.handlers.registry import handles
from oryn.engine.output.answer import Answer
from oryn.engine.output.changes import changed, is_about
from oryn.engine.page.context import query_element, require_no_dialog
from oryn.engine.page.resolve import HitPlace, accepted_place, click_element, resolve
from oryn.engine.page.scanner import query_scanner
from oryn.engine.postcondition import Postcondition, pressed, repeating
from oryn.errors import NotDone
from oryn.language import Click, Focus, Hover, PointTarget, Press, Scroll, Submit

if TYPE_CHECKING:
    from oryn.engine.page.context import PageContext
    from oryn.scanner.protocol import ScrollData, ScrollRequest, ScrollResponse, SubmitResponse


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
    mouse = context.page.mouse
    if isinstance(command.target, PointTarget):
        action = await Action.begin(context)
        await mouse.move(command.target.x, command.target.y)
        return await action.report()
    action, target, place = await Action.begin_on(
        context, command.target, "hover", strict=command.strict, input="press", locate={"purpose": "hover"}
    )

    async def move(place: HitPlace | None = None) -> None:
        await mouse.move(*(place or await accepted_place(context, target, purpose="hover")).point)

    await move(place)
    # Events that a script dispatches move no mouse.
    hovered = [Postcondition(target, {"kind": "hovered"})] if context.page.trusted_input else []
    return await action.report(target.notes, expects=hovered, again=repeating(move))


@handles(Focus)
async def focus(context: PageContext, command: Focus) -> Answer:
    require_no_dialog(context)
    action, target, _ = await Action.begin_on(context, command.target, "focus", strict=command.strict, enters=True)
    await query_element(context, target, {"cmd": "focus"})
    answer = await action.report(target.notes, expects=[Postcondition(target, {"kind": "focused"})])
    before, now = action.before.get(target.id), (context.element_index.elements or {}).get(target.id)
    if before and now and answer.ok and not any(is_about(change, target.id) for change in answer.changes):
        if "focused" in before["modifiers"]:
            answer.notes.append("it had the focus already")
        elif "focused" in now["modifiers"]:
            answer.changes.insert(0, changed(before, now))
    return answer


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
    submitted: SubmitResponse
    if command.target is None:
        action = await Action.begin(context)
        submitted = await query_scanner(context.page, {"cmd": "submit"}, context.frame, context.deadline.remaining())
    else:
        action, target, _ = await Action.begin_on(context, command.target, "submit", strict=command.strict)
        notes = target.notes
        submitted = await query_element(context, target, {"cmd": "submit"})
    error = None
    if not submitted["valid"] and not submitted["sent"]:
        field, reason = quoted(submitted.get("field", "")), plain(submitted.get("reason", ""))
        error = NotDone(f"the form was not sent: {field} is not valid" + (f": {reason}" if reason else ""))
    return await action.report(notes, error=error)


@handles(Scroll)
async def scroll(context: PageContext, command: Scroll) -> Answer:
    """A direction scrolls the page, or the box that contains the target; a target alone is scrolled into view."""
    require_no_dialog(context)
    request: ScrollRequest = {"cmd": "scroll"}
    frame, notes, target = context.frame, list[str](), None
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
    at = data["scroll"]
    expects: list[Postcondition] = []
    if command.direction is None and target is not None:
        expects = [Postcondition(target, {"kind": "in_view"})]
    elif not data["moved"]:
        across = command.direction in ("left", "right")
        scrolls = at["max_x" if across else "max_y"] > 0
        notes = [*notes, "it is at its end" if scrolls else "nothing scrolls there: 'mouse wheel' turns the wheel"]
    answer = await action.report(notes, expects=expects)
    answer.data = at
    answer.lines.append(scroll_text(at))
    return answer


def scroll_text(at: ScrollData) -> str:
    """Render the position of a scroll, and its maximum: `at 0,300 of 0,4200`."""
    return f"at {at['x']:.0f},{at['y']:.0f} of {at['max_x']:.0f},{at['max_y']:.0f}"
