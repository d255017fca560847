"""JSON Schemas of what the table's commands take (https://json-schema.org/draft/2020-12).

They say what models need: the plain type, the words of a choice, a short description. What a value may be in full, the
parser checks, whose errors models can read; so nothing here refuses what the parser takes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from oryn.language.command import Argument, CommandSpec, Option
from oryn.language.kinds import (
    Combination,
    Duration,
    Headers,
    Integer,
    Json,
    JsonObject,
    JsonText,
    Kind,
    Number,
    Selection,
    Several,
)
from oryn.language.kinds.targets import TargetKind
from oryn.language.usage import COMMON
from oryn.language.vocabulary import Verb

Schema = dict[str, Any]

ACTION = "action"
"""The property that chooses one of several commands of a verb: `{"action": "set", "name": …}` of `cookies`."""

_WAITING = "Waiting"
"""The family whose commands are about how long they take: their time limit is an argument like others."""

_TYPES: tuple[tuple[type[Kind[Any]], Schema], ...] = (
    (Integer, {"type": "integer"}),
    (Number, {"type": "number"}),
    (Duration, {"type": "number"}),
    (JsonText, {}),
    (Headers, {"type": "object"}),
    (JsonObject, {"type": "object"}),
    (Json, {}),
    (Several, {"type": "array", "items": {"type": "string"}}),
)
"""What is no text, the more special kinds first."""


def parameters(verb: Verb, only: Iterable[str] | None = None) -> Schema:
    """The schema of the arguments of all commands of a verb; `only` names those to have, else all but the options that
    every command has (`COMMON`)."""
    properties: dict[str, Schema] = {}
    if len(verb.commands) > 1:
        properties[ACTION] = {"type": "string", "enum": list(verb.chosen)}
    for spec in verb.commands:
        for field in fields(spec):
            if not _chosen_by(field, spec, verb):
                properties[field.name] = _joined(properties.get(field.name), property_of(field))
        if spec.open:
            properties["parameters"] = {"type": "object", "description": "its parameters, by their names"}
    if verb.name == "define":
        properties["body"] = {"type": "array", "items": {"type": "string"}, "description": "its lines"}
    if only is not None:
        properties = {name: properties[name] for name in only}
    schema: Schema = {"type": "object", "properties": properties}
    if required := [name for name in properties if _is_required(name, verb)]:
        schema["required"] = required
    return schema


def fields(spec: CommandSpec) -> Iterator[Argument | Option]:
    """The arguments and options of a command that a tool shows."""
    yield from spec.arguments
    for name, option in spec.options.items():
        if name not in COMMON or (name == "timeout" and spec.family == _WAITING):
            yield option


def property_of(field: Argument | Option) -> Schema:
    """The schema of one argument or option, with what it is for."""
    kind = field.kind
    if kind is None:
        return {"type": "boolean", "description": field.help}
    schema = _value(kind)
    if isinstance(field, Argument) and field.many:
        schema = {"type": "array", "items": schema}
    return {**schema, "description": _described(field, kind)}


def _value(kind: Kind[Any]) -> Schema:
    if kind.words:
        return {"type": "string", "enum": list(kind.words)}
    return next((dict(schema) for type_, schema in _TYPES if isinstance(kind, type_)), {"type": "string"})


def _described(field: Argument | Option, kind: Kind[Any]) -> str:
    """The table's help, and what it does not say because a line's usage does."""
    if isinstance(kind, TargetKind):
        return f"{field.help}: its number, text, role or css(...)"
    if isinstance(kind, Duration):
        return f"{field.help}, in seconds"
    if isinstance(kind, Combination):
        return f"{field.help}, as control+a"
    # The choices that are no plain words stand in the label: `links|…|css("<css>")`.
    told = "|" in kind.label and not kind.words and not isinstance(kind, Selection)
    return f"{field.help}: {kind.label}" if told else field.help


def _chosen_by(field: Argument | Option, spec: CommandSpec, verb: Verb) -> bool:
    """Whether `ACTION` says what this argument is: a choice that stands where others of the verb have their word."""
    return len(verb.commands) > 1 and len(spec.path) == 1 and bool(spec.choice) and field is spec.arguments[0]


def _joined(known: Schema | None, added: Schema) -> Schema:
    """One property for an argument that several commands of a verb have; a choice has the words of all of them."""
    if known is None:
        return added
    if "enum" in known and "enum" in added:
        return {**known, "enum": list(dict.fromkeys((*known["enum"], *added["enum"])))}
    return known


def _is_required(name: str, verb: Verb) -> bool:
    """Whether every way of saying the verb needs it."""
    if name == ACTION and len(verb.commands) > 1:
        return verb.default is None and verb.alone is None
    if name == "body":
        return True
    found = [next((each for each in spec.arguments if each.name == name), None) for spec in verb.commands]
    return all(each is not None and each.required for each in found)
