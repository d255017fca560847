"""What an argument or the value of an option may be: how it is read, and how it is written back."""

from __future__ import annotations

from typing import Any, Generic, NamedTuple, TypeVar

from oryn.errors import InvalidValue, LanguageError
from oryn.language.strings import shorten
from oryn.language.tokens import Cursor

Value = TypeVar("Value")


class Written(NamedTuple):
    """A value as it stands in a line: its canonical text, its meaning, and where it began.

    `text` keeps what was written and is not meaning: quotes that could be left out, the spelling of a number."""

    text: str
    value: Any
    start: int


class Kind(Generic[Value]):
    """One kind of value. `label` is its form in usage lines: `<url>`, `"<text>"`, `png|jpeg|webp`."""

    label: str
    words: tuple[str, ...] = ()
    """The words that it may be, when they are a fixed list."""
    secret: bool = False
    """Never repeated in an answer, logged or kept."""
    adds_up: bool = False
    """An option of this kind may be given again: what it means is all of them together. Else the last holds."""

    def accepts(self, cursor: Cursor) -> bool:
        """Whether the word or string that stands here can be this; asked for arguments that may be left out."""
        return True

    def read(self, cursor: Cursor) -> Written:
        """Take the value at `cursor`, which stands at a word or a string. Raises `LanguageError`."""
        raise NotImplementedError

    def is_whole(self, text: str) -> bool:
        """Whether all of a text is one such value, as it would be written in a line."""
        cursor = Cursor(text)
        try:
            self.read(cursor)
            cursor.skip_space()
        except LanguageError:
            return False
        return cursor.position == len(text)

    def gather(self, written: list[Written]) -> tuple[list[Written], Any]:
        """The values of an argument that may repeat, and what they mean together."""
        return written, tuple(each.value for each in written)

    def write(self, value: Value) -> str:
        """The canonical text of `value` where nobody wrote it."""
        raise NotImplementedError

    def write_all(self, value: Any) -> list[str]:
        """As `write`, for an argument that may repeat."""
        return [self.write(each) for each in value]

    def as_json(self, value: Value) -> Any:
        """`value` as JSON data."""
        return value

    def text_of(self, data: Any) -> str | None:
        """The text that JSON data has in a line, not yet checked; None for data that can't be this."""
        return data if isinstance(data, str) else None


def invalid(what: str, text: str, position: int, hint: str | None = None) -> InvalidValue:
    """`not a duration: "5x"`."""
    return InvalidValue(f"not {what}: {shorten(text)}", hint, position)


def read_bare(cursor: Cursor, what: str) -> tuple[str, int]:
    """The word at `cursor`, and where it began. A string in its place is an `InvalidValue`, for it can't be `what`."""
    start = cursor.position
    if cursor.at_string:
        raise invalid(what, cursor.string(), start, "write it without quotes")
    return cursor.atom(), start
