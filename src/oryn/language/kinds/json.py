"""JSON arguments: written bare, to the balancing bracket, or as a string; canonical text quotes them."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

from oryn.errors import InvalidValue
from oryn.language.kinds.base import ParsedValue, ValueKind
from oryn.language.lexer import Cursor, balanced_json, nests_deeper, quote, shorten

MAX_JSON_DEPTH = 100
"""Maximum nesting of brackets; the standard library's parser recurses."""


def _reject_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


def _parse_finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _reject_constant(text)


class JsonKind(ValueKind[Any]):
    """Any JSON text."""

    label = "<json>"

    def read(self, cursor: Cursor) -> ParsedValue:
        start = cursor.position
        if cursor.at_string:
            text = cursor.string()
        elif cursor.looking_at("{") or cursor.looking_at("["):
            text = balanced_json(cursor)
        else:
            text = cursor.word()
        return ParsedValue(quote(text), self.convert(text, start), start)

    def convert(self, text: str, start: int) -> Any:
        if nests_deeper(text, MAX_JSON_DEPTH):
            raise InvalidValue(f"JSON nested deeper than {MAX_JSON_DEPTH} brackets", None, start)
        try:
            return json.loads(text, parse_constant=_reject_constant, parse_float=_parse_finite)
        except ValueError as error:
            raise InvalidValue(f"not JSON: {shorten(text)} ({error})", None, start) from error

    def write(self, value: Any) -> str:
        return quote(json.dumps(value, ensure_ascii=False))

    def text_of(self, data: Any) -> str | None:
        return quote(json.dumps(data, ensure_ascii=False))


class JsonTextKind(JsonKind):
    """Any JSON text, unchanged, so that `null` is distinct from an absent value."""

    def convert(self, text: str, start: int) -> str:
        super().convert(text, start)
        return text

    def write(self, value: str) -> str:
        return quote(value)

    def as_json(self, value: str) -> Any:
        return json.loads(value)


class JsonObjectKind(JsonKind):
    """A JSON object."""

    def convert(self, text: str, start: int) -> dict[str, Any]:
        value = super().convert(text, start)
        if not isinstance(value, dict):
            raise InvalidValue(f"not a JSON object: {shorten(text)}", None, start)
        return value


class HeadersKind(JsonObjectKind):
    """A JSON object of header names and values; a number becomes its text."""

    def convert(self, text: str, start: int) -> dict[str, str]:
        headers = super().convert(text, start)
        for name, value in headers.items():
            if not isinstance(value, str | int | float) or isinstance(value, bool):
                raise InvalidValue(f"not the value of a header: {shorten(name)}", "values are strings", start)
        return {name: str(value) for name, value in headers.items()}
