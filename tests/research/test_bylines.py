"""An author is a name, and not the line that it stands in."""

from __future__ import annotations

import json

import pytest

from oryn.research.extractor import article_of_html, page_of_html
from oryn.research.structured_data.extraction import extract_data
from oryn.research.text.bylines import as_written, author_of

URL = "https://linden.example/oil"
TEXT = "<p>Linden oil is pressed from fruits that ripen in autumn and are gathered before the first frost.</p>" * 4
SCHEMA = {"type": "object", "properties": {"author": {"type": "string"}}}


def page(byline: str, head: str = "") -> str:
    return (
        f"<html lang=en><head><title>Oil</title>{head}</head><body><main><article><h1>Oil</h1>{byline}{TEXT}"
        "</article></main></body></html>"
    )


@pytest.mark.parametrize(
    ("byline", "name"),
    [
        ("By Ann Bee, 3 May 2024", "Ann Bee"),
        ("BY ANN BEE | MAY 3, 2024 | 5 MIN READ", "ANN BEE"),
        ("Written by Ann van der Bee on May 3, 2024", "Ann van der Bee"),
        ("Von Ann Bee · 3. Mai 2024", "Ann Bee"),
        ("Par Anne Abeille, le 3 août 2024", "Anne Abeille"),
        ("Posted by Ann Bee in Trees, June 2024", "Ann Bee"),
        ("Author: Ann Bee, 2024-05-03", "Ann Bee"),
        ("Ann Bee, Reporter, 3 May 2024 10:30", "Ann Bee"),
        ("Ann Bee and Carl Dee, May 3rd, 2024", "Ann Bee and Carl Dee"),
        ("Ann Bee (1931–2004)", "Ann Bee"),
        ("Ann Bee (ann@linden.example)", "Ann Bee"),
        ("May Holm", "May Holm"),
        ("bell hooks", "bell hooks"),
        ("Smith, John", "Smith, John"),
        ("3 May 2024 – Ann Bee", "Ann Bee"),
        ("Updated 3 May 2024", ""),
        ("https://social.example/ann", ""),
        ("", ""),
    ],
)
def test_a_byline_is_reduced_to_its_name(byline: str, name: str) -> None:
    assert author_of(byline) == name


@pytest.mark.parametrize(
    ("head", "byline", "author"),
    [
        ('<meta name="author" content="bell hooks">', '<p class="byline">By Bell Hooks, 3 May 2024</p>', "bell hooks"),
        ('<meta name="author" content="Ann Bee">', '<div class="author">By A. B. · 3 May 2024</div>', "Ann Bee"),
        ('<meta name="author" content="https://a.example/ann">', '<p class="author">By Ann Bee, 3 May</p>', "Ann Bee"),
        ("", '<div class="author">By Ann Bee · 3 May 2024</div>', "Ann Bee"),
        ("", '<p>Author: Ann Bee, 2024-05-03</p>', "Ann Bee"),
        ("", '<p><a rel="author" href="/ann">Ann Bee</a> <time>3 May 2024</time></p>', "Ann Bee"),
        ("", '<p class="author">Updated 3 May 2024</p>', None),
    ],
)  # fmt: skip
def test_a_schema_takes_the_name_alone(head: str, byline: str, author: str | None) -> None:
    found = extract_data(page_of_html(page(byline, head), URL), SCHEMA)
    assert found.data == {"author": author}


def test_names_keep_their_capitals() -> None:
    declared = article_of_html(page("", '<meta name="author" content="bell hooks">'), URL)
    shown = article_of_html(page('<span class="author">danah boyd</span>'), URL)
    data = json.dumps(
        {
            "@context": "https://schema.org",
            "@type": "Article",
            "author": {"@type": "Person", "name": "adrienne maree brown"},
        }
    )
    named = article_of_html(page("", f'<script type="application/ld+json">{data}</script>'), URL)
    assert (declared.author, shown.author, named.author) == ("bell hooks", "danah boyd", "adrienne maree brown")
    months = article_of_html(page('<p class="author">By Ann Bee and Carl Dee, May 3rd, 2024</p>'), URL)
    assert months.author == "Ann Bee; Carl Dee"
    assert as_written("Ann Bee", ["ann bee", "Ann  Bee"]) == "Ann Bee"
    assert as_written("Ann Bee", ["elsewhere"]) == "Ann Bee"
