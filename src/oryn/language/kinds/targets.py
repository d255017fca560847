"""Parses targets (docs/spec/intent-language.md#targets)."""

from __future__ import annotations

import re
from typing import Any, Literal

from oryn.errors import LanguageError, MissingArgument, UnexpectedInput
from oryn.language.kinds.base import ParsedValue, ValueKind, invalid_value
from oryn.language.kinds.locators import locator_target, read_locator
from oryn.language.kinds.numbers import IntegerKind, NumberKind
from oryn.language.lexer import Cursor, bare_selector, quote
from oryn.language.patterns import read_pattern
from oryn.language.targets import (
    RELATIONS,
    ROLE_ALIASES,
    ROLES,
    TEXT_SOURCES,
    CssTarget,
    IdTarget,
    KindTarget,
    PatternTarget,
    PointTarget,
    ReferenceTarget,
    RelatedTarget,
    Relation,
    RoleName,
    RoleTarget,
    SimpleTarget,
    SourceTarget,
    Target,
    TargetData,
    TextSource,
    TextTarget,
    XPathTarget,
    add_relation,
    is_kind,
    target_json,
)

_ROLES: dict[str, RoleName] = {**{name: name for name in ROLES}, **ROLE_ALIASES}
_SOURCES: dict[str, TextSource] = {name: name for name in TEXT_SOURCES}
RELATION_WORDS: dict[str, Relation] = {name: name for name in RELATIONS}
PRINTED_RELATION = "in"
"""The word for `inside` in answers. It is a relation only where a target is read as answers print it."""
MAX_RELATIONS = 16
"""Maximum number of relations of a target. Pages need no more, and functions that walk relations recurse."""


class TargetKind(ValueKind[Target]):
    """A target and the relations directly after it.

    printed: also take what answers print (`[5] button "Save" in "1003" {primary}`) and selectors of several bare words
        (`ul > li`). A line means that only if it has a meaning so (`read_line`)."""

    label = "<target>"
    suggested = ROLES

    def __init__(self, *, printed: bool = False) -> None:
        self.printed = printed

    def read(self, cursor: Cursor) -> ParsedValue:
        target = self._read_simple(cursor)
        if isinstance(target.value, IdTarget) and cursor.looking_at(","):
            raise cursor.unexpected("a number alone is an element's, a point is at(120,300)")
        cursor.boundary()
        while relation := _read_relation(cursor, self.printed):
            cursor.skip_space()
            if cursor.at_end or cursor.at_option:
                raise missing_related_target(relation, cursor.position)
            target = relate(target, relation, self._read_simple(cursor))
            cursor.boundary()
        if self.printed and isinstance(_first(target.value), KindTarget):
            if modifiers := _MODIFIERS.match(cursor.line, cursor.position):
                cursor.position = modifiers.end()
            cursor.boundary()
        return target

    def _read_simple(self, cursor: Cursor) -> ParsedValue:
        return (self.printed and _read_printed(cursor)) or _read_kind_pattern(cursor) or _read_simple_target(cursor)

    def read_whole(self, text: str) -> ParsedValue | None:
        if value := super().read_whole(text):
            return value
        return None if self.printed else PRINTED_TARGET.read_whole(text)

    def write(self, value: Target) -> str:
        return str(value)

    def as_json(self, value: Target) -> TargetData:
        return target_json(value)

    def text_of(self, data: Any) -> str | None:
        if isinstance(data, str):
            # Among the other arguments, these would be an option, or the end of the line.
            ends = Cursor(data).at_option or "\n" in data
            if self.read_whole(data) and not ends:
                return data
            meant = target_of_text(data)
            return quote(data) if meant is None else str(meant)
        if isinstance(data, int) and not isinstance(data, bool):
            return str(data)
        return _tagged_object_text(data)


PRINTED_TARGET = TargetKind(printed=True)


def target_of_text(text: str) -> Target | None:
    """Return the meaning of a text that is a target itself, as answers print it or in the form of another tool:
    `button "Save"`, `text=Save`; None for any other text. Raises `LanguageError` for a form without a meaning here."""
    if (locator := locator_target(text)) is not None:
        return locator
    printed = PRINTED_TARGET.read_whole(text)
    subject = None if printed is None else _first(printed.value)
    return printed.value if printed is not None and isinstance(subject, KindTarget | PatternTarget) else None


def _tagged_object_text(data: Any) -> str | None:
    """Return the text of a tagged object (`target_json`)."""
    match data:
        case {"relation": {"kind": str(kind), "to": to}, **subject} if kind in RELATIONS:
            first, second = _tagged_object_text(subject), _tagged_object_text(to)
            return f"{first} {kind} {second}" if first and second else None
        case {"id": int(number), **rest} if not rest:
            return str(number)
        case {"reference": int(number), **rest} if not rest:
            return f"@e{number}"
        case {"kind": str(kind), "text": str(text), **rest} if is_kind(kind) and rest.keys() <= {"id", "reference"}:
            if all(isinstance(number, int) for number in rest.values()):
                return str(KindTarget(kind, text, rest.get("id"), rest.get("reference")))  # type: ignore[arg-type]
        case {"source": str(source), "text": str(text), **rest} if not rest and source in _SOURCES:
            return str(SourceTarget(_SOURCES[source], text))
        case {"pattern": str(pattern), **rest} if rest.keys() <= {"flags", "kind", "source"}:
            if all(isinstance(each, str) for each in rest.values()):
                return str(PatternTarget(pattern, **rest))  # type: ignore[arg-type]
        case {"role": str(kind), "name": str(text), **rest} if is_kind(kind) and not rest:
            return str(KindTarget(kind, text))
        case {"ref": str(reference), **rest} if rest.keys() <= {"element"}:
            return str(locator_target(f"ref={reference}"))
        case {"index": int(number), **rest} if not rest:
            return str(number)
        case {"selector": str(selector), **rest} if not rest:
            return str(CssTarget(selector))
        case {"text": str(text), **rest} if not rest:
            return quote(text)
        case {"role": str(name), **rest} if not rest and name in _ROLES:
            return name
        case {"css": str(selector), **rest} if not rest:
            return str(CssTarget(selector))
        case {"xpath": str(expression), **rest} if not rest:
            return str(XPathTarget(expression))
        case {"point": [int() | float() as x, int() | float() as y], **rest} if not rest:
            return str(PointTarget(x, y))
    return None


def _read_relation(cursor: Cursor, printed: bool) -> Relation | None:
    """Take the relation that follows after white space, or nothing."""
    start = cursor.position
    cursor.skip_space()
    relation = None if cursor.at_end else relation_at(cursor, printed)
    if relation is None:
        cursor.position = start
        return None
    cursor.atom()
    cursor.boundary()
    return relation


def relation_at(cursor: Cursor, printed: bool) -> Relation | None:
    """Return the relation that the word at `cursor` names, without taking it. `in` is one if a string, or a kind and a
    string, is behind it: `Sign in` is a text."""
    word = cursor.peek_atom().lower()
    if relation := RELATION_WORDS.get(word):
        return relation
    return "inside" if printed and word == PRINTED_RELATION and _BEHIND_IN.match(cursor.line, cursor.position) else None


_BEHIND_IN = re.compile(r"in[ \t\r]++(?:[\w/-]++[ \t\r]++)?[\"']", re.IGNORECASE)
_NUMBER = re.compile(r"\[([0-9]{1,15})\][ \t\r]++")
_BEHIND_KIND = re.compile(r"[ \t\r]++(?:@e|\[ref=e)([0-9]{1,15})\]?(?![^ \t\r])")
_MODIFIERS = re.compile(r"[ \t\r]++\{[a-z, ]*+\}")
_SELECTOR_PART = r"(?:[\w.*:-]|\[[^\] \t\r]*+\]|\([^) \t\r]*+\))++"
_COMBINED_SELECTOR = re.compile(
    rf"(?!(?:css|xpath|at)\()(?=[^\W\d]|[.*:\[]){_SELECTOR_PART}"
    rf"(?:[ \t\r]++[>+~][ \t\r]++{_SELECTOR_PART})++(?![^ \t\r])",
    re.IGNORECASE,
)


def _read_printed(cursor: Cursor) -> ParsedValue | None:
    """Take a kind and a text, with the number before them (`[5] button "Save"`), or a selector of bare words that
    combinators join (`ul > li`). Return None, without taking anything, if neither is there."""
    start = cursor.position
    if combined := _COMBINED_SELECTOR.match(cursor.line, start):
        cursor.position = combined.end()
        selector = " ".join(combined[0].split())
        return ParsedValue(quote(selector), TextTarget(selector), start)
    if (locator := read_locator(cursor, several_words=True)) is not None:
        return ParsedValue(str(locator), locator, start)
    number = _NUMBER.match(cursor.line, start)
    if number is not None:
        cursor.position = number.end()
    kind = "" if cursor.at_string else cursor.atom().lower()
    cursor.skip_space()
    if not cursor.at_string or not is_kind(kind):
        cursor.position = start
        return None
    text = cursor.string()
    reference = _BEHIND_KIND.match(cursor.line, cursor.position)
    if reference is not None:
        cursor.position = reference.end()
    target = KindTarget(
        kind, text, None if number is None else int(number[1]), None if reference is None else int(reference[1])
    )
    return ParsedValue(str(target), target, start)


def _read_kind_pattern(cursor: Cursor) -> ParsedValue | None:
    """Take a kind and a pattern (`button /Save/i`); return None, without taking anything, if they are not there."""
    start = cursor.position
    kind = "" if cursor.at_string else cursor.atom().lower()
    cursor.skip_space()
    if not is_kind(kind) or (literal := read_pattern(cursor)) is None:
        cursor.position = start
        return None
    target = PatternTarget(*literal, kind)
    return ParsedValue(str(target), target, start)


def missing_related_target(relation: Relation, position: int) -> MissingArgument:
    """Return the error for a relation without a target after it."""
    return MissingArgument(f"{relation} what?", f'<target> {relation} <target>, as in 5 {relation} "Total"', position)


def relate(target: ParsedValue, relation: Relation, to: ParsedValue) -> ParsedValue:
    """Return `target` with a relation to another target. Raises `UnexpectedInput` beyond `MAX_RELATIONS`."""
    if _count_relations(target.value) + 1 + _count_relations(to.value) > MAX_RELATIONS:
        raise UnexpectedInput(f"more than {MAX_RELATIONS} relations", None, to.start)
    return ParsedValue(
        f"{target.text} {relation} {to.text}", add_relation(target.value, relation, to.value), target.start
    )


def _first(target: Target) -> SimpleTarget:
    return target.subject if isinstance(target, RelatedTarget) else target


def _count_relations(target: Target) -> int:
    count = 0
    while isinstance(target, RelatedTarget):
        count, target = count + 1, target.to
    return count


def _read_simple_target(cursor: Cursor) -> ParsedValue:
    """Read one target without relations."""
    start = cursor.position
    if cursor.at_string:
        text = cursor.string()
        return ParsedValue(quote(text), TextTarget(text), start)
    if (locator := read_locator(cursor)) is not None:
        return ParsedValue(str(locator), locator, start)
    word = cursor.peek_atom()
    if (word[:1].isdigit() and word[:1].isascii()) or (word[:1] == "-" and word[1:2].isdigit()):
        return _read_id(cursor, word)
    if word[:2].lower() == "@e" and word[2:].isdigit() and word.isascii():
        return _read_reference(cursor)
    function, bracket, _ = word.partition("(")
    if bracket and function.lower() in ("css", "xpath"):
        cursor.position += len(function)
        return read_selector(cursor, "css" if function.lower() == "css" else "xpath", start)
    if bracket and function.lower() == "at":
        cursor.position += len(function) + 1
        return _read_point(cursor, start)
    cursor.atom()
    if role := _ROLES.get(word.lower()):
        return ParsedValue(word.lower(), RoleTarget(role), start)
    return ParsedValue(quote(word), TextTarget(word), start)


def _read_id(cursor: Cursor, word: str) -> ParsedValue:
    """Read digits and leave what follows them; reject any other number."""
    if word.replace(".", "", 1).lstrip("-").isdecimal():
        written = IntegerKind("id").read(cursor)
    else:
        start = cursor.position
        digits = cursor.digits()
        if not digits or len(digits) > 15:
            raise invalid_value("the number of an element", word, start)
        written = ParsedValue(digits, int(digits), start)
    return written._replace(value=IdTarget(written.value))


def _read_reference(cursor: Cursor) -> ParsedValue:
    start = cursor.position
    cursor.position += 2
    number = IntegerKind("reference").read(cursor)
    return ParsedValue(f"@e{number.text}", ReferenceTarget(number.value), start)


def read_selector(cursor: Cursor, function: Literal["css", "xpath"], start: int) -> ParsedValue:
    """Read `("…")` or `(…)` at `cursor`: the selector of a `function` that began at `start`."""
    bracket = cursor.position
    selector = _quoted_selector(cursor)
    if selector is None:
        cursor.position = bracket
        selector = bare_selector(cursor, function)
        if not selector:
            raise MissingArgument("an empty selector", f'{function}("…")', bracket + 1)
    target: SimpleTarget = CssTarget(selector) if function == "css" else XPathTarget(selector)
    return ParsedValue(str(target), target, start)


def _quoted_selector(cursor: Cursor) -> str | None:
    """Return the string between the brackets, or None if there is anything else between them."""
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


def _read_point(cursor: Cursor, start: int) -> ParsedValue:
    """Read `120,300)`. The numbers keep their spelling; spaces are removed."""
    end = cursor.line.find(")", cursor.position)
    if end < 0:
        cursor.position = start
        raise cursor.unterminated("at(")
    inside = cursor.line[cursor.position : end]
    parts = [part.strip() for part in inside.split(",")]
    try:
        numbers = [NumberKind("px").read(Cursor(part)) for part in parts]
    except LanguageError:
        numbers = []
    if len(numbers) != 2 or [each.text for each in numbers] != parts:
        raise invalid_value("a point", f"at({inside})", start, "at(120,300)")
    cursor.position = end + 1
    x, y = numbers
    return ParsedValue(f"at({x.text},{y.text})", PointTarget(x.value, y.value), start)
