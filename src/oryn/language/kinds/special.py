"""Kinds that only one command uses."""

from __future__ import annotations

import json
import re
from typing import Any, Literal, get_args

from oryn.core.suggestions import did_you_mean
from oryn.errors import MissingArgument
from oryn.language.kinds.base import ParsedValue, ValueKind, invalid_value, read_bare
from oryn.language.kinds.json import JsonObjectKind
from oryn.language.kinds.numbers import IntegerKind, read_optional_number
from oryn.language.kinds.targets import read_selector
from oryn.language.kinds.text import IdentifierKind, ListKind, NameKind, StringKind
from oryn.language.lexer import Cursor, balanced_json, quote
from oryn.language.targets import CssTarget, is_kind

Extractable = Literal["links", "images", "tables", "meta", "text"]
EXTRACTABLE: tuple[Extractable, ...] = get_args(Extractable)
POPUP_KINDS = ("popup", "popups", "modal", "modals", "banner")

_DEFINED_NAME = re.compile(r"[^ \t\r:#]*+")


class JsonOrFileKind(NameKind):
    """A JSON object, or the path of a file with one."""

    def __init__(self) -> None:
        self.label = "<file>|<json>"

    def bare(self, cursor: Cursor) -> str:
        return balanced_json(cursor) if cursor.looking_at("{") else cursor.word()

    def read(self, cursor: Cursor) -> ParsedValue:
        found = super().read(cursor)
        return found._replace(text=self.write(found.value)) if found.value.startswith("{") else found

    def convert(self, text: str, start: int) -> str:
        if text.lstrip().startswith("{"):
            JsonObjectKind().convert(text, start)
            return text.strip()
        return text

    def text_of(self, data: Any) -> str | None:
        return self.write(json.dumps(data, ensure_ascii=False)) if isinstance(data, dict) else super().text_of(data)


class RoleNameKind(NameKind):
    """A role of ARIA's or a type of an element, as answers print them."""

    def convert(self, text: str, start: int) -> str:
        if not is_kind(text.lower()):
            raise invalid_value("a role", text, start, "as in answers: button, link, input/email, heading, row")
        return text.lower()


class RolesKind(ListKind):
    """Several roles, which commas may separate too: `button,link`."""

    def __init__(self) -> None:
        super().__init__(RoleNameKind("role"))

    def read(self, cursor: Cursor) -> ParsedValue:
        start = cursor.position
        text = cursor.string() if cursor.at_string else cursor.word()
        return super().read(Cursor(quote(" ".join(text.replace(",", " ").split()))))._replace(start=start)


class SelectionKind(StringKind):
    """The choice of `select`: one bare number is a 0-based index (an `int`), anything else is values or texts (a
    tuple)."""

    def __init__(self) -> None:
        self.label = '"<value or text>"…|<index>'

    def read(self, cursor: Cursor) -> ParsedValue:
        if cursor.at_string:
            return super().read(cursor)
        return read_optional_number(cursor) or super().read(cursor)

    def gather(self, written: list[ParsedValue]) -> tuple[list[ParsedValue], Any]:
        only = written[0]
        if len(written) == 1 and not isinstance(only.value, str):
            index = IntegerKind("index").read(Cursor(only.text)) if only.text.isdigit() else None
            if index is None:
                raise invalid_value("a 0-based index", only.text, only.start, "quote it to choose by value")
            return written, index.value
        values = [self._as_value(each) for each in written]
        return values, tuple(each.value for each in values)

    @staticmethod
    def _as_value(written: ParsedValue) -> ParsedValue:
        if isinstance(written.value, str):
            return written
        return ParsedValue(quote(written.text), written.text, written.start)

    def text_of(self, data: Any) -> str | None:
        return str(data) if isinstance(data, int) and not isinstance(data, bool) else super().text_of(data)

    def write_all(self, value: tuple[str, ...] | int) -> list[str]:
        return [str(value)] if isinstance(value, int) else [quote(each) for each in value]


class ExtractKind(ValueKind["Extractable | CssTarget"]):
    """The subject of `extract`: a word of `EXTRACTABLE`, or `css("…")`."""

    label = "|".join((*EXTRACTABLE, 'css("<css>")'))
    suggested = EXTRACTABLE

    def read(self, cursor: Cursor) -> ParsedValue:
        start = cursor.position
        if cursor.peek_atom()[:4].lower() == "css(":
            cursor.position += 3
            return read_selector(cursor, "css", start)
        word, start = read_bare(cursor, "something to extract")
        if word.lower() not in EXTRACTABLE:
            raise invalid_value(
                "something to extract", word, start, did_you_mean(word, EXTRACTABLE) or f"one of {self.label}"
            )
        return ParsedValue(word.lower(), word.lower(), start)

    def write(self, value: Extractable | CssTarget) -> str:
        return str(value)

    def as_json(self, value: Extractable | CssTarget) -> Any:
        return {"css": value.selector} if isinstance(value, CssTarget) else value

    def text_of(self, data: Any) -> str | None:
        match data:
            case {"css": str(selector), **rest} if not rest:
                return str(CssTarget(selector))
        return data if isinstance(data, str) else None


class DismissKind(NameKind):
    """The target of `dismiss`: a kind of `POPUP_KINDS`, quoted or not, in lower case; else a name or a text."""

    suggested = POPUP_KINDS

    def __init__(self) -> None:
        self.label = 'popups|modals|modal|banner|<name>|"<text>"'

    def read(self, cursor: Cursor) -> ParsedValue:
        quoted = cursor.at_string
        written = super().read(cursor)
        return (
            written
            if quoted or written.text.lower() not in POPUP_KINDS
            else written._replace(text=written.text.lower())
        )

    def convert(self, text: str, start: int) -> str:
        return text.lower() if text.lower() in POPUP_KINDS else text


class DefinedNameKind(IdentifierKind):
    """The name of an intent and the colon after it."""

    def __init__(self) -> None:
        super().__init__("name")
        self.label = "<name>:"

    def read(self, cursor: Cursor) -> ParsedValue:
        start = cursor.position
        word = cursor.take(_DEFINED_NAME)
        cursor.skip_space()
        if not cursor.looking_at(":"):
            raise MissingArgument("the colon after the name is missing", "define <name>:", cursor.position)
        cursor.position += 1
        name = self.convert(word, start)
        return ParsedValue(f"{name}:", name, start)

    def write(self, value: str) -> str:
        return f"{value}:"
