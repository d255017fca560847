"""Numbers and durations. Canonical text keeps their spelling."""

from __future__ import annotations

import math
import re
from typing import Any, TypeVar

from oryn.language.kinds.base import ParsedValue, ValueKind, invalid_value, read_bare
from oryn.language.lexer import Cursor, number_text, quote

Pixels = TypeVar("Pixels", bound=tuple[float, ...])
Region = tuple[float, float, float, float]

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


def _is_between(value: float, minimum: float | None, maximum: float | None) -> bool:
    return (minimum is None or value >= minimum) and (maximum is None or value <= maximum)


def _range_text(minimum: float | None, maximum: float | None) -> str:
    low = "" if minimum is None else f"from {number_text(minimum)}"
    return f"{low} up" if maximum is None else f"{low} to {number_text(maximum)}".strip()


class IntegerKind(ValueKind[int]):
    """An integer from `minimum` to `maximum`; None is no limit. By default it is a count, which is not negative."""

    def __init__(self, label: str, *, minimum: int | None = 0, maximum: int | None = None) -> None:
        self.label = f"<{label}>"
        self.minimum = minimum
        self.maximum = maximum

    def accepts(self, cursor: Cursor) -> bool:
        return _NUMBER.fullmatch(cursor.peek_atom()) is not None

    def read(self, cursor: Cursor) -> ParsedValue:
        word, start = read_bare(cursor, "an integer")
        if not _INTEGER.fullmatch(word):
            raise invalid_value("an integer", word, start)
        if not _is_between(int(word), self.minimum, self.maximum):
            raise invalid_value(f"an integer {_range_text(self.minimum, self.maximum)}", word, start)
        return ParsedValue(word, int(word), start)

    def write(self, value: int) -> str:
        return str(value)

    def text_of(self, data: Any) -> str | None:
        return _number_text_of(data)


class NumberKind(ValueKind[float]):
    """A number with an optional sign and fraction, from `minimum` to `maximum`; None is no limit."""

    def __init__(self, label: str, *, minimum: float | None = None, maximum: float | None = None) -> None:
        self.label = f"<{label}>"
        self.minimum = minimum
        self.maximum = maximum

    def read(self, cursor: Cursor) -> ParsedValue:
        word, start = read_bare(cursor, "a number")
        if not _NUMBER.fullmatch(word):
            raise invalid_value("a number", word, start)
        value = float(word)
        if not _is_between(value, self.minimum, self.maximum):
            raise invalid_value(f"a number {_range_text(self.minimum, self.maximum)}", word, start)
        return ParsedValue(word, value, start)

    def write(self, value: float) -> str:
        return number_text(value)

    def text_of(self, data: Any) -> str | None:
        return _number_text_of(data)


class PixelsKind(ValueKind[Pixels]):
    """Numbers of pixels with commas between them, and no spaces. JSON has them as a list."""

    what: str
    hint: str

    def read(self, cursor: Cursor) -> ParsedValue:
        word, start = read_bare(cursor, self.what)
        parts = word.split(",")
        if len(parts) != len(self.label.split(",")) or not all(_NUMBER.fullmatch(part) for part in parts):
            raise invalid_value(self.what, word, start, self.hint)
        return ParsedValue(word, tuple(map(float, parts)), start)

    def write(self, value: Pixels) -> str:
        return ",".join(map(number_text, value))

    def as_json(self, value: Pixels) -> list[float]:
        return list(value)

    def text_of(self, data: Any) -> str | None:
        if not isinstance(data, list | tuple):
            return data if isinstance(data, str) else None
        parts = [text for each in data if (text := _number_text_of(each))]
        return ",".join(parts) if len(parts) == len(data) else None


class OffsetKind(PixelsKind[tuple[float, float]]):
    """Pixels to the right and down: `120,0`, `-5,10.5`."""

    label = "<dx,dy>"
    what = "an offset"
    hint = "pixels to the right and down: 120,0"


class RegionKind(PixelsKind[Region]):
    """The left upper corner, the width and the height of a part of a picture: `0,120,400,300`."""

    label = "<x,y,w,h>"
    what = "a region"
    hint = "its left upper corner, width and height in pixels: 0,120,400,300"

    def read(self, cursor: Cursor) -> ParsedValue:
        region = super().read(cursor)
        x, y, width, height = region.value
        if min(x, y) < 0 or min(width, height) <= 0:
            raise invalid_value(self.what, region.text, region.start, self.hint)
        return region


class RegionsKind(ValueKind[tuple[Region, ...]]):
    """One or more regions: a string with spaces between them, or repeated options."""

    label = "<x,y,w,h>…"
    is_cumulative = True

    def read(self, cursor: Cursor) -> ParsedValue:
        start = cursor.position
        text = cursor.string() if cursor.at_string else cursor.word()
        regions = [RegionKind().read_whole(each) for each in text.split()]
        found = tuple(region.value for region in regions if region)
        if not found or len(found) < len(regions):
            raise invalid_value(RegionKind.what, text, start, RegionKind.hint)
        return ParsedValue(quote(text), found, start)

    def write(self, value: tuple[Region, ...]) -> str:
        return quote(" ".join(map(RegionKind().write, value)))

    def as_json(self, value: tuple[Region, ...]) -> list[list[float]]:
        return list(map(RegionKind().as_json, value))

    def text_of(self, data: Any) -> str | None:
        if not isinstance(data, list | tuple):
            return quote(data) if isinstance(data, str) else None
        texts = [text for each in data if (text := RegionKind().text_of(each))]
        return quote(" ".join(texts)) if len(texts) == len(data) else None


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
