"""`Plugin`: the tools of one package, declared by decorating functions."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from oryn.core.records import Record
from oryn.errors import InvalidDefinition

Function = TypeVar("Function", bound=Callable[..., Any])

_ID = re.compile(r"[a-z0-9][a-z0-9._@-]{0,99}", re.IGNORECASE)
_TOOL_NAME = re.compile(r"\w[\w.-]{0,99}")
_JSON_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", dict: "object", list: "array"}


class PythonTool(Record):
    """One tool of a plugin.

    name: unique in the plugin.
    parameters: the JSON Schema (draft 7) of the arguments, which are passed by name.
    read_only: whether it changes nothing. It is displayed; policies don't depend on it."""

    name: str
    description: str
    parameters: dict[str, Any]
    function: Callable[..., Any]
    read_only: bool = False


class Plugin:
    """The tools of one package, which its entry point in the group `oryn.plugins` names.

    id: the prefix of the names of its tools: letters, digits, `.`, `_`, `@` and `-`.

    Raises `InvalidDefinition` for an invalid id."""

    def __init__(self, id: str) -> None:
        if not _ID.fullmatch(id):
            raise InvalidDefinition(f"a plugin's id can't be {id!r}", "Use letters, digits, '.', '_', '@' and '-'.")
        self.id = id
        self.tools: dict[str, PythonTool] = {}

    def tool(
        self,
        name: str | None = None,
        *,
        description: str | None = None,
        parameters: dict[str, Any] | None = None,
        read_only: bool = False,
    ) -> Callable[[Function], Function]:
        """Declare the decorated function as a tool. It may be `async`; another one is called in a thread.

        name: default: the name of the function.
        description: default: its docstring's first paragraph.
        parameters: the JSON Schema of the arguments; by default it is derived from the annotations: `str`, `int`,
            `float`, `bool`, `list[…]`, `dict`, `Literal[…]`, and these or None.

        The function returns JSON data. Raises `InvalidDefinition` for a name that is taken or invalid, and for
        annotations from which no schema can be derived."""

        def declare(function: Function) -> Function:
            own_name = name or function.__name__
            if not _TOOL_NAME.fullmatch(own_name) or own_name in self.tools:
                raise InvalidDefinition(
                    f"the plugin {self.id} can't have a tool {own_name!r}", "Names are words, and unique in a plugin."
                )
            text = description if description is not None else inspect.getdoc(function) or ""
            schema = parameters if parameters is not None else parameters_of(function)
            summary = " ".join(text.partition("\n\n")[0].split())
            self.tools[own_name] = PythonTool(own_name, summary, schema, function, read_only)
            return function

        return declare


def parameters_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Derive the JSON Schema of a function's arguments. Raises `InvalidDefinition`."""
    hints = get_type_hints(function)
    properties: dict[str, Any] = {}
    required = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise InvalidDefinition(f"{function.__name__} takes arguments that have no name", "Pass 'parameters'.")
        properties[parameter.name] = schema = _schema_of(hints.get(parameter.name, Any), function.__name__)
        if parameter.default is parameter.empty:
            required.append(parameter.name)
        elif parameter.default is not None:
            schema["default"] = parameter.default
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _schema_of(hint: Any, function: str) -> dict[str, Any]:
    origin, arguments = get_origin(hint), get_args(hint)
    if hint is Any:
        return {}
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin in (Union, UnionType):
        choices = [_schema_of(each, function) for each in arguments if each is not NoneType]
        if NoneType in arguments:
            choices.append({"type": "null"})
        return {"anyOf": choices}
    if (origin or hint) is list:
        return {"type": "array", **({"items": _schema_of(arguments[0], function)} if arguments else {})}
    if (kind := _JSON_TYPES.get(origin or hint)) is not None:
        return {"type": kind}
    raise InvalidDefinition(
        f"{function} has an argument of the type {hint!r}, which has no JSON type", "Pass 'parameters'."
    )
