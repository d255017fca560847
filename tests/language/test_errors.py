"""What is no command: code, position in the raw line, and what to do about it."""

from __future__ import annotations

import pytest

from oryn.errors import LanguageError
from oryn.language import parse

UNKNOWN = {
    "frobnicate": 0,
    "  clik 5": 2,
    "go": 0,
    "accept": 0,
    "--full": 0,
    '"click" 5': 0,
    "5": 0,
    "@a frobnicate": 3,
}

MISSING = {
    "goto": 4,
    "goto #a": 5,
    "click --double": 14,
    "type 5": 6,
    "type email near": 15,
    "type email near --enter x": 16,
    "observe --near": 14,
    "observe --near --full": 15,
    "observe near": 12,
    "scroll --amount #x": 16,
    "clipboard": 9,
    "clipboard --timeout 5s": 22,
    "cookies set a": 13,
    "dialog auto": 11,
    "wait": 4,
    "wait visible": 12,
    "wait exists #id": 12,
    "headers set a.org": 17,
    "drag A": 6,
    "drag A to": 9,
    "run x --a": 9,
    "run x --a --b 1": 10,
    "define x": 8,
    "session new": 11,
    "@": 1,
    "@work": 5,
    "@work  # c": 7,
    "@work --timeout 5s": 6,
    "click css()": 10,
    "press #": 6,
    "highlight": 9,
}

INVALID = {
    "scroll --amount abc": 16,
    "scroll --amount 1.5": 16,
    "observe --limit -1": 16,
    "observe --limit '5'": 16,
    "observe --timeout -5": 18,
    "wait .5s": 5,
    "wait 5S": 5,
    "wait idel": 5,
    "click 5.5": 6,
    "click -5": 6,
    "click at(1)": 6,
    "click at(1,2,3)": 6,
    "click at(x,y)": 6,
    "click 1234567890123456": 6,
    "click @e1234567890123456": 8,
    "cookies foo": 8,
    "cookies 'list'": 8,
    "is foo 5": 3,
    "offline maybe": 8,
    "tab close x": 10,
    "tab switch 1.5": 11,
    "viewport 1280x720": 9,
    "screenshot --format gif": 20,
    "requests --method 5": 18,
    "press control+": 6,
    "press control + --timeout 1s": 6,
    "press retour": 6,
    "press ''": 6,
    "keydown control+a": 8,
    "select 5 -1": 9,
    "select 5 1.5": 9,
    "headers set {'a': 1}": 12,
    'headers set {"a": true}': 12,
    "headers set [1]": 12,
    'headers set {"A": "b"': 12,
    "fill_form [1]": 10,
    "fill_form 5": 10,
    "tool call x nope": 12,
    "tool call x NaN": 12,
    "tool call x [1e999]": 12,
    "goto javascript:alert(1)": 5,
    "goto ''": 5,
    r'goto " java\tscript:x"': 5,
    "session 5": 8,
    "session new close": 12,
    "@new click 5": 1,
    "@5 click 5": 1,
    "define 5x:": 7,
    "extract css": 8,
    "extract foo": 8,
    "help 5": 5,
}

UNTERMINATED = {
    'click "Sign in': 6,
    "type 5 'it\\'": 7,
    'observe --near "': 15,
    'observe --limit "5': 16,
    "click css(#a": 9,
    'click css("a)': 10,
    "click xpath(//a[text()='b])": 23,
    "click at(1,2": 6,
    'headers set {"A: 1}': 13,
}

UNEXPECTED = {
    "click 5#x": 7,
    "click 5abc": 7,
    "click Login#x": 11,
    "click email#x": 11,
    'click "Login"#x': 13,
    "back#x": 4,
    "back 5": 5,
    "exit --timeout 5s": 5,
    "tool call x [1]]": 15,
    "click 5 6": 8,
    "click 5 --dubble": 8,
    "click 5 --double=yes": 16,
    "click 5 --double#c": 16,
    "click 5 --": 8,
    "observe bogus": 8,
    "observe --limit 5#x": 17,
    "wait 5s#x": 7,
    "extract text#x": 12,
    "tab switch 2#x": 12,
    "goto a.org extra": 11,
    'type 5 "a"b': 10,
    'click "A"near B': 9,
    "drag A B": 7,
    "scroll 5 down": 9,
    "scroll --page until 5": 7,
    "console foo": 8,
    "define x: back": 10,
    "session --mode headless work": 8,
    "@a @b back": 3,
    "session a @b back": 10,
    "@a session b back": 13,
    "@a session b @c back": 13,
    "help cookies set": 13,
    "errors --last 5 clear": 7,
    "eval foo(1, 2)": 12,
}

CONFLICTING = {
    "observe --full --minimal": 15,
    "storage list --local --session": 21,
    "storage --session set a b --local": 26,
    "type 5 x --clear --append": 17,
}

CASES = [
    (code, raw, position)
    for code, cases in {
        "UNKNOWN_COMMAND": UNKNOWN,
        "MISSING_ARGUMENT": MISSING,
        "INVALID_VALUE": INVALID,
        "UNTERMINATED_STRING": UNTERMINATED,
        "UNEXPECTED_INPUT": UNEXPECTED,
        "CONFLICTING_OPTIONS": CONFLICTING,
    }.items()
    for raw, position in cases.items()
]


@pytest.mark.parametrize(("code", "raw", "position"), CASES)
def test_error(code: str, raw: str, position: int) -> None:
    with pytest.raises(LanguageError) as caught:
        parse(raw)
    assert (caught.value.code, caught.value.position) == (code, position)
    assert caught.value.phase == ("semantic" if code == "CONFLICTING_OPTIONS" else "parsing")


HINTS = {
    "clik 5": "did you mean click?",
    "navigat a.org": "did you mean navigate?",
    "accept": "did you mean accept_cookies?",
    "frobnicate": "help lists the commands",
    "hover 10 12": "a number alone is an element's, a point is at(10,12): hover <target>",
    "hover 10,12": "a number alone is an element's, a point is at(120,300)",
    "click 5 --dubble": "did you mean --double?",
    "observe fulll": "did you mean --full?",
    "cookies delet x": "did you mean delete?",
    "wait idel": "did you mean idle?",
    "screenshot --format jpg": "did you mean jpeg?",
    "press contrl+a": "did you mean control?",
    "press pageupp": "did you mean pageup?",
    "extract link": "did you mean links?",
    "type 5": 'type <target> "<text>" [--append|--clear] [--enter] [--delay <ms>]',
    "tab": "tab new <url> | tab switch <n> | tab close [<n>] | tab take <n> | tab release [<n>]",
    "back --timeout": "back [--timeout <duration>]",
    "click #pay": 'a # after a space begins a comment, a selector is quoted: "#pay"',
    "click 5#x": "a comment needs a space before its #",
    "goto a.org extra": "goto <url> [--headers <json>]",
}


@pytest.mark.parametrize(("raw", "hint"), HINTS.items())
def test_hint(raw: str, hint: str) -> None:
    with pytest.raises(LanguageError) as caught:
        parse(raw)
    assert caught.value.hint == hint


def test_an_unterminated_string_says_where_it_began() -> None:
    with pytest.raises(LanguageError, match="position 6"):
        parse('click "Sign in')


NOT_CONFLICTS = ["click 5 --right --middle", 'intercept "x" --block --status 403', "type 5 x --clear --enter"]


@pytest.mark.parametrize("raw", NOT_CONFLICTS)
def test_no_conflict(raw: str) -> None:
    assert parse(raw).command
