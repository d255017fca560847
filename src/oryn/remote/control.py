"""A control message: what both ends say about the connection itself, or about a command beside its line. A word and
fields, `name=value` between spaces, the values percent-encoded. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar, Self
from urllib.parse import quote, unquote_to_bytes

from oryn.errors import MalformedMessage
from oryn.records import Record

FIELDS_LIMIT = 4096
"""Characters of a control message that has fields."""


class Control(Record):
    """Base of what has the id 0. `frame` is the whole message."""

    word: ClassVar[str]

    @property
    def frame(self) -> str:
        return f"0:{self.word}"

    @classmethod
    def of(cls, rest: str) -> Self:
        """What the text after the word says. Raises `MalformedMessage`."""
        return cls()


def frame_of(word: str, **fields: str | None) -> str:
    shown = (f" {name}={quote(value, safe='/.:+')}" for name, value in fields.items() if value is not None)
    return f"0:{word}{''.join(shown)}"


def fields_of(text: str) -> dict[str, str]:
    """`name=value` pairs between spaces; words without a `=` are ignored, as unknown names are."""
    found: dict[str, str] = {}
    for part in text.split():
        name, equals, value = part.partition("=")
        if not equals:
            continue
        if name in found:
            raise MalformedMessage(f"'{name[:40]}' twice")
        try:
            found[name] = unquote_to_bytes(value).decode()
        except UnicodeDecodeError as error:
            raise MalformedMessage(f"'{name[:40]}' is not UTF-8") from error
    return found


def checked(fields: Mapping[str, str], name: str, form: re.Pattern[str]) -> str | None:
    value = fields.get(name)
    if value is not None and not form.fullmatch(value):
        raise MalformedMessage(f"'{name}' is not of its form")
    return value
