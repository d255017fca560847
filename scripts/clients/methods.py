"""The methods of the client libraries, as data: one for each command of the table, or for each word of a choice that
tells commands apart (`wait_visible`, `wait_idle`). The writers for Python and TypeScript read this."""

from __future__ import annotations

import keyword
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from oryn.language.command import Argument, Command, CommandSpec, Option
from oryn.language.commands import COMMANDS
from oryn.language.commands.host import HOST_COMMANDS
from oryn.language.commands.research import RESEARCH_COMMANDS
from oryn.language.help import spec_usage
from oryn.language.kinds import (
    DurationKind,
    HeadersKind,
    IntegerKind,
    JsonKind,
    JsonObjectKind,
    JsonOrFileKind,
    KeyCombinationKind,
    ListKind,
    NumberKind,
    OffsetKind,
    RegionKind,
    SelectionKind,
    TargetKind,
    ValueKind,
)
from oryn.language.kinds.special import ExtractKind

RENAMED = {"close": "end_session"}
"""Methods whose command is called as something that a client does itself."""


GROUPS: Mapping[str, tuple[str, ...]] = {
    "actions": ("navigation", "interaction", "mouse", "waits"),
    "observation": ("observation", "audits", "network", "recording"),
    "browser": ("tabs", "state", "device", "notes"),
    "host": ("intents", "general", "host", "research"),
}
"""The generated modules, and the modules of the table whose commands each has."""


class ParameterType(NamedTuple):
    """A type as both languages write it."""

    python: str
    typescript: str


_TEXT = ParameterType("str", "string")
_PATH = ParameterType("FilePath", "string")
_TYPES: tuple[tuple[type[ValueKind[Any]], ParameterType], ...] = (
    (TargetKind, ParameterType("Target", "Target")),
    (IntegerKind, ParameterType("int", "number")),
    (NumberKind, ParameterType("float", "number")),
    (DurationKind, ParameterType("Duration", "Duration")),
    (OffsetKind, ParameterType("tuple[float, float]", "readonly [number, number]")),
    (RegionKind, ParameterType("tuple[float, float, float, float]", "readonly [number, number, number, number]")),
    (HeadersKind, ParameterType("Mapping[str, str]", "Readonly<Record<string, string>>")),
    (JsonOrFileKind, ParameterType("Mapping[str, Any] | FilePath", "object | string")),
    (JsonObjectKind, ParameterType("Mapping[str, Any]", "object")),
    (JsonKind, ParameterType("Any", "unknown")),
    (ListKind, ParameterType("Sequence[str]", "readonly string[]")),
    (KeyCombinationKind, ParameterType("str", "string")),
    (SelectionKind, ParameterType("str | int", "string | number")),
    (ExtractKind, ParameterType("str", "string")),
)
"""The types of kinds that are not plain text; more specific kinds come first."""


class Parameter(NamedTuple):
    """A parameter of a method. `key` is the argument's name in a request, `keyword` says that it is passed by name."""

    name: str
    key: str
    type: ParameterType
    help: str
    required: bool
    keyword: bool
    flag: bool


class Method(NamedTuple):
    """A method. `action` and `fixed` go into its request; `module` is that of the command's class."""

    name: str
    action: str
    fixed: Mapping[str, str]
    parameters: tuple[Parameter, ...]
    spec: CommandSpec
    help: str
    module: str

    @property
    def usage(self) -> str:
        """The usage line of the command."""
        return spec_usage(self.spec)

    @property
    def result(self) -> str:
        """The type of the result's data, as an expression of `oryn.language.results`."""
        return self.spec.result

    @property
    def overloads(self) -> Mapping[str, str]:
        """The words of the first parameter that decide the result's type, with that type."""
        words = getattr(self.spec.arguments[0].kind, "suggested", ()) if self.spec.results else ()
        return {word: self.spec.results[word] for word in words}


def methods() -> list[Method]:
    """Return every method, in the order of the table. Commands of a conversation (`exit`, `output`, `session work`)
    have none: a client has other means for them."""
    every = (*COMMANDS, *HOST_COMMANDS, *RESEARCH_COMMANDS)
    commands = [each for each in every if each.spec.scope != "conversation"]
    uses = Counter(_name(each.spec) for each in commands)
    found = [method for each in commands for method in _methods_of(each, uses)]
    twice = [name for name, count in Counter(each.name for each in found).items() if count > 1]
    assert not twice, f"two methods would be called {twice}"
    return found


def groups() -> dict[str, list[Method]]:
    """Return the methods of each generated module."""
    every = methods()
    found = {group: [each for each in every if each.module in modules] for group, modules in GROUPS.items()}
    assert sum(map(len, found.values())) == len(every), "a module of the table is in no group"
    return found


def _action(spec: CommandSpec) -> str:
    """Return the command's name in the API vocabulary, as requests have it: `cookies_get`, `site_search`."""
    return spec.api_name.replace(" ", "_")


def _name(spec: CommandSpec) -> str:
    return _action(spec).replace("-", "_")


def _methods_of(command: type[Command], uses: Counter[str]) -> Iterator[Method]:
    spec, name, action = command.spec, _name(command.spec), _action(command.spec)
    module = command.__module__.rpartition(".")[2]
    parameters = tuple(_parameters(spec))
    if spec.choice and (uses[name] > 1 or keyword.iskeyword(name)):
        key = spec.arguments[0].name
        rest = tuple(each for each in parameters if each.key != key)
        for word in spec.choice:
            yield Method(f"{name}_{word}", action, {key: word}, rest, spec, f"{spec.help}: {word}", module)
        return
    yield Method(RENAMED.get(name, name), action, {}, parameters, spec, spec.help, module)


def _parameters(spec: CommandSpec) -> Iterator[Parameter]:
    for argument in sorted(spec.arguments, key=lambda each: (not each.required, each.keyword)):
        yield _parameter(argument, argument.required, argument.keyword)
    if spec.open:
        help, type_ = "its parameters, by their names", ParameterType("Mapping[str, Any]", "object")
        yield Parameter("parameters", "parameters", type_, help, False, False, False)
    if "body" in spec.type.__fields__:
        type_ = ParameterType("Sequence[str]", "readonly string[]")
        yield Parameter("body", "body", type_, "its lines", True, False, False)
    for option in spec.options.values():
        yield _parameter(option, False, True)


def _parameter(field: Argument | Option, required: bool, by_keyword: bool) -> Parameter:
    name = f"{field.name}_" if keyword.iskeyword(field.name) else field.name
    kind = field.kind
    if kind is None:
        return Parameter(name, field.name, ParameterType("bool", "boolean"), field.help, required, by_keyword, True)
    type_ = _type_of(kind)
    if isinstance(field, Argument) and field.many:
        python, typescript = type_
        type_ = ParameterType(f"{python} | Sequence[{python}]", f"{typescript} | readonly ({typescript})[]")
    help = f"{field.help}, in seconds or as `500ms`" if isinstance(kind, DurationKind) else field.help
    return Parameter(name, field.name, type_, help, required, by_keyword, False)


def _type_of(kind: ValueKind[Any]) -> ParameterType:
    if kind.words:
        words = ", ".join(f'"{word}"' for word in kind.words)
        return ParameterType(f"Literal[{words}]", words.replace(", ", " | "))
    if kind.label == "<path>":
        return _PATH
    return next((type_ for kind_type, type_ in _TYPES if isinstance(kind, kind_type)), _TEXT)
