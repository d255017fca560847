"""The schema of intent files and pack manifests, declared once: validation, errors and the published JSON Schema are
derived from it (docs/intents.md is the user's documentation).

Shapes read and validate plain data from JSON or YAML, and render themselves as JSON Schema.
https://json-schema.org/draft/2020-12/schema"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple, NoReturn

from oryn.core.suggestions import did_you_mean
from oryn.errors import InvalidDefinition

MAX_DEPTH = 40
"""Maximum nesting of lists and mappings; reading recurses."""


class Shape:
    """The shape of a value. `where` is its position in errors: `steps[2].loop.times`."""

    def read(self, value: Any, where: str) -> Any:
        """Validate a value and convert it for the loader. Raises `InvalidDefinition`."""
        raise NotImplementedError

    def schema(self) -> dict[str, Any]:
        raise NotImplementedError


def refuse(where: str, message: str, hint: str | None = None) -> NoReturn:
    raise InvalidDefinition(f"{where}: {message}" if where else message, hint)


class TextShape(Shape):
    """One text. A `loose` one may be written as a number, because YAML reads `version: 1.0` as one."""

    def __init__(
        self, pattern: str = "", *, max_characters: int = 4000, loose: bool = False, what: str = "a text"
    ) -> None:
        self.pattern, self.max_characters, self.loose, self.what = pattern, max_characters, loose, what

    def read(self, value: Any, where: str) -> str:
        if self.loose and isinstance(value, int | float) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str) or not value.strip():
            refuse(where, f"not {self.what}")
        if len(value) > self.max_characters:
            refuse(where, f"longer than {self.max_characters} characters")
        if self.pattern and not re.search(self.pattern, value):
            refuse(where, f"not {self.what}")
        return value

    def schema(self) -> dict[str, Any]:
        shape: dict[str, Any] = {
            "type": ["string", "number"] if self.loose else "string",
            "maxLength": self.max_characters,
        }
        return {**shape, "pattern": self.pattern} if self.pattern else {**shape, "minLength": 1}


class IntegerShape(Shape):
    """A whole number from `lowest` to `highest`."""

    def __init__(self, lowest: int, highest: int) -> None:
        self.lowest, self.highest = lowest, highest

    def read(self, value: Any, where: str) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not self.lowest <= value <= self.highest:
            refuse(where, f"not a whole number from {self.lowest} to {self.highest}")
        return value

    def schema(self) -> dict[str, Any]:
        return {"type": "integer", "minimum": self.lowest, "maximum": self.highest}


class FlagShape(Shape):
    def read(self, value: Any, where: str) -> bool:
        if not isinstance(value, bool):
            refuse(where, "neither true nor false")
        return value

    def schema(self) -> dict[str, Any]:
        return {"type": "boolean"}


class ChoiceShape(Shape):
    def __init__(self, *words: str) -> None:
        self.words = words

    def read(self, value: Any, where: str) -> str:
        if not isinstance(value, str) or value not in self.words:
            refuse(where, f"none of {', '.join(self.words)}")
        return value

    def schema(self) -> dict[str, Any]:
        return {"enum": list(self.words)}


class ListShape(Shape):
    """A list. With `alone`, a single value is read as a list of one."""

    def __init__(self, each: Shape, max_items: int, *, min_items: int = 0, alone: bool = False) -> None:
        self.each, self.max_items, self.min_items, self.alone = each, max_items, min_items, alone

    def read(self, value: Any, where: str) -> list[Any]:
        if self.alone and not isinstance(value, list):
            return [self.each.read(value, where)]
        if not isinstance(value, list):
            refuse(where, "not a list")
        if not self.min_items <= len(value) <= self.max_items:
            refuse(where, f"{len(value)} entries, and there may be {self.min_items} to {self.max_items}")
        return [self.each.read(item, f"{where}[{index}]") for index, item in enumerate(value, 1)]

    def schema(self) -> dict[str, Any]:
        several = {"type": "array", "items": self.each.schema(), "minItems": self.min_items, "maxItems": self.max_items}
        return {"anyOf": [self.each.schema(), several]} if self.alone else several


class UnionShape(Shape):
    """One of several shapes, chosen by the JSON type of the value: a mapping, a list or a scalar."""

    def __init__(self, what: str, by_type: Mapping[type, Shape]) -> None:
        self.what, self.by_type = what, by_type

    def read(self, value: Any, where: str) -> Any:
        shape = self.by_type.get(type(value))
        if shape is None:
            refuse(where, f"not {self.what}")
        return shape.read(value, where)

    def schema(self) -> dict[str, Any]:
        return {"anyOf": [shape.schema() for shape in self.by_type.values()]}


class FieldEntry(NamedTuple):
    """One key of a mapping."""

    shape: Shape
    help: str
    required: bool = False


class ObjectShape(Shape):
    """A mapping with these keys and no others; with `one`, exactly one of them. Of those in `either`, it has exactly
    one."""

    def __init__(
        self, what: str, entries: Mapping[str, FieldEntry], *, one: bool = False, either: tuple[str, ...] = ()
    ) -> None:
        self.what, self.entries, self.one, self.either = what, entries, one, either

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
        if self.either and (count := sum(key in found for key in self.either)) != 1:
            refuse(where, f"{self.what} {'has' if count else 'needs'} {' or '.join(self.either)}")
        return found

    def schema(self) -> dict[str, Any]:
        shape: dict[str, Any] = {
            "type": "object",
            "properties": {key: {**e.shape.schema(), "description": e.help} for key, e in self.entries.items()},
            "additionalProperties": False,
        }
        if self.one:
            shape |= {"minProperties": 1, "maxProperties": 1}
        if self.either:
            shape["oneOf"] = [{"required": [key]} for key in self.either]
        if required := [key for key, entry in self.entries.items() if entry.required]:
            shape["required"] = required
        return shape


class MapShape(Shape):
    """A mapping whose keys are names that the writer chooses."""

    def __init__(self, pattern: str, each: Shape, max_items: int) -> None:
        self.pattern, self.each, self.max_items = pattern, each, max_items

    def read(self, value: Any, where: str) -> dict[str, Any]:
        if not isinstance(value, dict) or len(value) > self.max_items:
            refuse(where, f"not a mapping of at most {self.max_items} names")
        for key in value:
            if not isinstance(key, str) or not re.search(self.pattern, key):
                refuse(where, f"{str(key)[:40]!r} is no name", "lower-case letters, digits, _ and -, a letter first")
        return {key: self.each.read(item, f"{where}.{key}") for key, item in value.items()}

    def schema(self) -> dict[str, Any]:
        return {
            "type": "object",
            "propertyNames": {"pattern": self.pattern},
            "additionalProperties": self.each.schema(),
            "maxProperties": self.max_items,
        }


class ReferenceShape(Shape):
    """A shape that contains itself: `shape` is set after its declaration, and `$defs` has it under `name`."""

    shape: Shape

    def __init__(self, name: str) -> None:
        self.name = name

    def read(self, value: Any, where: str) -> Any:
        return self.shape.read(value, where)

    def schema(self) -> dict[str, Any]:
        return {"$ref": f"#/$defs/{self.name}"}


def check_depth(value: Any, where: str = "") -> None:
    """Raise `InvalidDefinition` if data from any source nests deeper than `MAX_DEPTH`."""
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            item
            for each in level
            if isinstance(each, dict | list)
            for item in (each.values() if isinstance(each, dict) else each)
        ]
        if not level:
            return
    refuse(where, f"nested deeper than {MAX_DEPTH} levels")


NAME_PATTERN = r"^[^\W\d][\w-]{0,63}$"
PARAMETER_PATTERN = r"^[a-z_][a-z0-9_-]{0,63}$"

MAX_PROGRAM_CHARACTERS = 100_000
"""Maximum length of a saved program."""

DEFAULT_STEP_LIMIT = 100
"""Default limit of the commands that an intent runs."""
DEFAULT_ROUND_LIMIT = 20
"""Default limit of the rounds of a loop with a condition."""

NAME = TextShape(NAME_PATTERN, what="a name: a letter or _, then letters, digits, _ and -, 64 at most")
VERSION = TextShape(max_characters=40, loose=True)
PROSE = TextShape(max_characters=1000)
TYPES = ("text", "number", "flag", "list")

_condition = ReferenceShape("condition")
_step = ReferenceShape("step")
_line = TextShape(what="a command line")
_steps = ListShape(_step, 200)
_own_text = TextShape(max_characters=10_000, loose=True)
_scalar = UnionShape(
    "a text, a number, true, false or a list of texts",
    {
        str: TextShape(max_characters=10_000),
        int: IntegerShape(-(2**53), 2**53),
        float: _own_text,
        bool: FlagShape(),
        list: ListShape(_own_text, 200),
    },
)

_condition.shape = ObjectShape(
    "a condition",
    {
        "text": FieldEntry(_line, "this text is visible on the page"),
        "visible": FieldEntry(_line, "this target is visible, written as in a command"),
        "enabled": FieldEntry(_line, "this target is enabled"),
        "checked": FieldEntry(_line, "this target is checked"),
        "exists": FieldEntry(_line, "this CSS selector finds something"),
        "gone": FieldEntry(_line, "this CSS selector matches nothing"),
        "url": FieldEntry(_line, "the URL matches this pattern, as in `wait url`"),
        "script": FieldEntry(_line, "this JavaScript expression is true"),
        "given": FieldEntry(TextShape(PARAMETER_PATTERN, what="a parameter's name"), "this parameter has a value"),
        "equals": FieldEntry(ListShape(_own_text, 2, min_items=2), "these two texts are the same"),
        "not": FieldEntry(_condition, "this condition is false"),
        "all": FieldEntry(ListShape(_condition, 20, min_items=1), "all of these conditions are true"),
        "any": FieldEntry(ListShape(_condition, 20, min_items=1), "at least one of these conditions is true"),
    },
    one=True,
)

BRANCH = ObjectShape(
    "a branch",
    {
        "if": FieldEntry(_condition, "the condition", required=True),
        "then": FieldEntry(_steps, "steps if the condition is true", required=True),
        "else": FieldEntry(_steps, "steps if the condition is false"),
    },
)
LOOP = ObjectShape(
    "a loop",
    {
        "times": FieldEntry(
            UnionShape(
                "a whole number or a parameter's name", {int: IntegerShape(0, 1000), str: TextShape(PARAMETER_PATTERN)}
            ),
            "the number of rounds, or the parameter that contains it",
        ),
        "while": FieldEntry(_condition, "repeat while this condition is true"),
        "until": FieldEntry(_condition, "repeat until this condition is true; checked before each round"),
        "over": FieldEntry(
            UnionShape(
                "a list or a parameter's name", {list: ListShape(_own_text, 200), str: TextShape(PARAMETER_PATTERN)}
            ),
            "a round for each of these texts, or for each of this parameter's",
        ),
        "as": FieldEntry(
            TextShape(PARAMETER_PATTERN, what="a name"), "the name of a round's text in its steps; item otherwise"
        ),
        "limit": FieldEntry(
            IntegerShape(1, 1000), f"rounds that `while` and `until` may take; {DEFAULT_ROUND_LIMIT} otherwise"
        ),
        "steps": FieldEntry(_steps, "the steps of a round", required=True),
    },
)
TRY = ObjectShape(
    "a try",
    {
        "steps": FieldEntry(_steps, "what may fail", required=True),
        "catch": FieldEntry(_steps, "steps for when it did"),
    },
)
_step.shape = UnionShape(
    "a step: a command line, or branch, loop or try",
    {
        str: _line,
        dict: ObjectShape(
            "a step",
            {
                "branch": FieldEntry(BRANCH, "steps on a condition"),
                "loop": FieldEntry(LOOP, "steps several times"),
                "try": FieldEntry(TRY, "steps that may fail"),
            },
            one=True,
        ),
    },
)
PARAMETER = ObjectShape(
    "a parameter",
    {
        "description": FieldEntry(PROSE, "what it is for"),
        "type": FieldEntry(ChoiceShape(*TYPES), "the type; default: text"),
        "default": FieldEntry(_scalar, "the value if none is given"),
        "required": FieldEntry(FlagShape(), "whether it is required; default: true if there is no default value"),
        "secret": FieldEntry(FlagShape(), "whether it is a credential: shown as dots, never saved"),
    },
)
LIMITS = ObjectShape(
    "limits",
    {
        "steps": FieldEntry(IntegerShape(1, 1000), f"maximum number of commands; default: {DEFAULT_STEP_LIMIT}"),
        "time": FieldEntry(
            TextShape(r"^[0-9]+(\.[0-9]+)?(ms|s|m)$", max_characters=20, what="a duration such as 90s or 2m"),
            "maximum duration; default: the session's time limit",
        ),
    },
)
DEFINITION = ObjectShape(
    "an intent",
    {
        "name": FieldEntry(NAME, "the name for `run`", required=True),
        "version": FieldEntry(VERSION, "the version of the intent"),
        "description": FieldEntry(PROSE, "what it does"),
        "parameters": FieldEntry(
            MapShape(PARAMETER_PATTERN, PARAMETER, 50), "its parameters; `{{name}}` in a step is replaced by the value"
        ),
        "steps": FieldEntry(_steps, "its steps, in order"),
        "program": FieldEntry(
            TextShape(max_characters=MAX_PROGRAM_CHARACTERS, what="the text of a program"),
            "a program instead of steps (docs/programs.md), in which the parameters are variables",
        ),
        "success": FieldEntry(ListShape(_condition, 20, alone=True), "conditions that must all be true at the end"),
        "failure": FieldEntry(
            ListShape(_condition, 20, alone=True), "conditions of which any one ends the intent as failed"
        ),
        "limits": FieldEntry(LIMITS, "limits of a run"),
    },
    either=("steps", "program"),
)
PACK = ObjectShape(
    "a pack",
    {
        "name": FieldEntry(NAME, "the name for `pack load`", required=True),
        "version": FieldEntry(VERSION, "the version of the pack"),
        "description": FieldEntry(PROSE, "what it is for"),
        "urls": FieldEntry(
            ListShape(TextShape(max_characters=500), 100, min_items=1),
            "patterns of the URLs that it is for, as in `wait url`",
            required=True,
        ),
    },
)

DOCUMENTS: dict[str, tuple[str, ObjectShape]] = {
    "intent": ("An intent of Oryn", DEFINITION),
    "pack": ("The manifest of a pack of Oryn's intents (pack.yaml)", PACK),
}


def json_schema(document: str) -> dict[str, Any]:
    """Return the JSON Schema of a document of `DOCUMENTS`."""
    title, shape = DOCUMENTS[document]
    inner: tuple[ReferenceShape, ...] = (_condition, _step) if document == "intent" else ()
    definitions: dict[str, Any] = {each.name: each.shape.schema() for each in inner}
    schema: dict[str, Any] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        **shape.schema(),
    }
    return {**schema, "$defs": definitions} if definitions else schema
