"""Prepares a program's text for Monty, which knows no exceptions with fields: in `except OrynError as error`, `error`
becomes an object with the error's fields, which `raise error` raises again. Pure."""

from __future__ import annotations

import io
import re
import tokenize
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

ERROR_NAME = "OrynError"
ERROR_FIELDS = "_oryn_error"
"""The function of the host that returns the fields of the error whose text it gets."""
_CAUGHT = "_oryn_caught"
_RAISED = "_oryn_raised"

ERROR_CLASS = "FileExistsError"
"""The class of Monty's that `OrynError` is: programs can't declare any, and no file can raise this one here."""

PREPARATION = f"""{ERROR_NAME} = {ERROR_CLASS}
def {_CAUGHT}(error):
    return {ERROR_FIELDS}(f"{{error}}") if isinstance(error, {ERROR_CLASS}) else error
def {_RAISED}(error):
    if isinstance(error, BaseException) or not hasattr(error, "message"):
        return error
    return {ERROR_CLASS}(f"{{error.code}}: {{error.message}}" if error.code else error.message)
"""
"""The code that runs before a program."""

_LAYOUT = frozenset({tokenize.NL, tokenize.COMMENT, tokenize.NEWLINE})
_BEHIND_NAME = frozenset({"", "\n", ";", "from"})
"""What may follow the name in a `raise` that raises what the name stands for."""


class _SourceEdit(NamedTuple):
    """Replaces a part of a line, counted from 1. A `text` that is a line of its own is inserted before the line."""

    row: int
    start: int
    end: int
    text: str
    is_line: bool = False


class ProgramSource:
    """A text as it is run, and where its places are in the text that was written.

    `text` is what runs; lines are counted from 1. `await` before one of the `functions`, which return when done, is
    left out."""

    def __init__(self, written: str, functions: Collection[str] = ()) -> None:
        self._inserted: list[int] = []
        """The numbers of inserted lines, in the text that runs."""
        self.text = self._prepared(written, functions)
        encoded = self.text.encode("utf-8", "replace")
        self._line_starts = [0, *(found.end() for found in re.finditer(b"\n", encoded))]

    def place_of(self, offset: int) -> tuple[int, int]:
        """Return line and column of a byte of the text that runs, in the text that was written."""
        row = bisect_right(self._line_starts, offset)
        return self.line_of(row), offset - self._line_starts[row - 1] + 1

    def line_of(self, row: int) -> int:
        """Return the line that was written, of a line that runs."""
        return max(1, row - bisect_left(self._inserted, row))

    def _prepared(self, written: str, functions: Collection[str]) -> str:
        if "except" not in written and "await" not in written:
            return written
        try:
            tokens = list(tokenize.generate_tokens(io.StringIO(written).readline))
        except (tokenize.TokenError, SyntaxError):  # Monty says where
            return written
        lines = written.split("\n")
        for row, start, end, text, is_line in sorted(_edits(tokens, functions), reverse=True):
            if is_line:
                lines.insert(row - 1, text)
                self._inserted = [row, *(each + 1 for each in self._inserted)]
            else:
                line = lines[row - 1]
                lines[row - 1] = line[:start] + text + line[end:]
        return "\n".join(lines)


def _edits(tokens: Sequence[tokenize.TokenInfo], functions: Collection[str]) -> Iterator[_SourceEdit]:
    for place, token in enumerate(tokens):
        if token.type == tokenize.NAME and token.string == "except":
            yield from _handler(tokens, place)
    for before, token, behind in zip(tokens, tokens[1:], tokens[2:], strict=False):
        row, column = token.start
        if before.string == "raise" and token.type == tokenize.NAME:
            if behind.string in _BEHIND_NAME or behind.type in _LAYOUT:
                yield _SourceEdit(row, column, token.end[1], f"{_RAISED}({token.string})")
        elif before.string == "await" and token.string in functions and before.start[0] == row:
            yield _SourceEdit(row, before.start[1], column, "")


def _handler(tokens: Sequence[tokenize.TokenInfo], place: int) -> Iterator[_SourceEdit]:
    """The edit that binds the error's fields to the name of the `except … as name:` that begins at a place."""
    colon = next((at for at in range(place, len(tokens)) if tokens[at].exact_type == tokenize.COLON), 0)
    if colon < place + 4 or tokens[colon - 2].string != "as":
        return
    name = tokens[colon - 1].string
    assignment = f"{name} = {_CAUGHT}({name})"
    row, column = tokens[colon].end
    first = next((each for each in tokens[colon + 1 :] if each.type not in _LAYOUT), None)
    if first is not None and first.type == tokenize.INDENT:
        yield _SourceEdit(row + 1, 0, 0, f"{first.string}{assignment}", is_line=True)
    else:
        yield _SourceEdit(row, column, column, f" {assignment};")
