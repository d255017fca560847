"""Resolves a model's call to a command and the tab that it acts on.

The protocol's own `type` (docs/spec/agent-protocol.md#commands) clicks the element, then sends keys to the focused
element."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from oryn.agent.messages import element_not_found, engine_error, error
from oryn.agent.parser import Call
from oryn.agent.tabs import TargetTabs
from oryn.agent.target import TargetTab
from oryn.core.records import Record
from oryn.engine import Session
from oryn.engine.action import Action
from oryn.engine.handlers.forms import held_keys_note, is_password_field, write_text
from oryn.engine.handlers.insertion import WrittenText
from oryn.engine.handlers.registry import handles
from oryn.engine.handlers.text_entry import TextEntry
from oryn.engine.output.answer import Answer
from oryn.engine.page.context import require_no_dialog
from oryn.engine.page.resolve import click_element, numbers_in, resolve
from oryn.engine.page.scanner import Resolved
from oryn.errors import LanguageError
from oryn.language import (
    VAULT_REFERENCE,
    Click,
    Command,
    IdTarget,
    Line,
    RelatedTarget,
    Type,
    api_vocabulary,
    mask_secret,
    render,
)
from oryn.language.command import HOST_SCOPES
from oryn.language.targets import Target as LanguageTarget
from oryn.tools import line_of


class TypeKeys(Type):
    """Like `type`, with the same policy and spelling, but the field's content stays. An empty text clears the field."""


@handles(TypeKeys)
async def type_keys(session: Session, command: TypeKeys) -> Answer:
    """Click the element of `command.target`, then send the keys of `command.text` to it. Raises the errors of resolving
    a target, and those of an open dialog."""
    require_no_dialog(session)
    target = await resolve(session, command.target, "type", strict=command.strict)
    action = await Action.begin(session, target.id, enters=True)
    written = await _press_keys(session, target, command.text)
    answer = await written.report(action, [*target.notes, *held_keys_note(session)])
    if is_password_field(target):
        answer.command = render(command.replace(text=mask_secret(command.text)))
    return answer


async def _press_keys(session: Session, target: Resolved, text: str) -> WrittenText:
    if not text:
        return await write_text(session, target, "")
    # A click may move the focus, and a secret must only go into the field that was named. A click into a narrow number
    # field hits the arrows that change it.
    attributes = (target.element or {}).get("attributes") or {}
    is_number = str(attributes.get("type", "")).lower() == "number"
    if VAULT_REFERENCE.search(text) or is_password_field(target) or is_number:
        return await write_text(session, target, text, append=True)
    entry = TextEntry(session, target, text, append=True, compares=False)  # the click chooses the cursor's place
    ready = await entry.prepare()
    if ready["mode"] == "set":  # dates, colours, sliders: keys can't produce their value
        return await write_text(session, target, text)
    if ready["mode"] == "editor":
        return await write_text(session, target, text, append=True)
    await click_element(session, target)
    await session.page.keyboard.type(text)
    return WrittenText(entry=entry)


EXCLUDED_VERBS = frozenset({"tabs", "tab", "session", "sessions", "exit", "output"})
"""Verbs that affect the host, or tabs and sessions other than the agent's own."""


class CallRejected(Exception):
    """The call can't be run; the exception's text is the message to the model."""


class ResolvedCall(Record):
    """A line to run in a target's session."""

    line: Line
    target: TargetTab


def resolve_call(call: Call, tabs: TargetTabs) -> ResolvedCall:
    """Resolve a call to a line and a target tab. `click` and `type` with an `id` are the protocol's own commands.
    Raises `CallRejected` if the call is invalid."""
    arguments = dict(call.arguments)
    chosen = _tab_argument(arguments.pop("tab", None), tabs) if call.action not in ("tab", "tabs") else None
    line = _protocol_line(call.action, arguments) or _table_line(call.action, arguments)
    command = line.command
    if command is None:
        raise CallRejected(error("The line has no command."))
    if line.session is not None:
        raise CallRejected(error("Commands act on the target tabs alone."))
    if command.spec.path[0] in EXCLUDED_VERBS or command.spec.scope in HOST_SCOPES:
        raise CallRejected(
            error(f"{command.spec.name} is not for agents. Tabs are opened with open_tab, and released by themselves.")
        )
    return ResolvedCall(line, _target_of(command, tabs) or chosen or _current(tabs))


def _tab_argument(words: Any, tabs: TargetTabs) -> TargetTab | None:
    """Return the target that `"tab": "https://…"` names: the tab whose snapshot has that URL. Raises `CallRejected` if
    there is no such tab."""
    if words is None:
        return None
    if not isinstance(words, str) or not words.strip():
        raise CallRejected(error('"tab" must be the URL of a target tab, as its snapshot has it.'))
    found = tabs.find_by_url(words.strip())
    if not found:
        raise CallRejected(error('No target tab has the URL of "tab". Take one that a snapshot has.'))
    return tabs.current if tabs.current in found else found[-1]


def _current(tabs: TargetTabs) -> TargetTab:
    if tabs.current is None:
        raise CallRejected(error("There is no target tab. Open one with open_tab."))
    return tabs.current


def _protocol_line(action: str, arguments: dict[str, Any]) -> Line | None:
    """Return the line for the protocol's own `click` and `type`; None for any other call. Raises `CallRejected` if an
    argument is invalid."""
    if "target" in arguments or action not in ("click", "type"):
        return None
    if action == "click" and set(arguments) - {"id"} and "id" in arguments:
        return None  # `double`, `right` and such belong to the command of the table
    if action == "type" and set(arguments) - {"id", "value"}:
        return None
    number = _number(action, arguments)
    if action == "click":
        return Line.of(Click(IdTarget(number)))
    value = arguments.get("value")
    if not isinstance(value, str):
        raise CallRejected(error('"type" needs "value": the text, as a string.'))
    return Line.of(TypeKeys(IdTarget(number), value))


def _number(action: str, arguments: dict[str, Any]) -> int:
    if "id" not in arguments:
        raise CallRejected(error(f'"{action}" needs "id": the number of an element in the most recent snapshot.'))
    value = arguments["id"]
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1 or value < 0:
        raise CallRejected(error('"id" must be the number of an element in the most recent snapshot, without quotes.'))
    return int(value)


def _table_line(action: str, arguments: dict[str, Any]) -> Line:
    """Return the line of a command from the command table. An `id` may replace its `target`, and a `value` its other
    required argument."""
    names = {spec.api_name for verb in api_vocabulary().verbs.values() for spec in verb.commands}
    name = action.replace("_", " ") if action.replace("_", " ") in names else action
    if "id" in arguments and "target" not in arguments:
        arguments = {"target": {"id": _number(action, arguments)}, **_without(arguments, "id")}
    if "value" in arguments and (needed := _required_argument(name)) and needed not in arguments:
        arguments = {needed: arguments["value"], **_without(arguments, "value")}
    try:
        return line_of(name, arguments)
    except LanguageError as failure:
        raise CallRejected(engine_error(failure)) from failure


def _without(arguments: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in arguments.items() if key != name}


def _required_argument(name: str) -> str | None:
    """Return the name of the argument that a command requires besides its target, if there is exactly one."""
    verb = api_vocabulary().verbs.get(name.split()[0])
    if verb is None or verb.default is None:
        return None
    names = [each.name for each in verb.default.arguments if each.name != "target"]
    return names[0] if len(names) == 1 and names[0] != "value" else None


def _target_of(command: Command, tabs: TargetTabs) -> TargetTab | None:
    """Return the target tab whose elements a command names by number; None if it names no numbers. Raises
    `CallRejected`."""
    found: TargetTab | None = None
    for number in _numbers(command):
        owner = tabs.find_by_element(number)
        if owner is None:
            raise CallRejected(element_not_found(number))
        if found is not None and owner is not found:
            raise CallRejected(error("The elements are on different tabs."))
        found = owner
    return found


def _numbers(command: Command) -> Iterator[int]:
    for each in command.values().values():
        if isinstance(each, LanguageTarget | RelatedTarget):
            yield from numbers_in(each)
