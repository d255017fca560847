"""Tables of PDFs keep their rows, and prose stays prose."""

from __future__ import annotations

import pytest

from oryn.research.extraction.pdf import article_of_pdf
from oryn.research.extraction.pdf_tables import tables_in, with_tables
from tests.research.pdfs import Line, pdf

URL = "https://norr.example/bridges.pdf"
PROSE = (
    "The bridges of the Norr are looked after by keepers who live beside them, and every",
    "spring the bolts are counted, and those that are loose are tightened by hand.",
)
BRIDGES = [
    ("Bridge", "Length", "Opened", "Designer"),
    ("Heron Bridge", "388 m", "1931", "Ada Thorn"),
    ("Plover Bridge", "96 m", "1902", "Mira Okafor"),
]


def columns(rows: list[tuple[str, ...]], *places: int) -> list[Line]:
    return [[(place, cell) for place, cell in zip(places, row, strict=True) if cell] for row in rows]


def test_rows_stand_in_text_and_markdown() -> None:
    read = article_of_pdf(pdf([[*PROSE, "", *columns(BRIDGES, 0, 150, 250, 330), "", *PROSE]]), URL)
    assert "Heron Bridge | 388 m | 1931 | Ada Thorn\nPlover Bridge | 96 m | 1902 | Mira Okafor\n" in read.text
    assert (
        "| Bridge | Length | Opened | Designer |\n| --- | --- | --- | --- |\n| Heron Bridge | 388 m |" in read.markdown
    )
    assert read.headers == ("Bridge | Length | Opened | Designer",)
    assert {"Heron Bridge | Length | 388 m", "Plover Bridge | Designer | Mira Okafor"} <= set(read.rows)
    assert read.text.count("looked after by keepers who live beside them, and every spring") == 2


def test_cells_of_two_lines_are_one_cell() -> None:
    rows = [("Bridge", "Keeper"), ("Heron", "Ann Bee and"), ("", "Carl Dee"), ("Plover", "nobody"), ("Tern", "Mira")]
    [table] = tables_in("\n".join(f"{first:12}{second}".rstrip() for first, second in rows))
    assert ("Heron", "Ann Bee and Carl Dee") in table.rows


def test_properties_are_rows_without_a_header() -> None:
    rows = [("Height", "31 m"), ("Owner", "Council of the Isles"), ("Toll for a cart", "two crowns")]
    read = article_of_pdf(pdf([[*PROSE, "", *columns(rows, 0, 200)]]), URL)
    assert "Height | 31 m\nOwner | Council of the Isles\nToll for a cart | two crowns" in read.text
    assert read.headers == read.rows == ()


def test_a_column_of_ranks_is_no_list() -> None:
    [table] = tables_in("1    Merrin Rovers    48\n2    Oster United    41\n3    Fenwick Town    30")
    assert table.rows[1] == ("2", "Oster United", "41")


def test_gaps_that_are_not_as_wide_as_on_the_page() -> None:
    rows = [("Flow rate", "140 l/min"), ("Maximum depth", "8 m"), ("Weight", "9.4 kg"), ("Cable length", "10 m")]
    read = article_of_pdf(pdf([[*PROSE, "", *columns(rows, 0, 150), "", *PROSE]]), URL)
    assert "Flow rate | 140 l/min\nMaximum depth | 8 m\nWeight | 9.4 kg\nCable length | 10 m" in read.text


@pytest.mark.parametrize(
    "layout",
    [
        "\n".join(f"{PROSE[0]}      {PROSE[1]}" for _ in range(9)),
        "1.   Open the box\n2.   Take out the lamp\n3.   Close the box",
        "•    Open the box\n•    Take out the lamp\n•    Close the box",
        "Chapter 2    Lamps\n•    UTF8\n•    Numbers\n•    Sets",
        "Bridges                          Norr",
        "",
    ],
    ids=["columns of prose", "numbered list", "list", "list below a head", "one line", "nothing"],
)
def test_what_is_no_table(layout: str) -> None:
    assert tables_in(layout) == []


def test_a_table_whose_letters_stand_elsewhere_is_left_as_it_is() -> None:
    [table] = tables_in("Bridge    Length\nHeron     388 m\nPlover    96 m\n")
    assert with_tables("Bridges have lengths.", [table]) == ("Bridges have lengths.", [])
    assert with_tables("So: Bridge Heron Plover Length 388 m 96 m.", [table])[0] == (
        "So:\nBridge | Length\nHeron | 388 m\nPlover | 96 m\n."
    )


def test_damaged_and_huge_layouts_take_no_time() -> None:
    huge = "\n".join("a  " * 3_000 for _ in range(3_000))
    assert all(len(table.rows) <= 2_000 for table in tables_in(huge))
