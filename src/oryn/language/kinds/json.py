"""JSON arguments: written bare, to the balancing bracket, or as a string; canonical text quotes them."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

from oryn.errors import InvalidValue
from oryn.language.brackets import balanced_json, json_depth
from oryn.language.kinds.base import Kind, Written
from oryn.language.strings import quote, shorten
from oryn.language.tokens import Cursor

DEEPEST = 100
"""Brackets may nest so deep; the standard library's parser recurses."""


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _refuse(text)


class Json(Kind[Any]):
    """Any JSON text."""

    label = "<json>"

    def read(self, cursor: Cursor) -> Written:
        start = cursor.position
        if cursor.at_string:
            text = cursor.string()
        elif cursor.looking_at("{") or cursor.looking_at("["):
            text = balanced_json(cursor)
        else:
            text = cursor.word()
        return Written(quote(text), self.mean(text, start), start)

    def mean(self, text: str, start: int) -> Any:
        if json_depth(text) > DEEPEST:
            raise InvalidValue(f"JSON nested deeper than {DEEPEST} brackets", None, start)
        try:
            return json.loads(text, parse_constant=_refuse, parse_float=_finite)
        except ValueError as error:
            raise InvalidValue(f"not JSON: {shorten(text)} ({error})", None, start) from error

    def write(self, value: Any) -> str:
        return quote(json.dumps(value, ensure_ascii=False))

    def text_of(self, data: Any) -> str | None:
        return quote(json.dumps(data, ensure_ascii=False))


class JsonText(Json):
    """Any JSON text, kept as it was written: so `null` is something that was given."""

    def mean(self, text: str, start: int) -> str:
        super().mean(text, start)
        return text

    def write(self, value: str) -> str:
        return quote(value)

    def as_json(self, value: str) -> Any:
        return json.loads(value)


class JsonObject(Json):
    """A JSON object."""

    def mean(self, text: str, start: int) -> dict[str, Any]:
        value = super().mean(text, start)
        if not isinstance(value, dict):
            raise InvalidValue(f"not a JSON object: {shorten(text)}", None, start)
        return value


class Headers(JsonObject):
    """A JSON object of header names and values; a number becomes its text."""

    def mean(self, text: str, start: int) -> dict[str, str]:
        headers = super().mean(text, start)
        for name, value in headers.items():
            if not isinstance(value, str | int | float) or isinstance(value, bool):
                raise InvalidValue(f"not the value of a header: {shorten(name)}", "values are strings", start)
        return {name: str(value) for name, value in headers.items()}
