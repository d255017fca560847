"""Form fields: `type`, `clear`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oryn.engine.action import Action
from oryn.engine.controls.date_picker import press_enter
from oryn.engine.controls.entry import enter_value, enter_value_instead
from oryn.engine.handlers.editors import MAX_KEY_CHARACTERS, EditorField, with_plain_breaks, write_into_editor
from oryn.engine.handlers.insertion import WrittenText, insert_password, insert_vault_values
from oryn.engine.handlers.registry import handles
from oryn.engine.output.answer import Answer
from oryn.engine.page.actionability import wait_until_accepted
from oryn.engine.page.context import query_element, require_no_dialog
from oryn.engine.page.scanner import Resolved
from oryn.errors import ElementDisabled, InvalidElementType
from oryn.language import VAULT_REFERENCE, Clear, Type, mask_secret, render

if TYPE_CHECKING:
    from oryn.engine.session import Session
    from oryn.scanner.protocol import PreparedField, PrepareRequest, PrepareResponse


async def write_text(
    session: Session, target: Resolved, text: str, *, append: bool = False, delay: float = 0
) -> WrittenText:
    """Write text into a field: with trusted keys if it accepts keys, else by setting its value. `delay` is the pause in
    seconds after each key.

    References to the vault are replaced here, and the text is then inserted in one step (`insertion`)."""
    if VAULT_REFERENCE.search(text):
        return await insert_vault_values(session, target, text, append=append)
    if text and not delay and is_password_field(target):
        written = await insert_password(session, target, text, append=append)
        if written is not None:
            return written
    if not append and (notes := await enter_value(session, target, text)) is not None:
        return WrittenText(notes)
    prepare: PrepareRequest = {"cmd": "prepare", "clear": not append}
    try:
        ready: PrepareResponse = await wait_until_accepted(
            session, target.frame, lambda: query_element(session, target, prepare)
        )
    except (InvalidElementType, ElementDisabled) as error:
        return WrittenText(await enter_value_instead(session, target, text, error))
    if ready["mode"] == "editor":
        field = EditorField.from_scanner(ready)
        return WrittenText(await write_into_editor(session, target, field, text, append=append, delay=delay))
    if ready["mode"] == "set":
        await query_element(session, target, {"cmd": "type", "text": text, "clear": not append})
    elif text:
        await _type_into_field(session, ready, with_plain_breaks(text), delay)
        return await WrittenText.with_keys(session, target, with_plain_breaks(text), ready)
    elif not append and not ready["empty"]:
        await session.page.keyboard.press(["delete"])
    return WrittenText()


async def _type_into_field(session: Session, ready: PreparedField, text: str, delay: float) -> None:
    """Type a text into the focused field. Tabs, and line breaks in a field of several lines, are inserted, as their
    keys may do something else: leave the field, send a message. So is long text, as one piece or line by line."""
    keyboard = session.page.keyboard
    if not ready["control"]:
        await keyboard.type(text, delay=delay)
        return
    inserted = r"[^\n]+" if len(text) > MAX_KEY_CHARACTERS and not delay else r"\t+"
    if ready["lines"]:
        inserted = r"(?s:.+)" if inserted == r"[^\n]+" else r"[\n\t]+"
    for piece in filter(None, re.split(f"({inserted})", text)):
        if re.fullmatch(inserted, piece):
            await keyboard.insert(piece)
        else:
            await keyboard.type(piece, delay=delay)


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
    written = await write_text(session, target, command.text, append=command.append, delay=(command.delay or 0) / 1000)
    if command.enter:
        await written.notes()  # raises if another frame took the focus, so that it doesn't get Enter
        target.notes.extend(await press_enter(session, target, command.text))
    answer = await action.report([*target.notes, *held_keys_note(session)])
    answer.notes += await written.notes()
    if is_password_field(target):
        answer.command = render(command.replace(text=mask_secret(command.text)))
    return answer


@handles(Clear)
async def clear(session: Session, command: Clear) -> Answer:
    require_no_dialog(session)
    action, target, _ = await Action.begin_on(
        session, command.target, "clear", strict=command.strict, enters=True, input="entry"
    )
    written = await write_text(session, target, "")
    answer = await action.report(target.notes)
    answer.notes += await written.notes()
    return answer
