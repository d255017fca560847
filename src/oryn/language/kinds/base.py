"""The base of all kinds: parses an argument or the value of an option, and writes it as canonical text."""

from __future__ import annotations

from typing import Any, Generic, NamedTuple, TypeVar

from oryn.errors import InvalidValue, LanguageError
from oryn.language.lexer import Cursor, shorten

Value = TypeVar("Value")


class ParsedValue(NamedTuple):
    """A value in a line.

    text: its canonical text, which preserves what doesn't affect meaning: optional quotes, the spelling of a number.
    value: its meaning.
    start: its offset in the line."""

    text: str
    value: Any
    start: int


class ValueKind(Generic[Value]):
    """One kind of value. `label` is its form in usage lines: `<url>`, `"<text>"`, `png|jpeg|webp`."""

    label: str
    words: tuple[str, ...] = ()
    """The words that are allowed, if they are a fixed list."""
    suggested: tuple[str, ...] = ()
    """Words that completion offers, if others are allowed too."""
    secret: bool = False
    """Whether the value must not be repeated in an answer, logged or stored."""
    is_cumulative: bool = False
    """Whether the values of a repeated option of this kind are combined. Of any other kind the last value counts."""

    def accepts(self, cursor: Cursor) -> bool:
        """Return whether the word or string at `cursor` can be such a value. The parser checks it for optional
        arguments."""
        return True

    def stands_alone(self, cursor: Cursor) -> bool:
        """Return whether the word at `cursor` is such a value also without the name of its option before it."""
        return False

    def read(self, cursor: Cursor) -> ParsedValue:
        """Take the value at `cursor`, which is at a word or a string. Raises `LanguageError`."""
        raise NotImplementedError

    def read_whole(self, text: str) -> ParsedValue | None:
        """Return the value if the whole text is one value, as written in a line; else None."""
        cursor = Cursor(text)
        try:
            value = self.read(cursor)
            cursor.skip_space()
        except LanguageError:
            return None
        return value if cursor.position == len(text) else None

    def gather(self, written: list[ParsedValue]) -> tuple[list[ParsedValue], Any]:
        """Return the values of an argument that may repeat, and their combined meaning. Raises `LanguageError`."""
        return written, tuple(each.value for each in written)

    def write(self, value: Value) -> str:
        """Return the canonical text of a `value` that was not parsed from text."""
        raise NotImplementedError

    def write_all(self, value: Any) -> list[str]:
        """Return the canonical texts of the values of an argument that may repeat."""
        return [self.write(each) for each in value]

    def as_json(self, value: Value) -> Any:
        """Return `value` as JSON data."""
        return value

    def text_of(self, data: Any) -> str | None:
        """Return the unchecked text of JSON data in a line; None for data of another type."""
        return data if isinstance(data, str) else None


def invalid_value(what: str, text: str, position: int, hint: str | None = None) -> InvalidValue:
    """Return an error such as `not a duration: "5x"`."""
    return InvalidValue(f"not {what}: {shorten(text)}", hint, position)


def read_bare(cursor: Cursor, what: str) -> tuple[str, int]:
    """Take the word at `cursor`; return it and the offset at which it begins. Raises `InvalidValue` for a string."""
    start = cursor.position
    if cursor.at_string:
        raise invalid_value(what, cursor.string(), start, "write it without quotes")
    return cursor.atom(), start
