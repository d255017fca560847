"""The protocol's own `type`: a click into the element, then keys where the cursor is (seed 001, `type`)."""

from __future__ import annotations

from oryn.engine import Session
from oryn.engine.actions import Action, require_no_dialog
from oryn.engine.answer import Answer
from oryn.engine.execute.acting import ask_about
from oryn.engine.execute.filling import held_note, is_secret, write
from oryn.engine.execute.insertion import Written
from oryn.engine.execute.registry import handles
from oryn.engine.pointing import press_element
from oryn.engine.resolve import Resolved, resolve
from oryn.language import VAULT_REFERENCE, Type, dots, render


class TypeKeys(Type):
    """As `type`, whose policy and spelling it has, but what the field holds stays; no text at all empties it."""


@handles(TypeKeys)
async def type_keys(session: Session, command: TypeKeys) -> Answer:
    require_no_dialog(session)
    target = await resolve(session, command.target, "type", strict=command.strict)
    action = await Action.begin(session)
    written = await _press_keys(session, target, command.text)
    answer = await action.report([*target.notes, *held_note(session)])
    answer.notes += await written.notes()
    if is_secret(target):
        answer.command = render(command.replace(text=dots(command.text)))
    return answer


async def _press_keys(session: Session, target: Resolved, text: str) -> Written:
    if not text:
        return await write(session, target, "")
    # A secret goes into the field that was named, not where a click may have moved the focus; and a click into a narrow
    # number field hits the arrows that change it.
    if VAULT_REFERENCE.search(text) or is_secret(target) or _is_number(target):
        return await write(session, target, text, append=True)
    ready = await ask_about(session, target, {"cmd": "prepare", "clear": False})
    if ready["mode"] == "set":  # dates, colours, sliders: no keys make their value
        return await write(session, target, text)
    await press_element(session, target)
    await session.page.insert_text(text)
    return await Written.with_keys(session, target, text)


def _is_number(target: Resolved) -> bool:
    attributes = (target.element or {}).get("attributes") or {}
    return str(attributes.get("type", "")).lower() == "number"
