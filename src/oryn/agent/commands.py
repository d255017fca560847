"""From a model's call to a command of the table and the target that it is for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from oryn.agent.keying import TypeKeys
from oryn.agent.messages import element_not_found, error, failed
from oryn.agent.parsing import Call
from oryn.agent.tabs import Tabs
from oryn.agent.target import Target
from oryn.engine.resolve import numbers_in
from oryn.errors import LanguageError
from oryn.language import Click, Command, Id, Line, Related, doors
from oryn.language.targets import Target as LanguageTarget
from oryn.records import Record
from oryn.tools import line_of

OTHERS = frozenset({"tabs", "tab", "session", "sessions", "exit", "output"})
"""Verbs about other tabs and sessions than the agent's own, and about the host."""


class Refused(Exception):
    """The call can't be done; its text is the message to the model."""


class Wanted(Record):
    """A line to run in a target's session."""

    line: Line
    target: Target


def wanted(call: Call, tabs: Tabs) -> Wanted:
    """What a call of the table means; `click` and `type` with an `id` are the protocol's own. Raises `Refused`."""
    arguments = dict(call.arguments)
    chosen = _chosen(arguments.pop("tab", None), tabs) if call.action not in ("tab", "tabs") else None
    line = _own(call.action, arguments) or _of_table(call.action, arguments)
    command = line.command
    if command is None:
        raise Refused(error("The line has no command."))
    if line.session is not None:
        raise Refused(error("Commands act on the target tabs alone."))
    if command.spec.path[0] in OTHERS or command.spec.host:
        raise Refused(
            error(f"{command.spec.name} is not for agents. Tabs are opened with open_tab, and released by themselves.")
        )
    return Wanted(line, _target_of(command, tabs) or chosen or _current(tabs))


def _chosen(words: Any, tabs: Tabs) -> Target | None:
    """The target that `"tab": "https://…"` means: the one whose snapshot has that URL."""
    if words is None:
        return None
    if not isinstance(words, str) or not words.strip():
        raise Refused(error('"tab" must be the URL of a target tab, as its snapshot has it.'))
    found = tabs.called(words.strip())
    if not found:
        raise Refused(error('No target tab has the URL of "tab". Take one that a snapshot has.'))
    return tabs.current if tabs.current in found else found[-1]


def _current(tabs: Tabs) -> Target:
    if tabs.current is None:
        raise Refused(error("There is no target tab. Open one with open_tab."))
    return tabs.current


def _own(action: str, arguments: dict[str, Any]) -> Line | None:
    """The protocol's own `click` and `type`; None for any other call."""
    if "target" in arguments or action not in ("click", "type"):
        return None
    if action == "click" and set(arguments) - {"id"} and "id" in arguments:
        return None  # `double`, `right` and such: the table's
    if action == "type" and set(arguments) - {"id", "value"}:
        return None
    number = _number(action, arguments)
    if action == "click":
        return Line.of(Click(Id(number)))
    value = arguments.get("value")
    if not isinstance(value, str):
        raise Refused(error('"type" needs "value": the text, as a string.'))
    return Line.of(TypeKeys(Id(number), value))


def _number(action: str, arguments: dict[str, Any]) -> int:
    if "id" not in arguments:
        raise Refused(error(f'"{action}" needs "id": the number of an element in the most recent snapshot.'))
    value = arguments["id"]
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1 or value < 0:
        raise Refused(error('"id" must be the number of an element in the most recent snapshot, without quotes.'))
    return int(value)


def _of_table(action: str, arguments: dict[str, Any]) -> Line:
    """A command by the table's name. An `id` may stand for its `target`, a `value` for what else it needs."""
    name = action.replace("_", " ") if action.replace("_", " ") in _names() else action
    if "id" in arguments and "target" not in arguments:
        arguments = {"target": {"id": _number(action, arguments)}, **_without(arguments, "id")}
    if "value" in arguments and (needed := _needed(name)) and needed not in arguments:
        arguments = {needed: arguments["value"], **_without(arguments, "value")}
    try:
        return line_of(name, arguments)
    except LanguageError as failure:
        raise Refused(failed(failure)) from failure


def _without(arguments: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in arguments.items() if key != name}


def _names() -> set[str]:
    return {spec.door for verb in doors().verbs.values() for spec in verb.commands}


def _needed(name: str) -> str | None:
    """What a command needs besides its target, where that is one thing."""
    verb = doors().verbs.get(name.split()[0])
    if verb is None or verb.default is None:
        return None
    names = [each.name for each in verb.default.arguments if each.name != "target"]
    return names[0] if len(names) == 1 and names[0] != "value" else None


def _target_of(command: Command, tabs: Tabs) -> Target | None:
    """The target whose elements a command names by number; None where it names none. Raises `Refused`."""
    found: Target | None = None
    for number in _numbers(command):
        owner = tabs.of_number(number)
        if owner is None:
            raise Refused(element_not_found(number))
        if found is not None and owner is not found:
            raise Refused(error("The elements are on different tabs."))
        found = owner
    return found


def _numbers(command: Command) -> Iterator[int]:
    for each in command.values().values():
        if isinstance(each, LanguageTarget | Related):
            yield from numbers_in(each)
