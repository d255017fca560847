"""Pages that are too large, too deep or not what they say become an article, data or a clear error, which say what is
in doubt. Sizes are just beyond the limits; a step that takes time with the square of them would not end in time."""

from __future__ import annotations

import json
from typing import Any

import pytest

from oryn.research.documents import Article, FetchedPage
from oryn.research.extraction.content import MAX_SEGMENTS
from oryn.research.extraction.metadata import MAX_ELEMENTS
from oryn.research.extractor import read
from oryn.research.fetching.charset import charset_of
from oryn.research.structured_data import PageData, read_data
from oryn.research.structured_data.extraction import MAX_BODY_BYTES, DataRequest

STORY = "<h1>Harbour</h1>" + 3 * (
    "<p>The harbour froze over in January, and the ferries stayed at the quay for eleven days, said the master.</p>"
)
THINGS = {
    "type": "object",
    "properties": {"isbn": {"type": "string"}, "items": {"type": "array", "items": {"type": "object", "properties": {
        "sku": {"type": "string"}, "price": {"type": "number"}}}}},
}  # fmt: skip
ATTRIBUTES = f"<p {' '.join(f'a{number}=1' for number in range(100_000))}>{STORY}"
PRODUCTS = [{"@type": "Product", "name": f"P{number}", "description": "words " * 20} for number in range(40_000)]
JSON_LD = f'<script type="application/ld+json">{json.dumps(PRODUCTS)}</script>{STORY}'
SHADOWS = '<my-card><template shadowrootmode="open">' * 3_000 + STORY


def page(body: str | bytes, content_type: str = "text/html; charset=utf-8") -> FetchedPage:
    raw = body.encode() if isinstance(body, str) else body
    url, charset = "https://harbour.example/", charset_of(raw, content_type)
    return FetchedPage(url, url, 200, content_type, raw, "", "2026-11-22T12:00:00Z", charset)


def article(body: str | bytes, content_type: str = "text/html; charset=utf-8") -> Article:
    return read(page(body, content_type))


def data(body: str | bytes, schema: dict[str, Any] = THINGS) -> PageData:
    return read_data(DataRequest(**page(body).values(), schema=schema))


@pytest.mark.parametrize("body", [ATTRIBUTES, JSON_LD, SHADOWS], ids=["attributes", "JSON-LD", "shadow templates"])
def test_the_text_is_found_and_nothing_is_invented(body: str) -> None:
    assert "froze over" in article(body).text
    found = data(body, {"type": "object", "properties": {"isbn": {"type": "string"}, "harvest": {"type": "number"}}})
    assert found.data == {"isbn": None, "harvest": None} and set(found.missing) == {"/isbn", "/harvest"}


@pytest.mark.slow
def test_of_a_huge_page_the_beginning_is_read_and_that_is_said() -> None:
    found = article(STORY + f"<p>{'This is some more of it, and on it goes. ' * 6}</p>" * 2 * MAX_SEGMENTS)
    assert found.text.startswith("Harbour\nThe harbour froze over")
    assert found.why.startswith("only the first 5,000,000 characters of the page; all text of its ")
    assert f"only the first {MAX_BODY_BYTES} bytes of the page were read" in data(STORY + "x" * MAX_BODY_BYTES).doubts


@pytest.mark.slow
def test_of_a_page_of_very_many_elements_all_text_is_used_and_the_head_is_read() -> None:
    head = '<title>Harbour | News</title><meta name="author" content="Ann Bee"><meta name="date" content="2026-01-09">'
    found = article(head + STORY + "<div><b>x</b><a href=/y>y</a></div>" * max(MAX_ELEMENTS // 3, MAX_SEGMENTS))
    assert (found.author, found.date) == ("Ann Bee", "2026-01-09")
    assert "froze over" in found.text and "more than are analysed" in found.why


@pytest.mark.slow
def test_a_table_of_very_many_rows_is_text() -> None:
    rows = "".join(f"<tr><td>Nr {number}</td><td>{number}.50</td></tr>" for number in range(MAX_SEGMENTS // 2 + 1))
    found = article(f"{STORY}<table><tr><th>SKU<th>Price</tr>{rows}</table>")
    assert "froze over" in found.text and "| Nr 77 | 77.50 |" in found.markdown and found.why


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (f'<meta charset="utf-16">{STORY}é, fin'.encode("latin-1"), "text/html; charset=utf-16"),
        (b"\xff\xfe" + STORY.encode(), "text/html"),
        (b"\xfe\xff<!doctype html>" + f"{STORY}é, fin".encode("latin-1"), "text/html; charset=utf-16be"),
        (f"{STORY}é, fin".encode(), "text/html; charset=ascii"),
        (f"{STORY}é, fin".encode("utf-16"), "text/html; charset=utf-8"),
    ],
)
def test_a_page_in_another_charset_than_it_says_is_read(body: bytes, content_type: str) -> None:
    found = article(body, content_type)
    assert "froze over" in found.text and "\ufffd" not in found.text
