"""`fill_form {"Name": "Ada", "Newsletter": true}`: several fields in one command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oryn.core.text_safety import quoted
from oryn.engine.action import Action
from oryn.engine.handlers.forms import write_text
from oryn.engine.handlers.insertion import WrittenText
from oryn.engine.handlers.registry import handles
from oryn.engine.handlers.select import choose
from oryn.engine.intents.override import overridable
from oryn.engine.output.answer import Answer
from oryn.engine.page.context import query_element, require_no_dialog
from oryn.engine.page.resolve import click_element, resolve
from oryn.engine.page.scanner import Resolved
from oryn.errors import ElementNotFound, InvalidElementType, OptionNotFound
from oryn.language import FillForm, RelatedTarget, TextTarget

if TYPE_CHECKING:
    from oryn.engine.session import Session
    from oryn.scanner.protocol import GetStateResponse


@handles(FillForm)
@overridable
async def fill_form(session: Session, command: FillForm) -> Answer:
    """Names are labels, placeholders, `name`s or `id`s. All fields are resolved before the first is written, so that an
    invalid name leaves the form unchanged."""
    require_no_dialog(session)
    action = await Action.begin(session)
    fields = [(await _field(session, name, value), value) for name, value in command.values_by_field.items()]
    written = [await _fill(session, field, value) for field, value in fields]
    answer = await action.report()
    for each in written:
        answer.notes += await each.notes()
    return answer


async def _field(session: Session, name: str, value: Any) -> Resolved:
    try:
        if isinstance(value, bool):
            return await resolve(session, TextTarget(name), "check")
        found = await resolve(session, TextTarget(name), "value")
        if found.element and found.element["type"] == "radio":
            # The name is that of the group; the value names the button.
            return await resolve(session, RelatedTarget(TextTarget(str(value)), "near", TextTarget(name)), "check")
        return found
    except ElementNotFound as error:
        raise ElementNotFound(f"no field {quoted(name)}", error.hint) from error


async def _fill(session: Session, field: Resolved, value: Any) -> WrittenText:
    kind = field.element["type"] if field.element else "generic"
    if kind in ("checkbox", "radio"):
        found: GetStateResponse = await query_element(session, field, {"cmd": "get_state"})
        if bool(found["state"]["checked"]) is not (value if isinstance(value, bool) else True):
            await click_element(session, field)
        return WrittenText()
    if kind == "select" or await _has_options(session, field):
        values = value if isinstance(value, list) else [value]
        try:
            chosen = await choose(session, field, tuple(_text(item) for item in values))
            return WrittenText(chosen.notes)
        except OptionNotFound:
            if kind != "input" or isinstance(value, list | bool):
                raise  # a combo box that is a text field may take other values than those of its list
    if isinstance(value, bool):
        raise InvalidElementType("true and false are for check boxes", "Give the text to write.")
    return await write_text(session, field, _text(value))


async def _has_options(session: Session, field: Resolved) -> bool:
    """Whether the author calls the field a combo box or a list."""
    found: GetStateResponse = await query_element(session, field, {"cmd": "get_state"})
    return found["attributes"].get("role") in ("combobox", "listbox")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)
