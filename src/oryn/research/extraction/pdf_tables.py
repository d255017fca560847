"""Tables of PDFs: rows of cells in a page's layout, put into its text. Pure.

A PDF has no tables, only letters at places. `pypdf` lays a page out with spaces as wide as the gaps; what stands in
columns there, line after line, and is no prose, is a table. In the plain text of the page the same cells stand in lines
of their own or run together, so the rows replace them there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import mean

from oryn.core.records import Record

MIN_GAP = 2
"""Spaces between two columns. In a line, cells are at least one more apart: justified prose has gaps of two."""
MIN_ROWS = 3
MAX_MARKS = 0.5
"""The share of marks of lists in the first column."""
MAX_DRIFT = 12
"""Characters by which the cells of a column begin, or end, apart from each other, if a line is drawn as one text."""
MIN_FILLED = 0.8
"""The share of cells that have text."""
MAX_CELL_WORDS = 6.0
"""The mean of words of the cells of a column; columns of prose have more."""
MAX_ROWS = 2_000
MAX_TABLES = 50
"""Tables of a page that are looked for; a page with more is a drawing."""
MAX_PLACES = 10
"""Places in the text of a page where a table may begin."""
MAX_LINES = 1_000
"""Lines of a page's layout that are read."""
MAX_LINE_CHARACTERS = 1_000

_CELL = re.compile(r"\S+(?: {1,2}\S+)*")
_BULLET = re.compile(r"[•◦▪‣·*–—-]|\(?(?:\d{1,3}|[a-z]|[ivxlc]{1,5})[.)]", re.I)
_MARK = re.compile(rf"{_BULLET.pattern}|\d{{1,3}}", re.I)
"""What the first of two columns has in a list. Of more columns, a first one of numbers may be ranks."""
_YEAR = re.compile(r"(?:19|20)\d\d(?:[-/–]\d{2,4})?")
_GENERIC = re.compile(r"values?|data|details?|figures?|description", re.I)


class PdfTable(Record):
    """The rows of a table; the first one labels its columns if `has_header`."""

    rows: tuple[tuple[str, ...], ...]
    has_header: bool = False

    @property
    def lines(self) -> tuple[str, ...]:
        """The rows as lines of text."""
        return tuple(" | ".join(row) for row in self.rows)

    @property
    def labelled(self) -> Iterator[str]:
        """The values with their thing and the label of their column: `Heron Bridge | Length | 388 m`."""
        if not self.has_header or (len(self.rows[0]) == 2 and _GENERIC.fullmatch(self.rows[0][1])):
            return
        _, *labels = self.rows[0]
        for subject, *values in self.rows[1:]:
            for label, value in zip(labels, values, strict=True):
                if subject and label and value:
                    yield f"{subject} | {label} | {value}"


def tables_in(layout: str) -> list[PdfTable]:
    """The tables of a page that is laid out with spaces."""
    tables: list[PdfTable] = []
    run: list[str] = []
    for line in [*(each[:MAX_LINE_CHARACTERS].rstrip() for each in layout.splitlines()[:MAX_LINES]), ""]:
        cells = len(_cells(line))
        if cells > 1 or (cells == 1 and run and _continues(run, line)):
            run.append(line)
            continue
        if (table := _table(run)) is not None:
            tables.append(table)
        run = []
    return tables[:MAX_TABLES]


def with_tables(text: str, tables: Sequence[PdfTable]) -> tuple[str, list[PdfTable]]:
    """The text of a page with the rows of its tables as lines, and the tables that were found in it."""
    found: list[PdfTable] = []
    position = 0
    for table in tables:
        if (span := _span(text, table, position)) is None:
            continue
        rows = "\n".join(table.lines)
        before, after = text[: span[0]].rstrip(" \n"), text[span[1] :].lstrip(" \n")
        text = f"{before}\n{rows}\n{after}" if before else f"{rows}\n{after}"
        position = len(before) + len(rows) + 1
        found.append(table)
    return text, found


def _cells(line: str) -> list[tuple[int, int]]:
    return [found.span() for found in _CELL.finditer(line)]


def _continues(run: Sequence[str], line: str) -> bool:
    """Whether a line of one cell goes on in a cell above: it is below one that is not the first, and no wider."""
    [(begin, end)] = _cells(line)
    above = [each for each in _cells(run[-1])[1:] if each[0] <= begin + 1 and end <= each[1] + MIN_GAP * 6]
    return begin > 0 and any(abs(begin - each[0]) <= 1 for each in above)


def _table(run: Sequence[str]) -> PdfTable | None:
    """The table that lines are; None if they are prose, a list, or stand under each other by chance."""
    if len(run) < MIN_ROWS or any("|" in line for line in run):
        return None
    rows = _rows(run[:MAX_ROWS])
    width = len(rows[0])
    filled = [[row[at] for row in rows if row[at]] for at in range(width)]
    if width < 2 or len(rows) < MIN_ROWS or not all(filled):
        return None
    if any(mean(len(cell.split()) for cell in column) > MAX_CELL_WORDS for column in filled):
        return None
    if sum(map(len, filled)) < MIN_FILLED * len(rows) * width:
        return None
    mark = _MARK if width == 2 else _BULLET
    if sum(mark.fullmatch(cell) is not None for cell in filled[0]) > MAX_MARKS * len(rows):
        return None
    return PdfTable(tuple(map(tuple, rows)), _has_header(rows))


def _rows(run: Sequence[str]) -> list[list[str]]:
    """The cells of lines: in their order if all lines have as many, else by the columns that they stand in. Where a
    line is drawn as one text, its gaps are only about as wide as on the page."""
    cells = [[line[begin:end] for begin, end in _cells(line)] for line in run]
    if len({len(each) for each in cells}) == 1 and _is_aligned([_cells(line) for line in run]):
        return [[" ".join(cell.split()) for cell in each] for each in cells]
    columns = _columns(run)
    rows: list[list[str]] = []
    for line in run:
        row = [" ".join(line[begin:end].split()) for begin, end in columns]
        if rows and not row[0] and sum(map(bool, row)) < len(columns):
            rows[-1] = [f"{above} {each}".strip() for above, each in zip(rows[-1], row, strict=True)]
        else:
            rows.append(row)
    return rows


def _is_aligned(lines: Sequence[Sequence[tuple[int, int]]]) -> bool:
    """Whether the cells of each column begin or end near each other."""
    return all(
        min(max(side) - min(side) for side in zip(*column, strict=True)) <= MAX_DRIFT
        for column in list(zip(*lines, strict=True))[1:]
    )


def _columns(run: Sequence[str]) -> list[tuple[int, int]]:
    """The places of columns: what is between gaps that all lines have."""
    width = max(map(len, run))
    taken = [False] * width
    for line in run:
        for begin, end in _cells(line):
            taken[begin:end] = [True] * (end - begin)
    columns: list[tuple[int, int]] = []
    for at in range(width):
        if not taken[at]:
            continue
        if columns and at - columns[-1][1] < MIN_GAP:
            columns[-1] = (columns[-1][0], at + 1)
        else:
            columns.append((at, at + 1))
    return columns


def _has_header(rows: Sequence[Sequence[str]]) -> bool:
    first, *rest = rows
    if not all(first) or any(char.isdigit() for cell in first for char in cell if not _YEAR.fullmatch(cell)):
        return False
    if len(first) == 2:
        return _GENERIC.fullmatch(first[1]) is not None
    return any(char.isdigit() for row in rest for cell in row[1:] for char in cell)


def _span(text: str, table: PdfTable, position: int) -> tuple[int, int] | None:
    """Where the letters of a table stand in a text, in whatever order, from `position` on."""
    places = [at for at in range(position, len(text)) if not text[at].isspace()]
    bare = "".join(text[at] for at in places)
    letters = "".join(char for row in table.rows for cell in row for char in cell if not char.isspace())
    counted = Counter(letters)
    first = "".join(table.rows[0][0].split() or table.rows[0][1].split())
    begin = bare.find(first)
    for _ in range(MAX_PLACES):
        if begin < 0:
            return None
        end = begin + len(letters)
        if Counter(bare[begin:end]) == counted:
            return places[begin], places[end - 1] + 1
        begin = bare.find(first, begin + 1)
    return None
