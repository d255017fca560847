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


def result_type(spec: CommandSpec) -> Any:
    """Return the type of a command's result."""
    return _evaluated(spec.result)


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
