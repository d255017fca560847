"""`fill_form {"Name": "Ada", "Newsletter": true}`: several fields in one command."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from oryn.core.records import Record
from oryn.core.text_safety import quoted
from oryn.engine.action import Action
from oryn.engine.handlers.check import checked, press_toggle
from oryn.engine.handlers.forms import write_text
from oryn.engine.handlers.registry import handles
from oryn.engine.handlers.select import choose
from oryn.engine.intents.override import overridable
from oryn.engine.output.answer import Answer
from oryn.engine.page.context import query_element, require_no_dialog
from oryn.engine.page.resolve import resolve
from oryn.engine.page.scanner import Resolved
from oryn.engine.postcondition import Postcondition
from oryn.errors import ElementNotFound, InvalidElementType, OptionNotFound, PageError, TargetError, Timeout
from oryn.language import FillForm, RelatedTarget, TextTarget

if TYPE_CHECKING:
    from oryn.engine.session import Session
    from oryn.scanner.protocol import GetStateResponse


class FilledField(Record):
    """A field that was filled in: the notes of the answer, and what must be true of it when the page has settled."""

    notes: Sequence[str] = ()
    expects: Sequence[Postcondition] = ()


@handles(FillForm)
@overridable
async def fill_form(session: Session, command: FillForm) -> Answer:
    """Names are labels, placeholders, `name`s or `id`s. All fields are resolved before the first is written, so that an
    invalid name leaves the form unchanged. The error of a field names it, and the answer reports what was done by
    then."""
    require_no_dialog(session)
    action = await Action.begin(session)
    fields = [(name, await _field(session, name, value), value) for name, value in command.values_by_field.items()]
    notes: list[str] = []
    expects: list[Postcondition] = []
    for at, (name, field, value) in enumerate(fields):
        try:
            filled = await _fill(session, field, value)
        except Timeout:
            raise
        except (PageError, TargetError) as error:
            error.message = f"{quoted(name)}: {error.message}"
            left = [quoted(other) for other, _, _ in fields[at + 1 :]]
            notes += [f"not filled in: {', '.join(left)}"] if left else []
            return await action.report(notes, error=error)
        notes += filled.notes
        expects += [each.replace(label=name, lasts=True) for each in filled.expects]
    return await action.report(notes, expects=expects)


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


async def _fill(session: Session, field: Resolved, value: Any) -> FilledField:
    kind = field.element["type"] if field.element else "generic"
    if isinstance(value, bool) or kind in ("checkbox", "radio"):
        return await _set_toggle(session, field, value if isinstance(value, bool) else True)
    if kind == "select" or await _has_options(session, field):
        values = value if isinstance(value, list) else [value]
        try:
            chosen = await choose(session, field, tuple(_text(item) for item in values))
            return FilledField(chosen.notes, chosen.expects)
        except OptionNotFound:
            if kind != "input" or isinstance(value, list):
                raise  # a combo box that is a text field may take other values than those of its list
    written = await write_text(session, field, _text(value))
    return FilledField(await written.notes(), written.expects)


async def _set_toggle(session: Session, field: Resolved, wanted: bool) -> FilledField:
    try:
        toggle = await press_toggle(session, field, wanted)
    except InvalidElementType as error:
        raise InvalidElementType("true and false are for check boxes", "Give the text to write.") from error
    return FilledField(expects=[checked(toggle, wanted)])


async def _has_options(session: Session, field: Resolved) -> bool:
    """Whether the author calls the field a combo box or a list."""
    found: GetStateResponse = await query_element(session, field, {"cmd": "get_state"})
    return found["attributes"].get("role") in ("combobox", "listbox")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)
