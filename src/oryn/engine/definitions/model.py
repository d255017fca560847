"""A custom intent as values, built from plain data by `loader.py`.

Its parameters are bound to the values that `run` passes: read by their types, completed by the defaults."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from oryn.core.suggestions import did_you_mean
from oryn.engine.definitions.schema import DEFAULT_ROUND_LIMIT
from oryn.engine.definitions.template import Template
from oryn.errors import InvalidValue, MissingArgument, UnexpectedInput
from oryn.language.kinds import JSON


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of an intent. `default` is a text, or a tuple of texts for a list; None means no default."""

    name: str
    type: str = "text"
    default: str | tuple[str, ...] | None = None
    required: bool = True
    secret: bool = False
    description: str = ""

    @property
    def usage(self) -> str:
        """The parameter in a usage line: `--rating <number>`, in brackets if it is optional."""
        written = f"--{self.name} <{self.type}>"
        return written if self.required else f"[{written}]"


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition. `template` is the command that checks it, if there is one; `parts` are the conditions inside it."""

    kind: str
    template: Template | None = None
    texts: tuple[str, ...] = ()
    parts: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class CommandStep:
    template: Template


@dataclass(frozen=True, slots=True)
class Branch:
    condition: Condition
    then: Steps
    otherwise: Steps


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop over one of `times` (a number, or a parameter's name), `over` (texts, or a parameter's name) and
    `condition`. With `until` it runs until the condition is true, otherwise while it is."""

    steps: Steps
    times: int | str | None = None
    over: tuple[str, ...] | str | None = None
    item: str = "item"
    condition: Condition | None = None
    until: bool = False
    limit: int = DEFAULT_ROUND_LIMIT


@dataclass(frozen=True, slots=True)
class Try:
    steps: Steps
    catch: Steps


Step = CommandStep | Branch | Loop | Try
Steps = tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Definition:
    """A custom intent: steps, or a program. `data` is its source. `time_limit` is in seconds; None means the session's
    timeout."""

    name: str
    version: str
    description: str
    parameters: Mapping[str, Parameter]
    steps: Steps
    success: tuple[Condition, ...]
    failure: tuple[Condition, ...]
    step_limit: int
    time_limit: float | None
    data: Mapping[str, Any]
    program: str | None = None
    """The text that runs instead of steps. Its parameters are variables of the program."""

    @property
    def usage(self) -> str:
        """The usage line: `run review --rating <number> [--text <text>]`."""
        return " ".join(["run", self.name, *(each.usage for each in self.parameters.values())])

    @property
    def secrets(self) -> frozenset[str]:
        return frozenset(name for name, each in self.parameters.items() if each.secret)


_NUMBER = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?")
_TRUE, _FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "0")
_FLAGS = dict.fromkeys(_TRUE, "true") | dict.fromkeys(_FALSE, "false")


def read_value(kind: str, text: str) -> str | None:
    """Return a value in the form that a step uses, or None if the text does not have the type.
    `read_list` reads lists."""
    if kind == "number":
        return text if _NUMBER.fullmatch(text) else None
    if kind == "flag":
        return _FLAGS.get(text.lower())
    return text


def read_list(text: str) -> tuple[str, ...]:
    """Parse a JSON array, or else texts separated by commas. Raises `InvalidValue`."""
    if text.lstrip().startswith("["):
        return tuple(each if isinstance(each, str) else json.dumps(each) for each in JSON.convert(text, 0))
    return tuple(part for part in map(str.strip, text.split(",")) if part)


class BoundParameters:
    """The values of an intent's parameters. `texts` are for placeholders, `lists` for loops."""

    def __init__(self, definition: Definition, arguments: Iterable[tuple[str, str]]) -> None:
        """Raises `MissingArgument`, `UnexpectedInput`, `InvalidValue`, with the usage as the hint."""
        self.texts: dict[str, str] = {}
        self.lists: dict[str, tuple[str, ...]] = {}
        self.provided: set[str] = set()
        values = dict(arguments)
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
            self.provided.add(name)
        if parameter.type == "list":
            self.lists[name] = tuple(default or ()) if text is None else read_list(text)
            return
        empty = {"number": "0", "flag": "false"}.get(parameter.type, "")
        value = str(default if default is not None else empty) if text is None else read_value(parameter.type, text)
        if value is None:
            suffix = "" if parameter.secret else f": {(text or '')[:40]}"
            raise InvalidValue(f"--{name} is no {parameter.type}{suffix}", usage)
        if value == "false":
            self.provided.discard(name)
        self.texts[name] = value
