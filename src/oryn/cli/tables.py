"""Tables on standard output: by Rich on a terminal if it is installed (extra `daemon`), else as plain columns.

A row of plain columns is one line, whatever its cells contain: line ends and control characters in them are escaped."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence

import click

from oryn.core.text_safety import one_line

_COLUMN_GAP = "  "


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print `rows`, each with a cell for every column. None is printed as `-`, True and False as `yes` and `no`."""
    cells = [[_text(cell) for cell in row] for row in rows]
    if sys.stdout.isatty() and os.environ.get("TERM") != "dumb" and _print_rich(columns, cells):
        return
    widths = [max(map(len, column)) for column in zip(columns, *cells, strict=True)]
    lines = (
        _COLUMN_GAP.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in (columns, *cells)
    )
    click.echo("\n".join(lines))


def _text(cell: object) -> str:
    match cell:
        case None:
            return "-"
        case bool():
            return "yes" if cell else "no"
    return one_line(str(cell)) or "-"


def _print_rich(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Print the table with Rich; return False if Rich is not installed. Rich itself respects https://no-color.org."""
    try:
        from rich.box import SIMPLE_HEAD
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text
    except ImportError:
        return False
    rich_table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        rich_table.add_column(column, overflow="fold")
    for row in rows:
        # `Text`, as cells contain no markup.
        rich_table.add_row(*map(Text, row))
    Console().print(rich_table)
    return True
