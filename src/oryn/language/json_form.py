"""Commands and lines as JSON data, as `oryn parse` prints them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from oryn.errors import LanguageError
from oryn.language.command import Argument, Command, Option
from oryn.language.line import Line, parse_script


def command_json(command: Command) -> dict[str, Any]:
    """`{"name": "click", "arguments": {"target": {"id": 5}, "double": false, …}}`, every field of the command's class.

    Durations are in seconds, targets are tagged objects (`target_json`)."""
    fields = type(command).__fields__
    arguments = {name: _field(fields[name], value) for name, value in command.values().items()}
    if "parameters" in arguments:
        arguments["parameters"] = dict(arguments["parameters"])
    return {"name": type(command).spec.name, "arguments": arguments}


def _field(field: object, value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    if value is None or not isinstance(field, Argument | Option) or field.kind is None:
        return value
    return field.kind.as_json(value)


def parse_output(text: str) -> Iterator[dict[str, Any]]:
    """For each line that is not blank, what intent-language §1 says: `canonical`, `command`, `comment`, or `error`.

    The command of a line for another session has that session's name beside its own."""
    for each in parse_script(text):
        yield _error(each.error) if each.error else _parsed(each.line)


def _parsed(line: Line | None) -> dict[str, Any]:
    assert line is not None
    command = command_json(line.command) if line.command else None
    if command and line.session:
        command["session"] = line.session
    return {"canonical": line.canonical, "command": command, "comment": line.comment}


def _error(error: LanguageError) -> dict[str, Any]:
    return {
        "error": {
            "phase": error.phase,
            "code": error.code,
            "message": error.message,
            "hint": error.hint,
            "position": error.position,
        }
    }
