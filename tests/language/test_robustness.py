"""Hostile lines: an answer, soon, and never another exception than the language's."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from oryn.errors import LanguageError
from oryn.language import help_text, parse, parse_output

SIZE = 100_000

HOSTILE: dict[str, Callable[[int], str]] = {
    "a long word": lambda size: "x" * size,
    "a long argument": lambda size: "goto " + "x" * size,
    "a long string": lambda size: 'type 5 "' + "x" * size,
    "backslashes": lambda size: 'type 5 "' + "\\" * size,
    "escapes": lambda size: 'type 5 "' + '\\"' * size + '"',
    "spaces": lambda size: "click" + " " * size + "5",
    "brackets": lambda size: "fill_form " + "[" * size,
    "balanced brackets": lambda size: "fill_form " + "[" * size + "]" * size,
    "parentheses": lambda size: "click css" + "(" * size + ")" * size,
    "quotes in a selector": lambda size: "click css(" + "'\"" * size + ")",
    "selectors never closed": lambda size: "click " + "css(" * size,
    "points": lambda size: "click at(" + "1," * size + ")",
    "relations": lambda size: "click a" + " near a" * size,
    "relations of a later argument": lambda size: "type a b" + " near a" * size,
    "options": lambda size: "observe" + " --full" * size,
    "bare options": lambda size: "observe" + " full" * size,
    "values": lambda size: "select 5" + " 1" * size,
    "keys": lambda size: "press a" + "+a" * size,
    "keys apart": lambda size: "press a" + " + a" * size,
    "words": lambda size: "device" + " x" * size,
    "digits": lambda size: "click " + "9" * size,
    "digits in JSON": lambda size: 'fill_form {"a": ' + "9" * size + "}",
    "sessions": lambda size: "@a " * size,
    "session words": lambda size: "session a " * size,
    "comment signs": lambda size: "click 5 " + "#" * size,
    "parameters": lambda size: "run a" + " --b 1" * size,
    "nothing": lambda size: "\0" * size,
    "lone surrogates": lambda size: "click " + "\ud800" * size,
    "a colon far away": lambda size: "define " + "x" * size + " :",
    "headers that look like JSON": lambda size: "headers set " + " " * size + "'" + " " * size + "'",
    "URL": lambda size: "goto " + "a@" * size,
    "lines": lambda size: "define x:\n" + "  back\n" * size,
}


def outcome(raw: str) -> None:
    try:
        parse(raw)
    except LanguageError as error:
        assert len(error.message) < 500
        assert error.position is None or 0 <= error.position <= len(raw)


@pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_line_is_answered(make: Callable[[int], str]) -> None:
    outcome(make(SIZE))


def seconds(raw: str) -> float:
    started = time.process_time()
    outcome(raw)
    return time.process_time() - started


@pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE)
def test_time_grows_with_the_line_and_not_with_its_square(make: Callable[[int], str]) -> None:
    # Squared, 20 times the length would take 400 times as long, and a busy machine may double it; the floor is the
    # clock's.
    short = max(min(seconds(make(SIZE // 40)) for _ in range(3)), 0.0005)
    assert any(seconds(make(SIZE // 2)) < 200 * short for _ in range(3))


def test_bytes_that_are_no_text() -> None:
    raw = bytes(range(256)) * 40
    assert all(("error" in each) != ("canonical" in each) for each in parse_output(raw.decode("utf-8", "replace")))
    assert all(each for each in parse_output(raw.decode("utf-8", "surrogateescape")))


def test_help_for_anything() -> None:
    assert help_text("x" * SIZE)
    assert help_text("\ud800 \n")
