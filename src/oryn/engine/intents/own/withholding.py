"""A definition without the credentials that are written in it: each becomes a parameter that has to be given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from oryn.engine.intents.own.definition import Definition
from oryn.engine.intents.own.table import DEFINITION
from oryn.engine.intents.own.template import PLACEHOLDER
from oryn.errors import LanguageError
from oryn.language import MASK, parse, render


def without_secrets(definition: Definition) -> dict[str, Any]:
    """The definition's data, for `export`: what was written where a credential stands is asked for instead."""
    names: list[str] = []
    data = dict(definition.data)

    def withheld(line: str) -> str:
        return _withheld(line, definition, names)

    data["steps"] = [_in_step(step, withheld) for step in data["steps"]]
    if names:
        secrets = {name: {"secret": True} for name in names}
        data["parameters"] = {**data.get("parameters", {}), **secrets}
    return {key: data[key] for key in DEFINITION.entries if key in data}


def _in_step(step: Any, withheld: Callable[[str], str]) -> Any:
    if isinstance(step, str):
        return withheld(step)
    ((kind, inner),) = step.items()
    lists = {
        key: [_in_step(each, withheld) for each in inner[key]]
        for key in ("steps", "then", "else", "catch")
        if key in inner
    }
    return {kind: {**inner, **lists}}


def _withheld(line: str, definition: Definition, names: list[str]) -> str:
    try:
        command = parse(line).command
    except LanguageError:
        # A number's placeholder in a place for numbers: no credential stands in such a line but as a parameter.
        return line
    if command is None:
        return line
    told = render(command.masked())
    if MASK not in told or PLACEHOLDER.search(_difference(render(command), told)):
        return line
    name = "password"
    while name in definition.parameters or name in names:
        name += "_2"
    names.append(name)
    return told.replace(MASK, f"{{{{{name}}}}}")


def _difference(text: str, masked: str) -> str:
    """What stands in `text` where `masked` has dots."""
    before, _, after = masked.partition(MASK)
    return text[len(before) : len(text) - len(after)]
