"""`fill_form {"Name": "Ada", "Newsletter": true}`: several fields in one command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oryn.engine.actions import Action, require_no_dialog
from oryn.engine.answer import Answer
from oryn.engine.escape import quoted
from oryn.engine.execute.acting import ask_about
from oryn.engine.execute.filling import write
from oryn.engine.execute.insertion import Written
from oryn.engine.execute.registry import handles
from oryn.engine.intents.own.builtin import overridable
from oryn.engine.pointing import press_element
from oryn.engine.resolve import Resolved, resolve
from oryn.errors import ElementNotFound, InvalidElementType
from oryn.language import FillForm, Related, Text

if TYPE_CHECKING:
    from oryn.engine.session import Session


@handles(FillForm)
@overridable
async def fill_form(session: Session, command: FillForm) -> Answer:
    """Names are labels, placeholders, `name`s or `id`s. All fields are found before the first is written to, so that a
    name that is none leaves the form as it was."""
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
            return await resolve(session, Text(name), "check")
        found = await resolve(session, Text(name), "value")
        if found.element and found.element["type"] == "radio":
            # The name is the group's: the value names the button.
            return await resolve(session, Related(Text(str(value)), "near", Text(name)), "check")
        return found
    except ElementNotFound as error:
        raise ElementNotFound(f"no field {quoted(name)}", error.hint) from error


async def _fill(session: Session, field: Resolved, value: Any) -> Written:
    kind = field.element["type"] if field.element else "generic"
    if kind in ("checkbox", "radio"):
        state = (await ask_about(session, field, {"cmd": "get_state"}))["state"]
        if bool(state["checked"]) is not (value if isinstance(value, bool) else True):
            await press_element(session, field)
    elif kind == "select":
        values = value if isinstance(value, list) else [value]
        await ask_about(session, field, {"cmd": "select", "values": [_text(item) for item in values]})
    elif isinstance(value, bool):
        raise InvalidElementType("true and false are for check boxes", "Give the text to write.")
    else:
        return await write(session, field, _text(value))
    return Written()


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)
