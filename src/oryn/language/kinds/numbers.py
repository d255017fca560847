"""Numbers and durations. Canonical text keeps their spelling."""

from __future__ import annotations

import math
import re
from typing import Any

from oryn.language.kinds.base import ParsedValue, ValueKind, invalid_value, read_bare
from oryn.language.lexer import Cursor, number_text

# A float represents fifteen digits exactly, and programs that read the JSON form may use floats.
_INTEGER = re.compile(r"-?[0-9]{1,15}")
_NUMBER = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,15})?")
_DURATION = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,15})?)(ms|s|m)?")
_PER_SECOND = {"ms": 1000, "s": 1, "m": 1 / 60, None: 1}


def _number_text_of(data: Any) -> str | None:
    if isinstance(data, str):
        return data
    finite = isinstance(data, int | float) and not isinstance(data, bool) and math.isfinite(data)
    return number_text(data) if finite else None


class IntegerKind(ValueKind[int]):
    """An integer from `minimum` up; None is no limit. By default it is a count, which is not negative."""

    def __init__(self, label: str, *, minimum: int | None = 0) -> None:
        self.label = f"<{label}>"
        self._minimum = minimum

    def accepts(self, cursor: Cursor) -> bool:
        return _NUMBER.fullmatch(cursor.peek_atom()) is not None

    def read(self, cursor: Cursor) -> ParsedValue:
        word, start = read_bare(cursor, "an integer")
        if not _INTEGER.fullmatch(word):
            raise invalid_value("an integer", word, start)
        if self._minimum is not None and int(word) < self._minimum:
            raise invalid_value(f"an integer from {self._minimum} up", word, start)
        return ParsedValue(word, int(word), start)

    def write(self, value: int) -> str:
        return str(value)

    def text_of(self, data: Any) -> str | None:
        return _number_text_of(data)


class NumberKind(ValueKind[float]):
    """A number with an optional sign and fraction, from `minimum` up; None is no limit."""

    def __init__(self, label: str, *, minimum: float | None = None) -> None:
        self.label = f"<{label}>"
        self._minimum = minimum

    def read(self, cursor: Cursor) -> ParsedValue:
        word, start = read_bare(cursor, "a number")
        if not _NUMBER.fullmatch(word):
            raise invalid_value("a number", word, start)
        value = float(word)
        if self._minimum is not None and value < self._minimum:
            raise invalid_value(f"a number from {number_text(self._minimum)} up", word, start)
        return ParsedValue(word, value, start)

    def write(self, value: float) -> str:
        return number_text(value)

    def text_of(self, data: Any) -> str | None:
        return _number_text_of(data)


class OffsetKind(ValueKind[tuple[float, float]]):
    """Pixels to the right and down: `120,0`, `-5,10.5`. JSON has them as `[120, 0]`."""

    label = "<dx,dy>"

    def read(self, cursor: Cursor) -> ParsedValue:
        word, start = read_bare(cursor, "an offset")
        parts = word.split(",")
        if len(parts) != 2 or not all(_NUMBER.fullmatch(part) for part in parts):
            raise invalid_value("an offset", word, start, "pixels to the right and down: 120,0")
        return ParsedValue(word, (float(parts[0]), float(parts[1])), start)

    def write(self, value: tuple[float, float]) -> str:
        return ",".join(map(number_text, value))

    def as_json(self, value: tuple[float, float]) -> list[float]:
        return list(value)

    def text_of(self, data: Any) -> str | None:
        match data:
            case str():
                return data
            case [x, y]:
                parts = [_number_text_of(x), _number_text_of(y)]
                return ",".join(part for part in parts if part) if all(parts) else None
        return None


class DurationKind(ValueKind[float]):
    """A number and `ms`, `s` or `m`; without a unit it is seconds. The value is in seconds."""

    label = "<duration>"

    def read(self, cursor: Cursor) -> ParsedValue:
        word, start = read_bare(cursor, "a duration")
        match = _DURATION.fullmatch(word)
        if match is None:
            raise invalid_value("a duration", word, start, "seconds, or a number and ms, s or m: 5, 1.5s, 500ms, 2m")
        number, unit = match.groups()
        return ParsedValue(word, round(float(number) / _PER_SECOND[unit], 9), start)

    def write(self, value: float) -> str:
        in_milliseconds = value != int(value) and round(value * 1000) / 1000 == value
        return f"{round(value * 1000)}ms" if in_milliseconds else f"{number_text(round(value, 9))}s"

    def text_of(self, data: Any) -> str | None:
        number = _number_text_of(data)
        return number if number is None or isinstance(data, str) else self.write(data)


def read_optional_number(cursor: Cursor) -> ParsedValue | None:
    """Take the number at `cursor`; return None, without taking anything, if the atom is not a number."""
    word = cursor.peek_atom()
    return NumberKind("number").read(cursor) if _NUMBER.fullmatch(word) else None
