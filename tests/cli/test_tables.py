"""Tables on standard output, on a terminal and elsewhere."""

from __future__ import annotations

import io
import sys
from typing import Any

import pytest

from oryn.cli.tables import table

ROWS = [("work", 3, True, None), ("[red]a", "x\ny", False, "")]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_plain_columns_have_one_row_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    table(("name", "tabs", "open", "note"), ROWS)
    assert capsys.readouterr().out == "name    tabs  open  note\nwork    3     yes   -\n[red]a  x\\ny  no    -\n"


def test_without_rows_there_is_the_head(capsys: pytest.CaptureFixture[str]) -> None:
    table(("name", "size"), [])
    assert capsys.readouterr().out == "name  size\n"


def test_on_a_terminal_cells_are_no_markup(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    table(("name", "tabs", "open", "note"), ROWS)
    assert "[red]a" in stream.getvalue()
    assert "─" in stream.getvalue()


def test_without_rich_a_terminal_gets_plain_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    stream: Any = Terminal()
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setitem(sys.modules, "rich.box", None)
    table(("name",), [("work",)])
    assert stream.getvalue() == "name\nwork\n"
