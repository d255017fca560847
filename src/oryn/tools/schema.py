"""JSON Schemas of the arguments of commands (https://json-schema.org/draft/2020-12).

They contain what models need: the plain type, the words of a choice, a short description. The parser checks the values
in full, and models can read its errors; so no schema rejects a value that the parser accepts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from oryn.language.command import Argument, CommandSpec, Option
from oryn.language.help import COMMON_OPTIONS
from oryn.language.kinds import (
    DurationKind,
    HeadersKind,
    IntegerKind,
    JsonKind,
    JsonObjectKind,
    JsonOrFileKind,
    JsonTextKind,
    KeyCombinationKind,
    ListKind,
    NumberKind,
    SelectionKind,
    ValueKind,
)
from oryn.language.kinds.targets import TargetKind
from oryn.language.vocabulary import Verb

Schema = dict[str, Any]

ACTION = "action"
"""The property that chooses one of several commands of a verb: `{"action": "set", "name": …}` of `cookies`."""

_WAITING = "Waiting"
"""The family of commands that wait: their timeout is an argument like others."""

_TYPES: tuple[tuple[type[ValueKind[Any]], Schema], ...] = (
    (IntegerKind, {"type": "integer"}),
    (NumberKind, {"type": "number"}),
    (DurationKind, {"type": "number"}),
    (JsonOrFileKind, {}),
    (JsonTextKind, {}),
    (HeadersKind, {"type": "object"}),
    (JsonObjectKind, {"type": "object"}),
    (JsonKind, {}),
    (ListKind, {"type": "array", "items": {"type": "string"}}),
)
"""The schemas of kinds that are not text; more specific kinds come first."""


def parameters(verb: Verb, only: Iterable[str] | None = None) -> Schema:
    """Return the schema of the arguments of all commands of a verb.

    only: the names of the properties to include; by default all but the options that every command has
        (`COMMON_OPTIONS`)."""
    properties: dict[str, Schema] = {}
    if len(verb.commands) > 1:
        properties[ACTION] = {"type": "string", "enum": list(verb.chosen)}
    for spec in verb.commands:
        for field in fields(spec):
            if not _chosen_by(field, spec, verb):
                properties[field.name] = _merge_properties(properties.get(field.name), property_of(field))
        if spec.open:
            properties["parameters"] = {"type": "object", "description": "its parameters, by their names"}
    if verb.name == "define":
        properties["body"] = {"type": "array", "items": {"type": "string"}, "description": "its lines"}
    if only is not None:
        properties = {name: properties[name] for name in only}
    schema: Schema = {"type": "object", "properties": properties}
    if required := [name for name in properties if _is_required(name, verb) or _has_no_alternative(name, verb, only)]:
        schema["required"] = required
    return schema


def fields(spec: CommandSpec) -> Iterator[Argument | Option]:
    """Yield the arguments and options of a command that a tool has."""
    yield from spec.arguments
    for name, option in spec.options.items():
        if name not in COMMON_OPTIONS or (name == "timeout" and spec.family == _WAITING):
            yield option


def property_of(field: Argument | Option) -> Schema:
    """Return the schema of one argument or option, with its description."""
    kind = field.kind
    if kind is None:
        return {"type": "boolean", "description": field.help}
    schema = _value(kind)
    if isinstance(field, Argument) and field.many:
        schema = {"type": "array", "items": schema}
    return {**schema, "description": _description_of(field, kind)}


def _value(kind: ValueKind[Any]) -> Schema:
    if kind.words:
        return {"type": "string", "enum": list(kind.words)}
    return next((dict(schema) for type_, schema in _TYPES if isinstance(kind, type_)), {"type": "string"})


def _description_of(field: Argument | Option, kind: ValueKind[Any]) -> str:
    """Return the help of the table, and what a line's usage would add to it."""
    if isinstance(kind, TargetKind):
        return f'{field.help}: its number, text, button "Save", role or css(...)'
    if isinstance(kind, DurationKind):
        return f"{field.help}, in seconds"
    if isinstance(kind, KeyCombinationKind):
        return f"{field.help}, as control+a"
    # Choices that are not plain words are only in the label: `links|…|css("<css>")`.
    has_choices = "|" in kind.label and not kind.words and not isinstance(kind, SelectionKind)
    return f"{field.help}: {kind.label}" if has_choices else field.help


def _chosen_by(field: Argument | Option, spec: CommandSpec, verb: Verb) -> bool:
    """Return whether `ACTION` determines this argument: a choice in the position of the other commands'
    sub-commands."""
    return len(verb.commands) > 1 and len(spec.path) == 1 and bool(spec.choice) and field is spec.arguments[0]


def _merge_properties(current: Schema | None, added: Schema) -> Schema:
    """Merge the properties of an argument that several commands of a verb have; a choice gets the words
    of all of them."""
    if current is None:
        return added
    if "enum" in current and "enum" in added:
        return {**current, "enum": list(dict.fromkeys((*current["enum"], *added["enum"])))}
    return current


def _has_no_alternative(name: str, verb: Verb, only: Iterable[str] | None) -> bool:
    """Return whether a property is the only listed one of several of which the command requires one."""
    alternatives = [spec.either for spec in verb.commands]
    return only is not None and all(name in each and set(each).intersection(only) == {name} for each in alternatives)


def _is_required(name: str, verb: Verb) -> bool:
    """Return whether every form of the verb requires the property."""
    if name == ACTION and len(verb.commands) > 1:
        return verb.default is None and verb.alone is None
    if name == "body":
        return True
    found = [next((each for each in spec.arguments if each.name == name), None) for spec in verb.commands]
    return all(each is not None and each.required for each in found)
