"""JSON Schemas (draft 2020-12) of the results of commands, from the types of `oryn.language.results`."""

from __future__ import annotations

import inspect
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from oryn.language import results
from oryn.language.command import CommandSpec

Schema = dict[str, Any]

_PLAIN: dict[Any, str] = {str: "string", bool: "boolean", int: "integer", float: "number", NoneType: "null"}


def result_schema(spec: CommandSpec, reference: str = "#/$defs/{}") -> Schema:
    """Return the schema of a command's result; of a named type it is a reference in this form."""
    return _schema(result_type(spec), reference)


def result_type(spec: CommandSpec, word: str | None = None) -> Any:
    """Return the type of a command's result, or of its result for a word of its first argument."""
    return _evaluated(spec.result if word is None else spec.results[word])


def definitions(reference: str = "#/$defs/{}") -> dict[str, Schema]:
    """Return the schemas of all named types, by their names."""
    named = {name: getattr(results, name) for name in results.__all__}
    return {name: _record(type_, reference) for name, type_ in named.items()}


@cache
def _evaluated(expression: str) -> Any:
    """Return the type of an expression of the table, which is this package's own text."""
    return eval(expression, vars(results))


def _schema(type_: Any, reference: str) -> Schema:
    if type_ is None or type_ in _PLAIN:
        return {"type": _PLAIN[NoneType if type_ is None else type_]}
    if type_ is Any:
        return {}
    if is_typeddict(type_):
        return {"$ref": reference.format(type_.__name__)}
    origin, inside = get_origin(type_), get_args(type_)
    if origin is NotRequired:
        return _schema(inside[0], reference)
    if origin is Literal:
        return {"enum": list(inside)}
    if origin is list:
        return {"type": "array", "items": _schema(inside[0], reference)}
    if origin is dict:
        return {"type": "object", "additionalProperties": _schema(inside[1], reference)}
    assert origin in (Union, UnionType), f"no schema for {type_}"
    options = [_schema(each, reference) for each in inside]
    plain = [each["type"] for each in options if set(each) == {"type"}]
    return {"type": plain} if len(plain) == len(options) else {"anyOf": options}


def _record(type_: Any, reference: str) -> Schema:
    hints = get_type_hints(type_, include_extras=True)
    schema: Schema = {
        "title": type_.__name__,
        "type": "object",
        "properties": {name: _schema(hint, reference) for name, hint in hints.items()},
        # (`__required_keys__` does not see through annotations that are text.)
        "required": [name for name, hint in hints.items() if get_origin(hint) is not NotRequired],
    }
    about = inspect.cleandoc(type_.__doc__ or "")
    return schema if not about or about.startswith("dict(") else {**schema, "description": about}


# --- answers ---


def answer_schemas(reference: str = "#/$defs/{}") -> dict[str, Schema]:
    """Return the schemas of the JSON form of answers (`output json`), and of all that it refers to, by their names.

    `Answer` is the form of any command; `Results` has a property for each command, by its name in the API vocabulary,
    with the schema of `result`."""
    from oryn.language.vocabulary import api_vocabulary

    results_by_name: dict[str, list[Schema]] = {}
    for verb in api_vocabulary().verbs.values():
        for spec in verb.commands:
            name = "_".join((verb.name, *spec.path[1:]))
            results_by_name.setdefault(name, []).append(result_schema(spec, reference))
    properties = {name: _any_of(schemas) for name, schemas in results_by_name.items()}
    return {
        **definitions(reference),
        "Change": _change(reference),
        "Answer": _answer(reference),
        "Results": {
            "title": "Results",
            "description": "The `result` of each command, by the command's name.",
            "type": "object",
            "properties": properties,
        },
    }


def _any_of(schemas: list[Schema]) -> Schema:
    different = [each for number, each in enumerate(schemas) if each not in schemas[:number]]
    return different[0] if len(different) == 1 else {"anyOf": different}


def _change(reference: str) -> Schema:
    return {
        "title": "Change",
        "description": "A change of the page. `change` is its kind, on which the other fields depend.",
        "type": "object",
        "properties": {
            "sign": {"enum": ["+", "-", "~", "@"]},
            "change": {"type": "string"},
            "element": {"$ref": reference.format("ElementRow")},
            "elements": {"type": "array", "items": {"$ref": reference.format("ElementRow")}},
            "url": {"type": "string"},
            "title": {"type": "string"},
            "text": {"type": "string"},
            "path": {"type": ["string", "null"]},
        },
        "required": ["sign", "change"],
    }


def _answer(reference: str) -> Schema:
    changes = {"type": "array", "items": {"$ref": reference.format("Change")}}
    return {
        "title": "Answer",
        "description": "An answer as JSON data. With the setting `boundaries`, all but `command` is in one field.",
        "type": "object",
        "properties": {
            "command": {"type": "string", "description": "The command in its canonical text, secrets masked."},
            "page": {"$ref": reference.format("PageAddress")},
            "elements": {"type": "array", "items": {"$ref": reference.format("ElementRow")}},
            "patterns": {"type": "object"},
            "more": {"type": "integer", "description": "How many elements the limit has left out."},
            "tools": {"type": "array", "items": {"type": "string"}},
            "result": {"description": "The command's own result, as `Results` has it."},
            "notes": {"type": "array", "items": {"type": "string"}},
            "changes": changes,
            "more_changes": {"type": "integer"},
            "meanwhile": changes,
        },
        "required": ["command"],
    }
