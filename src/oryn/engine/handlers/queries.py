"""Queries about one element: `box`, `value`, `attribute`, `is`, `exists`, `count`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.core.text_safety import quoted
from oryn.engine.handlers.check import find_toggle
from oryn.engine.handlers.editors import read_editor
from oryn.engine.handlers.registry import handles
from oryn.engine.output.answer import Answer
from oryn.engine.output.excerpt import excerpt
from oryn.engine.page.context import query_element, require_no_dialog
from oryn.engine.page.resolve import find_in_frames, frames_of_numbers, resolve
from oryn.engine.page.scanner import Resolved
from oryn.errors import ElementNotFound, ElementStale, InvalidElementType, NameNotFound
from oryn.language import (
    Attribute,
    Box,
    Count,
    CssTarget,
    Exists,
    Is,
    Target,
    TextTarget,
    Value,
    XPathTarget,
    target_json,
    target_of_text,
)

if TYPE_CHECKING:
    from oryn.engine.session import Session
    from oryn.scanner.protocol import FindResponse, GetBoundsResponse, GetStateResponse, GetValueResponse


async def _state(session: Session, target: Target, verb: str, strict: bool) -> tuple[Resolved, GetStateResponse]:
    require_no_dialog(session)
    found = await resolve(session, target, verb, strict=strict)
    return found, await query_element(session, found, {"cmd": "get_state"})


@handles(Box)
async def box(session: Session, command: Box) -> Answer:
    require_no_dialog(session)
    target = await resolve(session, command.target, "box", strict=command.strict)
    bounds: GetBoundsResponse = await query_element(session, target, {"cmd": "get_bounds"})
    text = f"{bounds['x']:.0f},{bounds['y']:.0f} {bounds['width']:.0f}x{bounds['height']:.0f}"
    where = "visible" if bounds["visible"] else "not visible"
    return Answer(lines=[f"{text} {where}, {bounds['in_viewport']}"], data=bounds, notes=target.notes)


@handles(Value)
async def value(session: Session, command: Value) -> Answer:
    require_no_dialog(session)
    target = await resolve(session, command.target, "value", strict=command.strict)
    found: GetValueResponse = await query_element(session, target, {"cmd": "get_value"})
    held, notes = found["value"], list(target.notes)
    if "editor" in found:
        editor = await read_editor(session, target, found)
        held = editor.text
        notes += [] if editor.whole else ["only the lines that the editor shows could be read"]
    if isinstance(held, str):
        held, more = excerpt(held, command)
        notes += more
    if isinstance(held, list):
        line = " | ".join(map(quoted, held))
    elif isinstance(held, bool):
        line = "true" if held else "false"
    else:
        line = quoted(str(held))
    return Answer(lines=[line], data=held, notes=notes)


@handles(Attribute)
async def attribute(session: Session, command: Attribute) -> Answer:
    target, state = await _state(session, command.target, "attribute", command.strict)
    attributes = state["attributes"]
    name = command.name if command.name in attributes else command.name.lower()
    if name not in attributes:
        names = ", ".join(sorted(attributes)) or "none"
        raise NameNotFound(f"no attribute {quoted(command.name)}", f"It has: {names}")
    return Answer(lines=[quoted(attributes[name])], data=attributes[name], notes=target.notes)


@handles(Is)
async def is_state(session: Session, command: Is) -> Answer:
    """An element that is not there is in no state. What is checked is what `check` would leave as it is."""
    require_no_dialog(session)
    frames_of_numbers(session.element_index, command.target)
    try:
        if command.state == "checked":
            target = await resolve(session, command.target, "check", strict=command.strict)
            answer = await _is_checked(session, target)
            return Answer(lines=["yes" if answer else "no"], data=answer, notes=target.notes)
        target, found = await _state(session, command.target, "is", command.strict)
    except (ElementNotFound, ElementStale):
        return Answer(lines=["no"], data=False)
    answer = bool(found["state"].get(command.state))
    return Answer(lines=["yes" if answer else "no"], data=answer, notes=target.notes)


async def _is_checked(session: Session, target: Resolved) -> bool:
    try:
        return (await find_toggle(session, target)).state == "checked"
    except InvalidElementType:  # it has no such state
        return False


@handles(Exists)
async def exists(session: Session, command: Exists) -> Answer:
    require_no_dialog(session)
    answer = await count_present(session, command.target) > 0
    return Answer(lines=["yes" if answer else "no"], data=answer)


@handles(Count)
async def count(session: Session, command: Count) -> Answer:
    require_no_dialog(session)
    number = await count_present(session, command.target)
    return Answer(lines=[str(number)], data=number)


async def count_present(session: Session, target: Target) -> int:
    """Return the number of elements that a target means, in all frames. A selector counts hidden elements too, other
    targets only visible ones (docs/spec/intent-language.md#texts-that-are-selectors)."""
    count = await _count_as_written(session, target)
    if not count and isinstance(target, TextTarget) and (other := target_of_text(target.text)) is not None:
        return await _count_as_written(session, other)  # `exists "text=Saved"`
    return count


async def _count_as_written(session: Session, target: Target) -> int:
    only = frames_of_numbers(session.element_index, target)
    try:
        answers = await find_in_frames(session, session.enter_page(), target_json(target), any=True, only=only)
    except ElementStale:  # a number whose element has left the page
        return 0
    may_select = isinstance(target, CssTarget | XPathTarget | TextTarget)
    return sum(data["count"] if may_select and _is_by_selector(data) else data["visible"] for data, _ in answers)


def _is_by_selector(found: FindResponse) -> bool:
    return any(element["match"]["source"] == "selector" for element in found["matches"])
