"""Kinds that one command alone has."""

from __future__ import annotations

import re
from typing import Any, Literal, get_args

from oryn.errors import MissingArgument
from oryn.language.kinds.base import Kind, Written, invalid, read_bare
from oryn.language.kinds.numbers import Integer, read_number
from oryn.language.kinds.targets import read_selector
from oryn.language.kinds.words import Identifier, Name, String
from oryn.language.strings import quote
from oryn.language.suggestions import did_you_mean
from oryn.language.targets import Css
from oryn.language.tokens import Cursor

Extractable = Literal["links", "images", "tables", "meta", "text"]
EXTRACTABLE: tuple[Extractable, ...] = get_args(Extractable)
POPUP_KINDS = ("popup", "popups", "modal", "modals", "banner")

_DEFINED = re.compile(r"[^ \t\r:#]*+")


class Selection(String):
    """What `select` chooses: one bare number is a 0-based index (an `int`), all else are values or texts (a tuple)."""

    def __init__(self) -> None:
        self.label = '"<value or text>"…|<index>'

    def read(self, cursor: Cursor) -> Written:
        if cursor.at_string:
            return super().read(cursor)
        return read_number(cursor) or super().read(cursor)

    def gather(self, written: list[Written]) -> tuple[list[Written], Any]:
        only = written[0]
        if len(written) == 1 and not isinstance(only.value, str):
            index = Integer("index").read(Cursor(only.text)) if only.text.isdigit() else None
            if index is None:
                raise invalid("a 0-based index", only.text, only.start, "quote it to choose by value")
            return written, index.value
        values = [self._as_value(each) for each in written]
        return values, tuple(each.value for each in values)

    @staticmethod
    def _as_value(written: Written) -> Written:
        if isinstance(written.value, str):
            return written
        return Written(quote(written.text), written.text, written.start)

    def text_of(self, data: Any) -> str | None:
        return str(data) if isinstance(data, int) and not isinstance(data, bool) else super().text_of(data)

    def write_all(self, value: tuple[str, ...] | int) -> list[str]:
        return [str(value)] if isinstance(value, int) else [quote(each) for each in value]


class Extracted(Kind["Extractable | Css"]):
    """What `extract` takes: a word of `EXTRACTABLE`, or `css("…")`."""

    label = "|".join((*EXTRACTABLE, 'css("<css>")'))

    def read(self, cursor: Cursor) -> Written:
        start = cursor.position
        if cursor.peek_atom()[:4].lower() == "css(":
            cursor.position += 3
            return read_selector(cursor, "css", start)
        word, start = read_bare(cursor, "something to extract")
        if word.lower() not in EXTRACTABLE:
            raise invalid(
                "something to extract", word, start, did_you_mean(word, EXTRACTABLE) or f"one of {self.label}"
            )
        return Written(word.lower(), word.lower(), start)

    def write(self, value: Extractable | Css) -> str:
        return str(value)

    def as_json(self, value: Extractable | Css) -> Any:
        return {"css": value.selector} if isinstance(value, Css) else value

    def text_of(self, data: Any) -> str | None:
        match data:
            case {"css": str(selector), **rest} if not rest:
                return str(Css(selector))
        return data if isinstance(data, str) else None


class Dismissed(Name):
    """What `dismiss` closes: a kind of `POPUP_KINDS`, quoted or not, in lower case; else a name or a text."""

    def __init__(self) -> None:
        self.label = 'popups|modals|modal|banner|<name>|"<text>"'

    def read(self, cursor: Cursor) -> Written:
        quoted = cursor.at_string
        written = super().read(cursor)
        return (
            written
            if quoted or written.text.lower() not in POPUP_KINDS
            else written._replace(text=written.text.lower())
        )

    def mean(self, text: str, start: int) -> str:
        return text.lower() if text.lower() in POPUP_KINDS else text


class DefinedName(Identifier):
    """The name of an intent and the colon after it."""

    def __init__(self) -> None:
        super().__init__("name")
        self.label = "<name>:"

    def read(self, cursor: Cursor) -> Written:
        start = cursor.position
        word = cursor.take(_DEFINED)
        cursor.skip_space()
        if not cursor.looking_at(":"):
            raise MissingArgument("the colon after the name is missing", "define <name>:", cursor.position)
        cursor.position += 1
        name = self.mean(word, start)
        return Written(f"{name}:", name, start)

    def write(self, value: str) -> str:
        return f"{value}:"
