"""Regular expressions in the language: their literals (`/Sav(e|ing)/i`), and which ones are refused because a text of a
page could make them take forever."""

from __future__ import annotations

import re

from oryn.errors import InvalidValue
from oryn.language.lexer import Cursor, shorten

MAX_LENGTH = 500
MAX_REPEATS = 3
"""Maximum number of parts of a pattern that may repeat without limit: the time grows with this power of a text."""

LITERAL = re.compile(r"/((?![*/])(?:[^\\/\[\n]|\\[^\n]|\[(?:[^\\\]\n]|\\[^\n])*+\])++)/([a-z]*+)(?![^\s,)\]}])")
_FLAGS = frozenset("imsu")
_MEANINGLESS_FLAGS = frozenset("gydv")
_TOKEN = re.compile(r"\\.|\{[0-9]++,\}|.", re.DOTALL)
_UNLIMITED = re.compile(r"[*+]|\{[0-9]++,\}")


def read_pattern(cursor: Cursor) -> tuple[str, str] | None:
    """Take a literal, and return its pattern and its flags; None, without taking anything, if there is none.
    Raises `InvalidValue` for one that is refused."""
    start = cursor.position
    match = LITERAL.match(cursor.line, start)
    if match is None:
        return None
    pattern, flags = match[1], "".join(sorted(set(match[2]) - _MEANINGLESS_FLAGS))
    if not _FLAGS.issuperset(flags):
        raise InvalidValue(f"not flags of a regular expression: {shorten(match[2])}", "i, m, s and u are", start)
    check_pattern(pattern, start)
    cursor.position = match.end()
    return pattern, flags


def check_pattern(pattern: str, position: int | None = None) -> None:
    """Raise `InvalidValue` for a pattern that is too long, not closed, or that a text could make take forever: a
    repeated group with a repetition or a choice in it, or more than `MAX_REPEATS` repetitions without limit."""
    if len(pattern) > MAX_LENGTH:
        raise InvalidValue(f"a regular expression of more than {MAX_LENGTH} characters", None, position)
    groups, repeats, closed, in_class = [False], 0, False, False
    for token in _TOKEN.findall(pattern):
        if in_class or token == "[":
            in_class, closed = token != "]", False
            continue
        if _UNLIMITED.fullmatch(token):
            if closed:
                hint = "Leave the repetition of the group out, or repeat one character class: [a-z]+."
                raise InvalidValue(f"a regular expression that may take forever: {shorten(pattern)}", hint, position)
            repeats += 1
            groups[-1] = True
        elif token == "|":
            groups[-1] = True
        closed = False
        if token == "(":
            groups.append(False)
        elif token == ")":
            if len(groups) == 1:
                groups.append(False)
                break
            closed = groups.pop()
            groups[-1] = groups[-1] or closed
    if repeats > MAX_REPEATS:
        hint = f"At most {MAX_REPEATS} parts may repeat without limit; {{0,20}} is one."
        raise InvalidValue(f"a regular expression that may take long: {shorten(pattern)}", hint, position)
    if len(groups) != 1 or in_class:
        raise InvalidValue(
            f"a regular expression with a bracket that is not closed: {shorten(pattern)}", None, position
        )


def exact_pattern(text: str) -> str:
    """Return the pattern that just this text fits, in which white space was collapsed."""
    escaped = re.sub(r"[\\^$.*+?()\[\]{}|/]", r"\\\g<0>", " ".join(text.split()))
    return f"^{escaped}$"
