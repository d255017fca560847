"""The values that `run` gives to an intent: read by their types, completed by the defaults."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from oryn.engine.intents.own.definition import Definition, Parameter
from oryn.errors import InvalidValue, MissingArgument, UnexpectedInput
from oryn.language.kinds import JSON
from oryn.language.suggestions import did_you_mean

_NUMBER = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?")
_TRUE, _FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "0")
_FLAGS = dict.fromkeys(_TRUE, "true") | dict.fromkeys(_FALSE, "false")


def read_value(kind: str, text: str) -> str | None:
    """A value as a step writes it, or None for a text that is none of the type. Lists are read by `read_list`."""
    if kind == "number":
        return text if _NUMBER.fullmatch(text) else None
    if kind == "flag":
        return _FLAGS.get(text.lower())
    return text


def read_list(text: str) -> tuple[str, ...]:
    """A JSON array, else the texts between commas. Raises `InvalidValue`."""
    if text.lstrip().startswith("["):
        return tuple(each if isinstance(each, str) else json.dumps(each) for each in JSON.mean(text, 0))
    return tuple(part for part in map(str.strip, text.split(",")) if part)


class Bound:
    """`texts` are what placeholders stand for; `lists` what loops go over."""

    def __init__(self, definition: Definition, given: Iterable[tuple[str, str]]) -> None:
        """Raises `MissingArgument`, `UnexpectedInput`, `InvalidValue`, all of them with the usage."""
        self.texts: dict[str, str] = {}
        self.lists: dict[str, tuple[str, ...]] = {}
        self.given: set[str] = set()
        values = dict(given)
        for name in values:
            if name not in definition.parameters:
                hint = did_you_mean(f"--{name}", (f"--{each}" for each in definition.parameters)) or definition.usage
                raise UnexpectedInput(f"{definition.name} has no parameter --{name}", hint)
        for name, parameter in definition.parameters.items():
            if name not in values and parameter.required:
                raise MissingArgument(f"{definition.name} needs --{name}", definition.usage)
            self._bind(parameter, values.get(name), definition.usage)

    def _bind(self, parameter: Parameter, text: str | None, usage: str) -> None:
        name, default = parameter.name, parameter.default
        if text is not None or default:
            self.given.add(name)
        if parameter.type == "list":
            self.lists[name] = tuple(default or ()) if text is None else read_list(text)
            return
        empty = {"number": "0", "flag": "false"}.get(parameter.type, "")
        value = str(default if default is not None else empty) if text is None else read_value(parameter.type, text)
        if value is None:
            shown = "" if parameter.secret else f": {(text or '')[:40]}"
            raise InvalidValue(f"--{name} is no {parameter.type}{shown}", usage)
        if value == "false":
            self.given.discard(name)
        self.texts[name] = value
