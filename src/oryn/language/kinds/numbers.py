"""Numbers and durations. Canonical text keeps their spelling."""

from __future__ import annotations

import math
import re
from typing import Any

from oryn.language.kinds.base import Kind, Written, invalid, read_bare
from oryn.language.strings import number_text
from oryn.language.tokens import Cursor

# Fifteen digits are what a float holds exactly, and so a program that reads the JSON form.
_INTEGER = re.compile(r"-?[0-9]{1,15}")
_NUMBER = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,15})?")
_DURATION = re.compile(r"([0-9]{1,15})(ms|s|m)")
_UNITS = {"ms": 0.001, "s": 1, "m": 60}


def _number_of(data: Any) -> str | None:
    if isinstance(data, str):
        return data
    finite = isinstance(data, int | float) and not isinstance(data, bool) and math.isfinite(data)
    return number_text(data) if finite else None


class Integer(Kind[int]):
    """An integer, by default one that counts something and so is not negative."""

    def __init__(self, label: str, *, least: int | None = 0) -> None:
        self.label = f"<{label}>"
        self._least = least

    def accepts(self, cursor: Cursor) -> bool:
        return _NUMBER.fullmatch(cursor.peek_atom()) is not None

    def read(self, cursor: Cursor) -> Written:
        word, start = read_bare(cursor, "an integer")
        if not _INTEGER.fullmatch(word):
            raise invalid("an integer", word, start)
        if self._least is not None and int(word) < self._least:
            raise invalid(f"an integer from {self._least} up", word, start)
        return Written(word, int(word), start)

    def write(self, value: int) -> str:
        return str(value)

    def text_of(self, data: Any) -> str | None:
        return _number_of(data)


class Number(Kind[float]):
    """A number with an optional sign and fraction."""

    def __init__(self, label: str, *, least: float | None = None) -> None:
        self.label = f"<{label}>"
        self._least = least

    def read(self, cursor: Cursor) -> Written:
        word, start = read_bare(cursor, "a number")
        if not _NUMBER.fullmatch(word):
            raise invalid("a number", word, start)
        value = float(word)
        if self._least is not None and value < self._least:
            raise invalid(f"a number from {number_text(self._least)} up", word, start)
        return Written(word, value, start)

    def write(self, value: float) -> str:
        return number_text(value)

    def text_of(self, data: Any) -> str | None:
        return _number_of(data)


class Duration(Kind[float]):
    """Digits and `ms`, `s` or `m`, or a bare 0; the value is in seconds."""

    label = "<duration>"

    def read(self, cursor: Cursor) -> Written:
        word, start = read_bare(cursor, "a duration")
        match = _DURATION.fullmatch("0s" if word == "0" else word)
        if match is None:
            raise invalid("a duration", word, start, "digits and ms, s or m: 500ms, 5s, 2m")
        digits, unit = match.groups()
        return Written(word, int(digits) / 1000 if unit == "ms" else float(int(digits) * _UNITS[unit]), start)

    def write(self, value: float) -> str:
        return f"{int(value)}s" if value == int(value) else f"{round(value * 1000)}ms"

    def text_of(self, data: Any) -> str | None:
        number = _number_of(data)
        return number if number is None or isinstance(data, str) else self.write(data)


def read_number(cursor: Cursor) -> Written | None:
    """The number that the atom at `cursor` is, or None (and nothing is taken) when it is none."""
    word = cursor.peek_atom()
    return Number("number").read(cursor) if _NUMBER.fullmatch(word) else None
