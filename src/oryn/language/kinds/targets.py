"""Targets as they are written (intent-language §3)."""

from __future__ import annotations

from typing import Any, Literal

from oryn.errors import LanguageError, MissingArgument, UnexpectedInput
from oryn.language.brackets import bare_selector
from oryn.language.kinds.base import Kind, Written, invalid
from oryn.language.kinds.numbers import Integer, Number
from oryn.language.strings import quote
from oryn.language.targets import (
    RELATIONS,
    ROLE_ALIASES,
    ROLES,
    Css,
    Id,
    Point,
    Reference,
    Related,
    Relation,
    Role,
    RoleName,
    Simple,
    Target,
    Text,
    XPath,
    relate,
    target_json,
)
from oryn.language.tokens import Cursor

_ROLES: dict[str, RoleName] = {**{name: name for name in ROLES}, **ROLE_ALIASES}
_RELATIONS: dict[str, Relation] = {name: name for name in RELATIONS}
MOST_RELATIONS = 16
"""A target may have so many relations; a page has no deeper meaning than that, and the walk over them recurses."""


class TargetKind(Kind[Target]):
    """`<target>`, with the relations directly after it."""

    label = "<target>"

    def read(self, cursor: Cursor) -> Written:
        written = read_simple(cursor)
        cursor.boundary()
        while relation := read_relation(cursor):
            written = extend(written, relation, cursor)
            cursor.boundary()
        return written

    def write(self, value: Target) -> str:
        return str(value)

    def as_json(self, value: Target) -> dict[str, Any]:
        return target_json(value)

    def text_of(self, data: Any) -> str | None:
        if isinstance(data, str):
            return data if self.is_whole(data) else quote(data)
        if isinstance(data, int) and not isinstance(data, bool):
            return str(data)
        return _tagged(data)


def _tagged(data: Any) -> str | None:
    """The text of a tagged object (`target_json`)."""
    match data:
        case {"relation": {"kind": str(kind), "to": to}, **subject} if kind in RELATIONS:
            first, second = _tagged(subject), _tagged(to)
            return f"{first} {kind} {second}" if first and second else None
        case {"id": int(number), **rest} if not rest:
            return str(number)
        case {"reference": int(number), **rest} if not rest:
            return f"@e{number}"
        case {"text": str(text), **rest} if not rest:
            return quote(text)
        case {"role": str(name), **rest} if not rest and name in _ROLES:
            return name
        case {"css": str(selector), **rest} if not rest:
            return str(Css(selector))
        case {"xpath": str(expression), **rest} if not rest:
            return str(XPath(expression))
        case {"point": [int() | float() as x, int() | float() as y], **rest} if not rest:
            return str(Point(x, y))
    return None


def read_relation(cursor: Cursor) -> Relation | None:
    """Take the relation that stands next, after white space, or nothing."""
    start = cursor.position
    cursor.skip_space()
    relation = None if cursor.at_end else _RELATIONS.get(cursor.peek_atom().lower())
    if relation is None:
        cursor.position = start
        return None
    cursor.atom()
    cursor.boundary()
    return relation


def extend(target: Written, relation: Relation, cursor: Cursor) -> Written:
    """`target` with a relation to the target that stands next. Raises `MissingArgument` when there is none."""
    cursor.skip_space()
    if cursor.at_end or cursor.at_option:
        raise MissingArgument(
            f"{relation} what?", f'<target> {relation} <target>, as in 5 {relation} "Total"', cursor.position
        )
    if _relations(target.value) == MOST_RELATIONS:
        raise UnexpectedInput(f"more than {MOST_RELATIONS} relations", None, cursor.position)
    to = read_simple(cursor)
    return Written(f"{target.text} {relation} {to.text}", relate(target.value, relation, to.value), target.start)


def _relations(target: Target) -> int:
    count = 0
    while isinstance(target, Related):
        count, target = count + 1, target.to
    return count


def read_simple(cursor: Cursor) -> Written:
    """One target without relations."""
    start = cursor.position
    if cursor.at_string:
        text = cursor.string()
        return Written(quote(text), Text(text), start)
    word = cursor.peek_atom()
    if (word[:1].isdigit() and word[:1].isascii()) or (word[:1] == "-" and word[1:2].isdigit()):
        return _id(cursor, word)
    if word[:2].lower() == "@e" and word[2:].isdigit() and word.isascii():
        return _reference(cursor)
    function, bracket, _ = word.partition("(")
    if bracket and function.lower() in ("css", "xpath"):
        cursor.position += len(function)
        return read_selector(cursor, "css" if function.lower() == "css" else "xpath", start)
    if bracket and function.lower() == "at":
        cursor.position += len(function) + 1
        return _point(cursor, start)
    cursor.atom()
    if role := _ROLES.get(word.lower()):
        return Written(word.lower(), Role(role), start)
    return Written(quote(word), Text(word), start)


def _id(cursor: Cursor, word: str) -> Written:
    """Digits, and what follows them is left over; but another number is a wrong value."""
    if word.replace(".", "", 1).lstrip("-").isdecimal():
        written = Integer("id").read(cursor)
    else:
        start = cursor.position
        digits = cursor.digits()
        if not digits or len(digits) > 15:
            raise invalid("the number of an element", word, start)
        written = Written(digits, int(digits), start)
    return written._replace(value=Id(written.value))


def _reference(cursor: Cursor) -> Written:
    start = cursor.position
    cursor.position += 2
    number = Integer("reference").read(cursor)
    return Written(f"@e{number.text}", Reference(number.value), start)


def read_selector(cursor: Cursor, function: Literal["css", "xpath"], start: int) -> Written:
    """`("…")` or `(…)` at `cursor`, the selector of a `function` that began at `start`."""
    bracket = cursor.position
    selector = _quoted_selector(cursor)
    if selector is None:
        cursor.position = bracket
        selector = bare_selector(cursor, function)
        if not selector:
            raise MissingArgument("an empty selector", f'{function}("…")', bracket + 1)
    target: Simple = Css(selector) if function == "css" else XPath(selector)
    return Written(str(target), target, start)


def _quoted_selector(cursor: Cursor) -> str | None:
    """The string that is all there is between the brackets, or None."""
    cursor.position += 1
    cursor.skip_space()
    if not cursor.at_string:
        return None
    selector = cursor.string()
    cursor.skip_space()
    if not cursor.looking_at(")"):
        return None
    cursor.position += 1
    return selector


def _point(cursor: Cursor, start: int) -> Written:
    """`120,300)`. The numbers keep their spelling, spaces vanish."""
    end = cursor.line.find(")", cursor.position)
    if end < 0:
        cursor.position = start
        raise cursor.unterminated("at(")
    inside = cursor.line[cursor.position : end]
    parts = [part.strip() for part in inside.split(",")]
    try:
        numbers = [Number("px").read(Cursor(part)) for part in parts]
    except LanguageError:
        numbers = []
    if len(numbers) != 2 or [each.text for each in numbers] != parts:
        raise invalid("a point", f"at({inside})", start, "at(120,300)")
    cursor.position = end + 1
    x, y = numbers
    return Written(f"at({x.text},{y.text})", Point(x.value, y.value), start)
