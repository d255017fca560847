"""The values of programs: data of answers as objects with attributes, and elements as targets. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import UnionType
from typing import Any, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from oryn.core.text_safety import shortened
from oryn.engine.program.interpreter import ProgramObject
from oryn.language import CommandSpec, is_kind
from oryn.language.result_schema import result_type
from oryn.language.results import ElementRow

MAX_TEXT_VALUE = 4_000


_FURTHER = ("options", "selector", "attributes", "rect", "context")


class Element(ProgramObject):
    """An element of the page: `number`, `type`, `role`, `name`, `state`, `value`, and what else was asked for.

    `generation` is that of the session when the element was found."""

    def __init__(self, row: Mapping[str, Any], generation: int) -> None:
        rest = {key: value for key, value in row.items() if key in _FURTHER}
        super().__init__(
            number=row.get("id"),
            type=row.get("type"),
            role=row.get("role"),
            name=row.get("text", ""),
            state=list(row.get("modifiers") or ()),
            value=row.get("value"),
            **rest,
        )
        self._generation = generation

    def target(self, generation: int) -> tuple[Any, bool]:
        """Return the element as a target, and whether another element may be called so. Its number means it only as
        long as no other document has come."""
        fields = self.fields()
        number, kind, name = fields["number"], fields["type"], fields["name"]
        if number is None or generation == self._generation:
            return number, False
        if name and is_kind(str(kind)):
            return {"kind": kind, "text": name}, True
        return number, False


class SecretText(ProgramObject):
    """A text that a program passes on to commands and can't read."""

    def __init__(self, text: str) -> None:
        super().__init__(_text=text)

    @property
    def text(self) -> str:
        return str(self.__dict__["_text"])


class ProgramChange(ProgramObject):
    """A change of the page: `sign`, `kind`, and what it is about, such as `element`, `url`, `text`."""


def objects_of(data: Any, spec: CommandSpec, generation: int) -> Any:
    """Return the result of a command as a program gets it: records are objects, all else is plain data."""
    return _converted(data, result_type(spec), generation)


def changes_of(rows: Any, generation: int) -> list[ProgramChange]:
    """Return the changes of an answer's JSON form."""
    return [_change(row, generation) for row in rows or ()]


def elements_of(rows: Any, generation: int) -> list[Element]:
    return [Element(row, generation) for row in rows]


def _change(row: Mapping[str, Any], generation: int) -> ProgramChange:
    fields = {name: value for name, value in row.items() if name not in ("change", "kind")}
    if isinstance(fields.get("element"), Mapping):
        fields["element"] = Element(fields["element"], generation)
    if isinstance(fields.get("elements"), list):
        fields["elements"] = elements_of(fields["elements"], generation)
    return ProgramChange(**{"sign": fields.pop("sign", ""), "kind": row.get("change"), **fields})


def _converted(value: Any, type_: Any, generation: int) -> Any:
    if type_ is ElementRow and isinstance(value, Mapping):
        return Element(value, generation)
    if is_typeddict(type_) and isinstance(value, Mapping):
        hints = _hints(type_)
        fields = {name: _converted(each, hints.get(name, Any), generation) for name, each in value.items()}
        return _record_class(type_.__name__)(**fields)
    origin, inside = get_origin(type_), get_args(type_)
    if origin is NotRequired:
        return _converted(value, inside[0], generation)
    if origin is list and isinstance(value, list):
        return [_converted(each, inside[0], generation) for each in value]
    if origin is dict and isinstance(value, Mapping):
        return {name: _converted(each, inside[1], generation) for name, each in value.items()}
    if origin in (Union, UnionType):
        fitting = next((each for each in inside if _fits(value, each)), Any)
        return _converted(value, fitting, generation)
    return value


def _fits(value: Any, type_: Any) -> bool:
    if is_typeddict(type_):
        return isinstance(value, Mapping) and set(type_.__required_keys__) <= set(value)
    origin = get_origin(type_)
    return isinstance(value, origin if isinstance(origin, type) else type_) if type_ is not Any else True


@cache
def _hints(type_: Any) -> dict[str, Any]:
    return get_type_hints(type_, include_extras=True)


@cache
def _record_class(name: str) -> type[ProgramObject]:
    return type(name, (ProgramObject,), {"__module__": __name__})


def plain_data(value: Any) -> Any:
    """Return a value of a program as JSON data, for its result."""
    match value:
        case ProgramObject():
            return {name: plain_data(each) for name, each in value.fields().items()}
        case list():
            return [plain_data(each) for each in value]
        case Mapping():
            return {name: plain_data(each) for name, each in value.items()}
    return value


def value_text(value: Any) -> str:
    """Return a program's last value as text: a string is itself, an object its fields."""
    import json

    if isinstance(value, str):
        return value
    return json.dumps(plain_data(value), ensure_ascii=False, default=str)


def short_text(value: Any) -> str:
    return shortened(value_text(value), MAX_TEXT_VALUE)
