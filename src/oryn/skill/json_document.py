"""Inserts one entry into a JSON file written by people and changes nothing else: comments, order and indentation stay.

Editors allow comments and trailing commas in such files ("JSON with comments"). They are replaced by spaces for
reading, so positions in the parsed text are positions in the file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

_COMMENT = re.compile(r'("(?:[^"\\\n]++|\\.)*+(?:"|\\?(?=\n|\Z)))|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_TRAILING = re.compile(r'("(?:[^"\\\n]++|\\.)*+(?:"|\\?(?=\n|\Z)))|,(?=\s*[}\]])')
_SPACE = re.compile(r"\s*")
_INDENT = re.compile(r"^([ \t]+)\S", re.MULTILINE)
_DECODER = json.JSONDecoder()


class _JsonMember(NamedTuple):
    key: str
    begins: int
    value: int
    ends: int


def read(text: str) -> Any:
    """The data of a file; an empty file is an empty object. Raises `ValueError`."""
    plain = _without_comments(text)
    return json.loads(plain) if plain.strip() else {}


def with_entry(text: str, place: Sequence[str], value: Any) -> str:
    """The text with `value` at `place`, a path of keys from the outermost object, replacing an existing value.

    Raises `ValueError` if a value on the path is not an object, or if the text is not valid."""
    read(text)
    indent = found[1] if (found := _INDENT.search(text)) else "  "
    if not _without_comments(text).strip():
        text = f"{text}{'' if not text or text.endswith(chr(10)) else chr(10)}{{}}\n"
    plain = _without_comments(text)
    start = _skip_space(plain, 0)
    depth = 0
    for depth, key in enumerate(place):
        if plain[start] != "{":
            raise ValueError(f"{'.'.join(place[:depth]) or 'the file'} is no object")
        member = next((each for each in _members(plain, start) if each.key == key), None)
        if member is None:
            for name in reversed(place[depth + 1 :]):
                value = {name: value}
            return _insert_member(text, plain, start, key, value, indent)
        start, ends = member.value, member.ends
    return text[:start] + _render_value(value, indent, _line_indent(text, start), text) + text[ends:]


def _without_comments(text: str) -> str:
    """The text with comments and trailing commas replaced by spaces."""
    for pattern in (_COMMENT, _TRAILING):
        text = pattern.sub(lambda found: found[1] or re.sub(r"[^\n]", " ", found[0]), text)
    return text


def _skip_space(plain: str, position: int) -> int:
    found = _SPACE.match(plain, position)
    return found.end() if found else position


def _members(plain: str, start: int) -> Iterator[_JsonMember]:
    """The members of the object that begins at `start`, in a text that is valid JSON."""
    position = _skip_space(plain, start + 1)
    while plain[position] == '"':
        key, after = _DECODER.raw_decode(plain, position)
        value = _skip_space(plain, _skip_space(plain, after) + 1)
        _, ends = _DECODER.raw_decode(plain, value)
        yield _JsonMember(key, position, value, ends)
        position = _skip_space(plain, ends)
        if plain[position] != ",":
            return
        position = _skip_space(plain, position + 1)


def _insert_member(text: str, plain: str, start: int, key: str, value: Any, indent: str) -> str:
    """Insert a member after the last one of the object that begins at `start`."""
    members = list(_members(plain, start))
    closing = _skip_space(plain, members[-1].ends if members else start + 1)
    # Comments between the last member and the bracket stay in front of the new one.
    behind = len(text[:closing].rstrip())
    outer = _line_indent(text, start)
    inner = (
        _line_indent(text, members[-1].begins)
        if members and "\n" in text[start : members[-1].begins]
        else outer + indent
    )
    new_line = "\r\n" if "\r\n" in text else "\n"
    member = f"{new_line}{inner}{json.dumps(key, ensure_ascii=False)}: {_render_value(value, indent, inner, text)}"
    rest = text[behind:] if "\n" in text[behind:closing] else f"{new_line}{outer}{text[closing:]}"
    if not members:
        return text[:behind] + member + rest
    ends = members[-1].ends
    comma = "" if "," in _COMMENT.sub(" ", text[ends:behind]) else ","
    return text[:ends] + comma + text[ends:behind] + member + rest


def _line_indent(text: str, position: int) -> str:
    """The white space at the beginning of the line that contains `position`."""
    line = text[text.rfind("\n", 0, position) + 1 : position]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _render_value(value: Any, indent: str, outer: str, text: str) -> str:
    """Render a value for the file: lists in one line, the members of objects one below the other."""
    new_line = "\r\n" if "\r\n" in text else "\n"
    if not isinstance(value, dict) or not value:
        return json.dumps(value, ensure_ascii=False)
    inner = outer + indent
    members = (
        f"{inner}{json.dumps(name, ensure_ascii=False)}: {_render_value(each, indent, inner, text)}"
        for name, each in value.items()
    )
    return f"{{{new_line}{f',{new_line}'.join(members)}{new_line}{outer}}}"
