"""Values in the place of words of a parsed command: they become data of its fields and can't become anything else.

A text that is code has escapes of its own: in CSS and JavaScript every character that could end a string or a name is
escaped; XPath has no escapes, so what would need one is refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from oryn.errors import InvalidValue
from oryn.language import Command, Css, XPath
from oryn.language.kinds import CSS, JAVASCRIPT, Kind, Url
from oryn.language.urls import complete_url
from oryn.records import Record

_NOT_PLAIN = re.compile(r"[^A-Za-z0-9_-]")
_NOT_WORD = re.compile(r"[^A-Za-z0-9]")
_NOT_FOR_XPATH = re.compile(r"[^\w .,:-]")

Values = Mapping[str, str]
"""What stands in the place of each word."""


def substitute(command: Command, values: Values, *, encode: bool = True) -> Command:
    """The command with each word of `values` replaced wherever it stands in a field.

    `encode=False` is for showing it. Raises `InvalidValue` for a value that can't stand where it would."""
    fields = type(command).__fields__
    return command.replace(
        **{
            name: _in_field(value, getattr(fields[name], "kind", None), values, encode)
            for name, value in command.values().items()
        }
    )


def _in_field(value: Any, kind: Kind[Any] | None, values: Values, encode: bool) -> Any:
    if isinstance(value, str) and isinstance(kind, Url):
        return _in_url(value, values, encode)
    if isinstance(value, str) and encode:
        if kind is JAVASCRIPT:
            return _replaced(value, {word: _in_javascript(text) for word, text in values.items()})
        if kind is CSS:
            return _replaced(value, {word: _in_css(text) for word, text in values.items()})
    return _in_value(value, values, encode)


def _in_value(value: Any, values: Values, encode: bool) -> Any:
    match value:
        case str():
            return _replaced(value, values)
        case Css(selector) if encode:
            return Css(_replaced(selector, {word: _in_css(text) for word, text in values.items()}))
        case XPath(expression) if encode:
            return XPath(_replaced(expression, _Refusing(values)))
        case Record():
            return value.replace(**{name: _in_value(each, values, encode) for name, each in value.values().items()})
        case tuple():
            return tuple(_in_value(each, values, encode) for each in value)
        case list():
            return [_in_value(each, values, encode) for each in value]
        case dict():
            return {_in_value(k, values, encode): _in_value(v, values, encode) for k, v in value.items()}
        case _:
            return value


def _replaced(text: str, values: Values) -> str:
    if not any(word in text for word in values):
        return text
    # In one pass: a value that happens to hold another's word stays what it is.
    words = re.compile("|".join(map(re.escape, values)))
    return words.sub(lambda found: values[found[0]], text)


class _Refusing(dict[str, str]):
    """Values for XPath, refused when they are used and would need escapes."""

    def __getitem__(self, word: str) -> str:
        text = super().__getitem__(word)
        if _NOT_FOR_XPATH.search(text):
            raise InvalidValue(
                "a value in an XPath may have letters, digits, spaces and . , : _ - only", "Use a text or CSS instead."
            )
        return text


def _in_javascript(text: str) -> str:
    units = text.encode("utf-16-be", "surrogatepass")
    characters = (int.from_bytes(units[i : i + 2], "big") for i in range(0, len(units), 2))
    return "".join(_NOT_WORD.sub(lambda found: f"\\u{ord(found[0]):04x}", chr(c)) for c in characters)


def _in_css(text: str) -> str:
    # https://drafts.csswg.org/css-syntax/#consume-escaped-code-point
    return _NOT_PLAIN.sub(lambda found: f"\\{ord(found[0]):x} ", text)


def _in_url(value: str, values: Values, encode: bool) -> str:
    """A value at the very start is the URL, or its beginning; any other is a part of one and percent-encoded."""
    from urllib.parse import quote

    written = value.removeprefix("https://")
    first = next((word for word in values if written.startswith(word)), None)
    encoded = {word: quote(text, safe="", errors="replace") if encode else text for word, text in values.items()}
    if first is None:
        return _replaced(value, encoded)
    whole = values[first] + _replaced(written[len(first) :], encoded)
    return complete_url(whole) if encode else whole
