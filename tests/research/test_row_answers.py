"""Rows of tables, definition lists and properties answer questions, with what they are about."""

from __future__ import annotations

import pytest
from lxml.html import HtmlElement

from benchmarks.row_answers import answer, is_right
from benchmarks.row_pages import RowQuestion, definitions, document, json_ld, labelled_divs, table_of_things
from benchmarks.row_pages.development import DEVELOPMENT
from oryn.research.documents import Article, Passage
from oryn.research.embedding import Embedder
from oryn.research.extractor import article_of_html
from oryn.research.graph.heuristic import heuristic_outline
from oryn.research.html.tree import parse_html
from oryn.research.passages.row_places import placed_rows
from oryn.research.passages.splitter import passages
from oryn.research.report.report import build_report
from oryn.research.report.summary import summarize
from oryn.research.structured_data.rows import MAX_ROWS, rows_of


def parsed(html: str) -> HtmlElement:
    tree = parse_html(html)
    assert tree is not None
    return tree


URL = "https://norr.example/bridges"
PROSE = "The river is crossed at many places, and each of the bridges has a keeper who lives beside it."


def article(body: str, head: str = "") -> Article:
    return article_of_html(document("Bridges of the Norr", body, prose=PROSE, head=head), URL)


def test_rows_of_a_table_of_things_have_thing_and_label() -> None:
    things = [["Heron Bridge", "388 m", "1931"], ["Plover", "96 m", "1874"]]
    rows = article(table_of_things(["Bridge", "Length", "Opened"], things)).rows
    assert {"Heron Bridge | Length | 388 m", "Plover | Opened | 1874"} <= set(rows)


def test_definitions_and_labelled_divs_are_rows() -> None:
    rows = article(definitions([("Keeper", "A. Holm")]) + labelled_divs([("Toll", "2 €"), ("Clearance", "12 m")])).rows
    assert {"Keeper | A. Holm", "Toll | 2 €", "Clearance | 12 m"} <= set(rows)


def test_what_is_a_line_of_the_text_is_no_second_row() -> None:
    read = article("<table><tr><th>Length</th><td>388 m</td></tr><tr><th>Width</th><td>14 m</td></tr></table>")
    assert "Length | 388 m" in read.text
    assert not any("388" in row for row in read.rows)


def test_bylines_and_paragraphs_below_headings_are_no_rows() -> None:
    body = definitions([("Written by", "A. Holm")]) + "<div><h2>Life</h2><p>It is painted every ten years.</p></div>"
    assert article(body).rows == ()


def test_json_ld_without_visible_rows() -> None:
    data = {
        "@type": "Product",
        "name": "K2 kettle",
        "weight": {"@type": "QuantitativeValue", "value": 1.2, "unitText": "kg"},
        "offers": {"price": "39.00", "priceCurrency": "EUR", "availability": "https://schema.org/InStock"},
        "additionalProperty": [{"@type": "PropertyValue", "name": "Capacity", "value": "1.7", "unitText": "l"}],
        "image": "https://norr.example/k2.png",
    }
    assert set(article("", json_ld(data)).rows) == {
        "K2 kettle | Weight | 1.2 kg",
        "K2 kettle | Price | 39.00 EUR",
        "K2 kettle | Availability | InStock",
        "K2 kettle | Capacity | 1.7 l",
    }


@pytest.mark.parametrize(
    "bad", ["[" * 5000, '{"name": {"name": {"name": []}}}', "null", '{"name": "A", "x": [[[[[1]]]]]}']
)
def test_json_ld_of_no_use(bad: str) -> None:
    assert article("", f'<script type="application/ld+json">{bad}</script>').rows == ()


def test_a_long_table_is_a_listing_and_gives_no_rows() -> None:
    things = [[f"Bridge {number}", f"{number} m", str(1800 + number)] for number in range(2, 120)]
    page = document("Bridges of the Norr", table_of_things(["Bridge", "Length", "Opened"], things), prose=PROSE)
    assert rows_of(parsed(page), "") == ()


@pytest.mark.slow
@pytest.mark.parametrize(
    "html",
    [
        "<table>" + "".join(f"<tr><td>Key {each % 50}<td>v {each}" for each in range(50_000)) + "</table>",
        "<dl>" + "".join(f"<dt>Key {each % 50}</dt><dd>v {each}</dd>" for each in range(30_000)) + "</dl>",
        "<dl>" * 200 + "<dt>a<dd>b" * 3_000,
    ],
    ids=["table", "definitions", "nested lists"],
)
def test_huge_pages_have_a_bounded_number_of_rows(html: str) -> None:
    """A heading that was looked for once per row took 20 seconds."""
    assert 0 < len(rows_of(parsed(html), "")) <= MAX_ROWS


def test_passages_have_a_table_once(embedder: Embedder) -> None:
    """Its rows are places in the text, which has no line that the page does not have."""
    table = table_of_things(["Bridge", "Length"], [["Heron Bridge", "388 m"], ["Plover Bridge", "96 m"]])
    read = article(definitions([("Keeper", "A. Holm")]) + table)
    [cut] = passages(read, count=embedder.count, limit=embedder.limit)
    assert cut.text == read.text
    assert cut.headers == ("Bridge | Length",)
    assert {(row.subject, row.label, cut.text[row.begin : row.end]) for row in cut.rows} == {
        ("", "Keeper", "A. Holm"),
        ("Heron Bridge", "Length", "388 m"),
        ("Plover Bridge", "Length", "96 m"),
    }


def test_passages_have_the_rows_for_programs_after_the_text(embedder: Embedder) -> None:
    read = article("", json_ld({"@type": "Product", "name": "K2 kettle", "weight": "1.2 kg"}))
    text = placed_rows(read).text
    cut = passages(read, count=embedder.count, limit=embedder.limit)
    assert all(text[each.begin : each.end] == each.text for each in cut)
    assert "K2 kettle | Weight | 1.2 kg" in cut[-1].text and cut[-1].rows == ()


def test_equal_values_of_several_things_have_their_own_places(embedder: Embedder) -> None:
    things = [["Heron", "12 m", "12 m"], ["Plover", "12 m", "7 m"]]
    [cut] = passages(
        article(table_of_things(["Bridge", "Width", "Height"], things)), count=embedder.count, limit=embedder.limit
    )
    assert len({(row.begin, row.end) for row in cut.rows}) == 4
    for row in cut.rows:
        line = cut.text[cut.text.rfind("\n", 0, row.begin) + 1 :].partition("\n")[0]
        assert line.startswith(row.subject)


@pytest.mark.parametrize("sample", DEVELOPMENT, ids=lambda sample: sample.question)
def test_questions_find_the_row(embedder: Embedder, sample: RowQuestion) -> None:
    assert is_right(sample, answer(sample, embedder)[0])


def passage(title: str, text: str) -> Passage:
    url = f"https://norr.example/{title.replace(' ', '-')}"
    return Passage(id=title, url=url, title=title, text=text, end=len(text))


HERON = passage("Heron Bridge", "The Heron Bridge has carried trams since the spring of 1931.\nLength | 388 m")
KESTREL = passage(
    "Kestrel Bridge",
    "The Kestrel Bridge is 212 m long and carries the railway.\nLength | 212 m\nIt is the longest bridge for trains.",
)


def test_a_sentence_about_another_thing_is_not_taken_for_this_one(embedder: Embedder) -> None:
    found = summarize([KESTREL, HERON], "How long is the Heron Bridge?", embedder=embedder, sentences=6)
    assert {each.passage for each in found} == {"Heron Bridge"}
    assert ("Heron Bridge", "Length | 388 m") in [(each.subject, each.text) for each in found]


@pytest.mark.parametrize("entity", ["Heron Bridge", "heron bridge"])
def test_a_sentence_about_another_thing_is_not_filed_under_this_one(entity: str) -> None:
    stated = [each.text for category in heuristic_outline(entity, [HERON, KESTREL]) for each in category.statements]
    assert "Length: 388 m" in stated
    assert not any("212" in text for text in stated)


def test_the_report_shows_the_row_with_its_subject(embedder: Embedder) -> None:
    summary = summarize([HERON], "How long is the Heron Bridge?", embedder=embedder, sentences=1)
    report = build_report("How long is the Heron Bridge?", summary, [HERON], [HERON], {})
    assert r"Heron Bridge: Length \| 388 m [\[1\]](#p1)" in report.markdown
    assert "<p>Heron Bridge: Length | 388 m <span" in report.html


def test_a_row_that_only_its_subject_relates_to_the_question_is_left_out(embedder: Embedder) -> None:
    fern = passage("Tarrow buckler fern", "The Tarrow buckler fern spreads with the wind.\nStatus | protected")
    found = summarize([fern], "How does the Tarrow buckler fern spread?", embedder=embedder, sentences=6)
    assert [each.text for each in found] == ["The Tarrow buckler fern spreads with the wind."]
