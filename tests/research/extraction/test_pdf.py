"""Articles of PDFs."""

from __future__ import annotations

import itertools

import pytest

from oryn.errors import NoText
from oryn.research.extraction.pdf import article_of_pdf
from tests.research.pdfs import encrypted, pdf

URL = "https://example.org/papers/ferns%20and%20moss.pdf"

LONG = [
    "Ferns grow in the shade of large trees, over moss and among stones, where the ground is",
    "never quite dry. They have done so for more than three hundred million years, and their re-",
    "production through spores has hardly changed in all that time.",
    "A second paragraph begins here because the line before it was short and had ended, as the",
    "last lines of paragraphs do.",
]


def test_text_and_metadata() -> None:
    body = pdf(
        [LONG], Title="On Ferns", Author="Ada Lovelace", CreationDate="D:20240517120000Z", Lang="en-GB", Subject="Moss"
    )
    article = article_of_pdf(body, URL)
    assert (article.url, article.title, article.author, article.date) == (URL, "On Ferns", "Ada Lovelace", "2024-05-17")
    assert (article.language, article.description, article.kind, article.why) == ("en", "Moss", "pdf", "")
    assert article.text.split("\n") == [
        "Ferns grow in the shade of large trees, over moss and among stones, where the ground is never quite dry. They"
        " have done so for more than three hundred million years, and their reproduction through spores has hardly"
        " changed in all that time.",
        "A second paragraph begins here because the line before it was short and had ended, as the last lines of"
        " paragraphs do.",
    ]
    assert article.markdown == article.text.replace("\n", "\n\n")


@pytest.mark.parametrize("title", ["", "untitled", "Microsoft Word - draft 3.doc", "paper.dvi", "Document"])
def test_a_title_that_is_none(title: str) -> None:
    body = pdf([["Ferns: an Overview", "", *LONG]], Title=title)
    assert article_of_pdf(body, URL).title == "Ferns: an Overview"
    assert article_of_pdf(pdf([LONG], Title=title), URL).title == "ferns and moss.pdf"


def test_a_date_that_is_none() -> None:
    assert article_of_pdf(pdf([LONG], CreationDate="yesterday"), URL).date == ""


def test_running_heads_and_page_numbers() -> None:
    pages = [["Journal of Ferns", *LONG[:3], f"Page {number} of 4"] for number in range(1, 5)]
    assert "Journal" not in article_of_pdf(pdf(pages), URL).text
    assert "Page" not in article_of_pdf(pdf(pages), URL).text


def test_no_more_pages_than_asked_for() -> None:
    body = pdf([[f"This is page number {number}, which says little."] for number in range(6)])
    article = article_of_pdf(body, URL, pages=2)
    assert article.why == "the first 2 of 6 pages"
    assert "number 1" in article.text and "number 2" not in article.text


def test_no_more_time_than_asked_for() -> None:
    body = pdf([[f"This is page number {number}, which says little."] for number in range(6)])
    clock = itertools.count()
    assert article_of_pdf(body, URL, seconds=4, clock=lambda: next(clock)).why == "the first 3 of 6 pages"


def test_encrypted_for_everybody() -> None:
    assert "Ferns grow" in article_of_pdf(encrypted(pdf([LONG]), ""), URL).text


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (encrypted(pdf([LONG]), "secret"), "is an encrypted PDF: it wants a password"),
        (pdf([[], []]), "is a PDF of pictures: its 2 pages have no text"),
        (pdf([]), "is a PDF without pages, or a damaged one"),
        (b"%PDF-1.7\n", "is a PDF that can't be read"),
        (b"%PDF-1.7\n" + b"\xff\x00garbage" * 500, "is a PDF"),
        (pdf([LONG])[:200], "is a PDF"),
    ],
    ids=["encrypted", "pictures", "no-pages", "head", "garbage", "cut"],
)
def test_pdf_without_text_raises_no_text(body: bytes, said: str) -> None:
    with pytest.raises(NoText) as raised:
        article_of_pdf(body, URL)
    assert f"{URL} {said}" in raised.value.message


@pytest.mark.parametrize("seed", range(30))
def test_damaged_files_are_errors_of_ours_or_text(seed: int) -> None:
    body = bytearray(pdf([LONG, LONG], Title="x"))
    for place in range(seed * 7 % 40, len(body), 41):
        body[place] = (body[place] * 31 + seed) % 256
    try:
        article_of_pdf(b"%PDF-1.4" + bytes(body[8:]), URL)
    except NoText as error:
        assert URL in error.message
