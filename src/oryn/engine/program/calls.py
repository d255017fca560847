"""The call of a program that means a command: the opposite of `functions.line_of_call`. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from oryn.engine.program.functions import function_names, line_of_call
from oryn.errors import LanguageError
from oryn.language import Command
from oryn.language.help import COMMON_OPTIONS
from oryn.language.json_codec import command_json


def call_text(command: Command, names: Mapping[str, str]) -> str | None:
    """Return the call that gives a command, or None if there is none.

    names: the names of variables by the texts in whose place they stand."""
    spec = command.spec
    name = next((each for each in (spec.name.replace(" ", "_"), spec.api_name) if each in function_names()), None)
    if name is None:
        return None
    data = command_json(command)["arguments"]
    arguments: list[Any] = []
    for place in spec.arguments:
        value = data.pop(place.name)
        if value is None:
            break
        arguments.append(_plain_target(value) if place.name in ("target", "to") else value)
    defaults = {each: getattr(field, "default", None) for each, field in type(command).__fields__.items()}
    options = {
        each: value
        for each, value in data.items()
        if value not in (None, False, [], {}) and value != defaults.get(each) and each not in COMMON_OPTIONS
    }
    try:
        if line_of_call(name, arguments, options).command != command:
            return None
    except LanguageError:
        return None
    written = [_expression(each, names) for each in arguments]
    written += [f"{each}={_expression(value, names)}" for each, value in options.items()]
    return f"{name}({', '.join(written)})"


def _plain_target(data: Any) -> Any:
    """Return a target as a program's author writes it: a text, if that means the same."""
    match data:
        case {"text": str(text)} if len(data) == 1:
            try:
                target = getattr(line_of_call("click", [text], {}).command, "target", None)
                wanted = getattr(line_of_call("click", [data], {}).command, "target", None)
            except LanguageError:
                return data
            return text if target == wanted else data
        case {"role": str(role)} if len(data) == 1:
            return role
        case {"css": str(selector)} if len(data) == 1:
            return f"css({selector})"
    return data


def _expression(value: Any, names: Mapping[str, str]) -> str:
    match value:
        case str():
            return names.get(value) or _quoted(value)
        case list():
            return f"[{', '.join(_expression(each, names) for each in value)}]"
        case Mapping():
            return f"{{{', '.join(f'{_quoted(str(key))}: {_expression(each, names)}' for key, each in value.items())}}}"
    return repr(value)


def _quoted(text: str) -> str:
    """Return the text as a literal, in double quotes where that needs no more escapes."""
    import json

    found = repr(text)
    return json.dumps(text, ensure_ascii=False) if "\\" not in found and '"' not in text else found
