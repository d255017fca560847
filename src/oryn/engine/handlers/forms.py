"""Form fields: `type`, `clear`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.engine.action import Action
from oryn.engine.controls.date_picker import press_enter
from oryn.engine.controls.entry import enter_value, enter_value_instead
from oryn.engine.controls.iso_dates import NATIVE_FORMS
from oryn.engine.handlers.editors import EditorField, write_into_editor
from oryn.engine.handlers.insertion import WrittenText, insert_password, insert_vault_values
from oryn.engine.handlers.registry import handles
from oryn.engine.handlers.text_entry import TextEntry
from oryn.engine.output.answer import Answer
from oryn.engine.output.text_difference import with_plain_breaks
from oryn.engine.page.context import query_element, require_no_dialog
from oryn.engine.page.scanner import Resolved
from oryn.errors import ElementDisabled, InvalidElementType, NotDone, OptionNotFound, OrynError
from oryn.language import VAULT_REFERENCE, Clear, Type, mask_secret, render

if TYPE_CHECKING:
    from oryn.engine.session import Session
    from oryn.scanner.protocol import PrepareResponse


async def write_text(
    session: Session, target: Resolved, text: str, *, append: bool = False, delay: float = 0
) -> WrittenText:
    """Write text into a field: with trusted keys if it accepts keys, else by setting its value. `delay` is the pause in
    seconds after each key.

    References to the vault are replaced here, and the text is then inserted in one step (`insertion`). Raises `NotDone`
    if a control has been moved to another value."""
    if VAULT_REFERENCE.search(text):
        return await insert_vault_values(session, target, text, append=append)
    if text and not delay and is_password_field(target):
        written = await insert_password(session, target, text, append=append)
        if written is not None:
            return written
    entry = TextEntry(session, target, with_plain_breaks(text), append=append, delay=delay)
    if not append and (notes := await enter_value(session, target, text)) is not None:
        is_native = target.element is not None and target.element.get("role") in NATIVE_FORMS
        return WrittenText(notes, entry.retained() if is_native else None)
    try:
        ready = await entry.prepare()
    except (InvalidElementType, ElementDisabled) as error:
        opened = await _enter_otherwise(entry, text, error)
        if isinstance(opened, WrittenText):
            return opened
        ready = opened
    if ready["mode"] == "editor":
        field = EditorField.from_scanner(ready)
        notes = await write_into_editor(session, target, field, text, append=append, delay=delay)
        return WrittenText(notes) if notes else WrittenText(entry=entry.in_editor())
    if ready["mode"] == "set":
        await query_element(session, target, {"cmd": "type", "text": text, "clear": not append})
        return WrittenText(entry=entry.retained())
    await entry.write(ready)
    return WrittenText(entry=entry)


async def _enter_otherwise(entry: TextEntry, text: str, refusal: OrynError) -> WrittenText | PrepareResponse:
    """Enter text into what takes none itself: it may be the track of a slider, open a calendar, or be a title or a cell
    that becomes a field when it is pressed. Raises `refusal` if it is none of them."""
    try:
        return WrittenText(await enter_value_instead(entry.session, entry.target, text, refusal))
    except OrynError as error:
        if error is not refusal:
            raise
    ready = await entry.open_field()
    if ready is None:
        raise refusal
    return ready


def held_keys_note(session: Session) -> list[str]:
    """Return a note if keys are held, because they change the typed text and a forgotten one would be hard to find."""
    held = session.page.keyboard.held
    return [f"{', '.join(held)} {'is' if len(held) == 1 else 'are'} held: keyup all lets go"] if held else []


def is_password_field(target: Resolved) -> bool:
    return target.element is not None and target.element.get("role") == "password"


@handles(Type)
async def type_text(session: Session, command: Type) -> Answer:
    require_no_dialog(session)
    action, target, _ = await Action.begin_on(
        session,
        command.target,
        "type",
        strict=command.strict,
        enters=True,
        input=None if command.enter or "\n" in command.text else "entry",  # a line break may press Enter
    )
    notes = [*target.notes, *held_keys_note(session)]
    try:
        written = await write_text(
            session, target, command.text, append=command.append, delay=(command.delay or 0) / 1000
        )
        if command.enter:
            notes += await written.notes()  # raises if the text is not there, so that Enter sends nothing else
            notes += await press_enter(session, target, command.text)
            written = WrittenText()
    except (NotDone, OptionNotFound) as error:  # a slider has moved on the way
        answer = await action.report(notes, error=error)
    else:
        answer = await written.report(action, notes)
    if is_password_field(target):
        answer.command = render(command.replace(text=mask_secret(command.text)))
    return answer


@handles(Clear)
async def clear(session: Session, command: Clear) -> Answer:
    require_no_dialog(session)
    action, target, _ = await Action.begin_on(
        session, command.target, "clear", strict=command.strict, enters=True, input="entry"
    )
    return await (await write_text(session, target, "")).report(action, target.notes)
