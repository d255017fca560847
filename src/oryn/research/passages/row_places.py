"""Where the labelled values of a page stand in its text, so that a table is read once, and not again as rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import islice

from oryn.core.records import Record
from oryn.research.documents import Article, TextRow

MAX_LINES_BETWEEN = 3
"""How many lines after its label a value may stand."""
MAX_CANDIDATES = 20


class PlacedRows(Record):
    """`rows` with offsets in `text`: the text of the article, and after it the rows that it does not have."""

    text: str
    rows: tuple[TextRow, ...]


def placed_rows(article: Article) -> PlacedRows:
    """The rows of an article in its text. Those that it does not have, such as ones for programs, stand behind it."""
    if not article.rows:
        return PlacedRows(article.text, ())
    lines = _Lines(article.text)
    placed: list[TextRow] = []
    absent: list[str] = []
    for row in article.rows:
        *subject, label, value = row.split(" | ")
        span = lines.place(subject[0] if subject else "", label, value)
        if span is None:
            absent.append(row)
        else:
            placed.append(TextRow(label=label, begin=span[0], end=span[1], subject=subject[0] if subject else ""))
    return PlacedRows("\n".join((article.text, *absent)), tuple(placed))


class _Lines:
    """The lines of a text, and their cells (`a | b`), by what they are."""

    def __init__(self, text: str) -> None:
        self._lines: list[str] = []
        self._begins: list[int] = []
        self._cells: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
        """Each cell's line, and its offsets in the text."""
        self._used: set[tuple[int, int, int]] = set()
        begin = 0
        for number, line in enumerate(text.split("\n")):
            self._lines.append(_lower(line))
            self._begins.append(begin)
            at = begin
            for cell in line.split(" | "):
                if key := _key(cell):
                    self._cells[key].append((number, at, at + len(cell)))
                at += len(cell) + len(" | ")
            begin += len(line) + 1

    def place(self, subject: str, label: str, value: str) -> tuple[int, int] | None:
        """The offsets of a value whose subject or label stands near it; None if there is none."""
        found = self._cells.get(_key(value), ())
        near = [each for each in found if each not in self._used and self._belongs(each[0], subject, label)]
        if near:
            self._used.add(near[0])
            return near[0][1:]
        # A value within a line: `Depth: 141 m`.
        wanted, said = _lower(value), _lower(label)
        for number, *_ in islice(self._cells.get(_key(label), ()), MAX_CANDIDATES):
            for at in range(number, min(number + MAX_LINES_BETWEEN + 1, len(self._lines))):
                if (offset := self._lines[at].find(wanted)) >= 0:
                    return self._span(at, offset, value)
        for number, line in enumerate(self._lines):
            if said in line and (offset := line.find(wanted, line.find(said) + len(said))) >= 0:
                return self._span(number, offset, value)
        return None

    def _span(self, line: int, offset: int, value: str) -> tuple[int, int]:
        begin = self._begins[line] + offset
        return begin, begin + len(value)

    def _belongs(self, line: int, subject: str, label: str) -> bool:
        if subject:
            # A number alone is named with its column: `Year 1931`.
            whole, cells = f" {_key(subject)}", filter(None, map(_key, self._lines[line].split(" | ")))
            return any(whole.endswith(f" {cell}") for cell in cells)
        above: Sequence[str] = self._lines[max(0, line - MAX_LINES_BETWEEN) : line + 1]
        return any(_lower(label) in each for each in above)


def _key(cell: str) -> str:
    return _lower(" ".join(cell.split())).rstrip(":： ")


def _lower(text: str) -> str:
    """In lower case, with the same offsets: a few letters grow."""
    lower = text.lower()
    return lower if len(lower) == len(text) else text
