"""Articles of what is text already."""

from __future__ import annotations

import pytest

from oryn.errors import NoText
from oryn.research.extraction.plain_text import article_of_text, fenced

URL = "https://example.org/notes/ferns.txt"


def test_plain_text() -> None:
    article = article_of_text("On Ferns\r\n\r\n\r\n\r\nThey grow.   \r\nSlowly.\n\n", URL)
    assert (article.title, article.kind) == ("On Ferns", "text")
    assert article.text == article.markdown == "On Ferns\n\nThey grow.\nSlowly."


def test_a_long_first_line_is_no_title() -> None:
    assert article_of_text("word " * 50, URL).title == "ferns.txt"
    assert article_of_text("word " * 50, "https://example.org/").title == "example.org"


@pytest.mark.parametrize(
    ("text", "url", "content_type", "title"),
    [
        ("intro\n\n# On *Ferns* #\n\ntext", URL, "text/markdown", "On *Ferns*"),
        ("On Ferns\n========\n\ntext", "https://example.org/README.md", "text/plain", "On Ferns"),
        ("just text", "https://example.org/README.md", "text/plain", "README.md"),
    ],
)
def test_markdown(text: str, url: str, content_type: str, title: str) -> None:
    article = article_of_text(text, url, content_type)
    assert (article.title, article.markdown) == (title, text)


def test_json() -> None:
    article = article_of_text('{"title": "On Ferns", "n": [1, "ä"]}', URL, "application/json; charset=utf-8")
    assert article.title == "On Ferns"
    assert article.text == '{\n  "title": "On Ferns",\n  "n": [\n    1,\n    "ä"\n  ]\n}'
    assert article.markdown == f"```json\n{article.text}\n```"


@pytest.mark.parametrize("text", ["{broken", "[" * 100_000, '{"title": 7}', "[1]", '{"title": " "}'])
def test_json_that_is_none_or_has_no_title(text: str) -> None:
    assert article_of_text(text, URL, "application/vnd.api+json").title == "ferns.txt"


def test_what_is_for_programs_is_fenced() -> None:
    assert article_of_text("a,b\n1,2", URL, "text/csv").markdown == "```csv\na,b\n1,2\n```"
    assert article_of_text("<rss/>", URL, "application/rss+xml").markdown == "```xml\n<rss/>\n```"


def test_fences_are_longer_than_what_is_inside() -> None:
    assert fenced("a ```` b") == "`````\na ```` b\n`````"


@pytest.mark.parametrize("text", ["", " \n\t\r\n"])
def test_nothing(text: str) -> None:
    with pytest.raises(NoText, match="is empty"):
        article_of_text(text, URL)
