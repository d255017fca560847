"""Texts: strings, names, paths, URLs, identifiers, choices."""

from __future__ import annotations

import re
from typing import Any, Generic, TypeVar

from oryn.language.kinds.base import Kind, Written, invalid, read_bare
from oryn.language.strings import is_identifier, quote
from oryn.language.suggestions import did_you_mean
from oryn.language.targets import RELATIONS
from oryn.language.tokens import Cursor
from oryn.language.urls import complete_url

Choice = TypeVar("Choice", bound=str)

# `[` also begins an IPv6 address.
_JSON_BEGINS = re.compile(r"\s*+(?:\{|\[(?![0-9a-fA-F]*+:))")
_PLAIN = re.compile(r"[\w./~:%?&=+,;@*#-]++")


def _is_number(data: Any) -> bool:
    return isinstance(data, int | float) and not isinstance(data, bool)


class String(Kind[str]):
    """`"<text>"`: a string; a single word may stand bare, and canonical text quotes it."""

    def __init__(self, label: str) -> None:
        self.label = f'"<{label}>"'

    def read(self, cursor: Cursor) -> Written:
        start = cursor.position
        text = cursor.string() if cursor.at_string else cursor.word()
        return Written(quote(text), text, start)

    def write(self, value: str) -> str:
        return quote(value)

    def text_of(self, data: Any) -> str | None:
        return quote(data) if isinstance(data, str) else str(data) if _is_number(data) else None


class Secret(String):
    """A string that nothing repeats: a password."""

    secret = True


class Name(Kind[str]):
    """`<path>`: a word or a string, and canonical text keeps the form that was written."""

    def __init__(self, label: str) -> None:
        self.label = f"<{label}>"

    def read(self, cursor: Cursor) -> Written:
        start = cursor.position
        if cursor.at_string:
            text = cursor.string()
            return Written(quote(text), self.mean(text, start), start)
        text = self.bare(cursor)
        return Written(text, self.mean(text, start), start)

    def bare(self, cursor: Cursor) -> str:
        return cursor.word()

    def mean(self, text: str, start: int) -> str:
        """The value of a text. Raises `InvalidValue`."""
        return text

    def write(self, value: str) -> str:
        plain = _PLAIN.fullmatch(value) and value[0] not in "-@#" and value not in RELATIONS
        return value if plain else quote(value)

    def text_of(self, data: Any) -> str | None:
        return self.write(data) if isinstance(data, str) else str(data) if _is_number(data) else None


class Domain(Name):
    """A host name before a JSON argument, which it never looks like."""

    def accepts(self, cursor: Cursor) -> bool:
        ahead = Cursor(cursor.line, cursor.position)
        return not _JSON_BEGINS.match(ahead.string() if ahead.at_string else ahead.word())

    def mean(self, text: str, start: int) -> str:
        if _JSON_BEGINS.match(text):
            raise invalid("a domain", text, start)
        return text


class Url(Name):
    """A URL, whole, without its scheme, or relative to the current page; the value has the scheme (`complete_url`)."""

    def mean(self, text: str, start: int) -> str:
        return complete_url(text, start)


class Identifier(Name):
    """A name that must be an identifier: a session's or an intent's. `reserved` ones are taken by sub-commands."""

    def __init__(self, label: str, reserved: tuple[str, ...] = ()) -> None:
        super().__init__(label)
        self.reserved = reserved

    def bare(self, cursor: Cursor) -> str:
        return cursor.atom()

    def mean(self, text: str, start: int) -> str:
        if not is_identifier(text):
            raise invalid("a name", text, start, "a letter or _, then letters, digits, _ and -")
        if text.lower() in self.reserved:
            raise invalid("a name", text, start, f"{text} is a sub-command")
        return text


class Words(String):
    """All words up to an option or a comment, or one string: `iPhone 14` → `"iPhone 14"`."""

    def read(self, cursor: Cursor) -> Written:
        if cursor.at_string:
            return super().read(cursor)
        start = cursor.position
        words = []
        while not (cursor.at_end or cursor.at_option or cursor.at_string):
            words.append(cursor.word())
            end = cursor.position
            cursor.skip_space()
        cursor.position = end
        text = " ".join(words)
        return Written(quote(text), text, start)


class Several(Kind[tuple[str, ...]]):
    """What is not one value but perhaps more, none of which has a space in it: a word, or a string with spaces between
    them (`--exclude "*/login* *.zip"`), or the option again (`--exclude */login* --exclude *.zip`). Each may be what
    `kind` takes."""

    adds_up = True

    def __init__(self, kind: Name) -> None:
        self._kind = kind
        self.label = f'"{kind.label}…"'

    def read(self, cursor: Cursor) -> Written:
        start = cursor.position
        text = cursor.string() if cursor.at_string else cursor.word()
        values = tuple(self._kind.mean(each, start) for each in text.split())
        if not values:
            raise invalid("one or more", text, start)
        return Written(quote(text), values, start)

    def write(self, value: tuple[str, ...]) -> str:
        return quote(" ".join(value))

    def text_of(self, data: Any) -> str | None:
        if isinstance(data, str):
            return quote(data)
        # A space would make two of what was given as one.
        fits = isinstance(data, list | tuple) and all(isinstance(each, str) and len(each.split()) == 1 for each in data)
        return quote(" ".join(data)) if fits else None


class OneOf(Kind[Choice], Generic[Choice]):
    """One of a few words, in any case; canonical text has them as they are listed."""

    def __init__(self, *words: Choice) -> None:
        self.words = words
        self.label = "|".join(words)
        self._listed = {word.lower(): word for word in words}

    def accepts(self, cursor: Cursor) -> bool:
        return cursor.peek_atom().lower() in self._listed

    def read(self, cursor: Cursor) -> Written:
        word, start = read_bare(cursor, f"one of {', '.join(self.words)}")
        listed = self._listed.get(word.lower())
        if listed is None:
            raise invalid(f"one of {', '.join(self.words)}", word, start, did_you_mean(word, self.words))
        return Written(listed, listed, start)

    def write(self, value: Choice) -> str:
        return value


class Folded(Kind[str]):
    """A word whose case means nothing: the name of a command, an HTTP method."""

    def __init__(self, label: str, pattern: str, *, upper: bool = False) -> None:
        self.label = f"<{label}>"
        self._pattern = re.compile(pattern)
        self._upper = upper

    def read(self, cursor: Cursor) -> Written:
        word, start = read_bare(cursor, f"a {self.label[1:-1].lower()}")
        if not self._pattern.fullmatch(word):
            raise invalid(f"a {self.label[1:-1].lower()}", word, start)
        text = word.upper() if self._upper else word.lower()
        return Written(text, text, start)

    def write(self, value: str) -> str:
        return value
