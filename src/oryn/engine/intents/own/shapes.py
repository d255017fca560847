"""Shapes of plain data, as JSON or YAML gives it: read and checked here, and published as JSON Schema from the same
words.

https://json-schema.org/draft/2020-12/schema
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple, NoReturn

from oryn.errors import InvalidDefinition
from oryn.language.suggestions import did_you_mean

DEEPEST = 40
"""Lists and mappings may nest so deep; reading recurses."""


class Shape:
    """What a value may be. `where` in errors is its place: `steps[2].loop.times`."""

    def read(self, value: Any, where: str) -> Any:
        """The value as the rest of the program wants it. Raises `InvalidDefinition`."""
        raise NotImplementedError

    def schema(self) -> dict[str, Any]:
        raise NotImplementedError


def refuse(where: str, message: str, hint: str | None = None) -> NoReturn:
    raise InvalidDefinition(f"{where}: {message}" if where else message, hint)


class Text(Shape):
    """One text. A `loose` one may be written as a number, which YAML makes of `version: 1.0`."""

    def __init__(self, pattern: str = "", *, longest: int = 4000, loose: bool = False, what: str = "a text") -> None:
        self.pattern, self.longest, self.loose, self.what = pattern, longest, loose, what

    def read(self, value: Any, where: str) -> str:
        if self.loose and isinstance(value, int | float) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str) or not value.strip():
            refuse(where, f"not {self.what}")
        if len(value) > self.longest:
            refuse(where, f"longer than {self.longest} characters")
        if self.pattern and not re.search(self.pattern, value):
            refuse(where, f"not {self.what}")
        return value

    def schema(self) -> dict[str, Any]:
        shape: dict[str, Any] = {"type": ["string", "number"] if self.loose else "string", "maxLength": self.longest}
        return {**shape, "pattern": self.pattern} if self.pattern else {**shape, "minLength": 1}


class Whole(Shape):
    """A whole number between two others."""

    def __init__(self, lowest: int, highest: int) -> None:
        self.lowest, self.highest = lowest, highest

    def read(self, value: Any, where: str) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not self.lowest <= value <= self.highest:
            refuse(where, f"not a whole number from {self.lowest} to {self.highest}")
        return value

    def schema(self) -> dict[str, Any]:
        return {"type": "integer", "minimum": self.lowest, "maximum": self.highest}


class Flag(Shape):
    def read(self, value: Any, where: str) -> bool:
        if not isinstance(value, bool):
            refuse(where, "neither true nor false")
        return value

    def schema(self) -> dict[str, Any]:
        return {"type": "boolean"}


class Choice(Shape):
    def __init__(self, *words: str) -> None:
        self.words = words

    def read(self, value: Any, where: str) -> str:
        if not isinstance(value, str) or value not in self.words:
            refuse(where, f"none of {', '.join(self.words)}")
        return value

    def schema(self) -> dict[str, Any]:
        return {"enum": list(self.words)}


class Many(Shape):
    """A list; where `alone`, one value may stand for a list of one."""

    def __init__(self, each: Shape, most: int, *, least: int = 0, alone: bool = False) -> None:
        self.each, self.most, self.least, self.alone = each, most, least, alone

    def read(self, value: Any, where: str) -> list[Any]:
        if self.alone and not isinstance(value, list):
            return [self.each.read(value, where)]
        if not isinstance(value, list):
            refuse(where, "not a list")
        if not self.least <= len(value) <= self.most:
            refuse(where, f"{len(value)} entries, and there may be {self.least} to {self.most}")
        return [self.each.read(item, f"{where}[{index}]") for index, item in enumerate(value, 1)]

    def schema(self) -> dict[str, Any]:
        several = {"type": "array", "items": self.each.schema(), "minItems": self.least, "maxItems": self.most}
        return {"anyOf": [self.each.schema(), several]} if self.alone else several


class Either(Shape):
    """The first of several shapes whose JSON type fits: of a mapping, a list or a scalar."""

    def __init__(self, what: str, by_type: Mapping[type, Shape]) -> None:
        self.what, self.by_type = what, by_type

    def read(self, value: Any, where: str) -> Any:
        shape = self.by_type.get(type(value))
        if shape is None:
            refuse(where, f"not {self.what}")
        return shape.read(value, where)

    def schema(self) -> dict[str, Any]:
        return {"anyOf": [shape.schema() for shape in self.by_type.values()]}


class Entry(NamedTuple):
    """One key of a mapping."""

    shape: Shape
    help: str
    required: bool = False


class Fields(Shape):
    """A mapping with these keys and no others; where `one`, with exactly one of them."""

    def __init__(self, what: str, entries: Mapping[str, Entry], *, one: bool = False) -> None:
        self.what, self.entries, self.one = what, entries, one

    def read(self, value: Any, where: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            refuse(where, f"not {self.what}", f"{self.what} has {', '.join(self.entries)}")
        found = {}
        for key, item in value.items():
            entry = self.entries.get(key) if isinstance(key, str) else None
            if entry is None:
                hint = did_you_mean(str(key), self.entries) or f"{self.what} has {', '.join(self.entries)}"
                refuse(where, f"{self.what} has no {str(key)[:40]!r}", hint)
            found[key] = entry.shape.read(item, f"{where}.{key}" if where else key)
        if self.one and len(found) != 1:
            refuse(where, f"{self.what} has one of {', '.join(self.entries)}, this one {len(found)}")
        for key, entry in self.entries.items():
            if entry.required and key not in found:
                refuse(where, f"{self.what} needs {key}: {entry.help}")
        return found

    def schema(self) -> dict[str, Any]:
        shape: dict[str, Any] = {
            "type": "object",
            "properties": {key: {**e.shape.schema(), "description": e.help} for key, e in self.entries.items()},
            "additionalProperties": False,
        }
        if self.one:
            shape |= {"minProperties": 1, "maxProperties": 1}
        if required := [key for key, entry in self.entries.items() if entry.required]:
            shape["required"] = required
        return shape


class Named(Shape):
    """A mapping whose keys are names of the writer's own."""

    def __init__(self, pattern: str, each: Shape, most: int) -> None:
        self.pattern, self.each, self.most = pattern, each, most

    def read(self, value: Any, where: str) -> dict[str, Any]:
        if not isinstance(value, dict) or len(value) > self.most:
            refuse(where, f"not a mapping of at most {self.most} names")
        for key in value:
            if not isinstance(key, str) or not re.search(self.pattern, key):
                refuse(where, f"{str(key)[:40]!r} is no name", "lower-case letters, digits, _ and -, a letter first")
        return {key: self.each.read(item, f"{where}.{key}") for key, item in value.items()}

    def schema(self) -> dict[str, Any]:
        return {
            "type": "object",
            "propertyNames": {"pattern": self.pattern},
            "additionalProperties": self.each.schema(),
            "maxProperties": self.most,
        }


class Reference(Shape):
    """A shape that contains itself: `shape` is set once it is declared, and stands in `$defs` under `name`."""

    shape: Shape

    def __init__(self, name: str) -> None:
        self.name = name

    def read(self, value: Any, where: str) -> Any:
        return self.shape.read(value, where)

    def schema(self) -> dict[str, Any]:
        return {"$ref": f"#/$defs/{self.name}"}


def check_depth(value: Any, where: str = "") -> None:
    """Raises `InvalidDefinition` for data that nests deeper than `DEEPEST`, whoever made it."""
    level = [value]
    for _ in range(DEEPEST):
        level = [
            item
            for each in level
            if isinstance(each, dict | list)
            for item in (each.values() if isinstance(each, dict) else each)
        ]
        if not level:
            return
    refuse(where, f"nested deeper than {DEEPEST} levels")
