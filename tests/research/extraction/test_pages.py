"""What is found on small pages, each of which shows one trap; and on real ones, where those are there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from lxml.html import tostring

from benchmarks.extraction_scores import SnippetScore, means, score
from oryn.research.extraction import article_of, main_text
from oryn.research.extraction.content import chosen_segments, whole_elements
from oryn.research.extraction.layout import PageLayout
from oryn.research.extraction.segments import PageSegments
from oryn.research.extraction.structure import StructureReader
from oryn.research.html.tree import parse_html
from scripts.content_model.collections import marked_pages
from scripts.content_model.variants import without_names
from tests.research.extraction import floors

ROOT = Path(__file__).parents[3]
PAGES = sorted((Path(__file__).parent / "pages").glob("*.html"))
REAL = ROOT.parent / "shared" / "evals" / "public"

real = pytest.mark.skipif(not (REAL / "extraction").is_dir(), reason="the evaluation pages are not on this machine")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_words_of_the_article_and_no_others(page: Path) -> None:
    expected = page.with_suffix(".txt").read_text("utf-8").rstrip("\n")
    assert main_text(page.read_bytes()) == expected
    assert article_of(page.read_text("utf-8"), "https://linden.example/harbour").text == expected


@pytest.mark.parametrize(("kind", "without"), [("article", True), ("service", False)])
def test_the_headline_of_an_article_is_the_title_and_not_a_part_of_the_text(kind: str, without: bool) -> None:
    story = "".join(f"<p>{line}</p>" for line in PAGES[0].with_suffix(".txt").read_text("utf-8").splitlines())
    tree = parse_html(f"<title>Harbour freezes over</title><body><h1>Harbour freezes over</h1>{story}</body>")
    assert tree is not None
    page = PageSegments(tree)
    chosen = chosen_segments(PageLayout(page, tree), np.ones(len(page.segments), dtype=np.float32), kind)
    assert chosen.tolist() == [not without, *[True] * (len(page.segments) - 1)]


TABLE = "<table><tr><td>Ice</td><td>7 cm</td></tr><tr><td>Wind</td><td>3 m/s</td></tr></table>"


@pytest.mark.parametrize(
    ("body", "left", "whole"),
    [
        (f"<p>It froze.</p><figure><div>{TABLE}</div></figure><p>It thawed.</p>", "Ice 7 Wind 3", True),
        (f"<div><p>It froze.</p></div><div>{TABLE}</div><div><p>It thawed.</p></div>", "Ice 7 Wind 3", True),
        (f"<div><p>It froze.</p></div><div>{TABLE}<p>It thawed.</p></div>", "Ice 7 Wind 3", False),
        (f"<p>It froze.</p>{TABLE}<p>It thawed.</p>", "Ice 7 Wind 3 thawed", False),
        ("<p>It froze.</p><pre>pier --open</pre><div><p>It thawed.</p></div>", "pier", True),
        ("<p>It froze.</p><pre>pier --open</pre><div><p>It thawed.</p></div>", "pier thawed", False),
    ],
    ids=["figure", "sides", "one side", "end", "code", "code at the end"],
)
def test_tables_and_code_within_the_text_are_part_of_it(body: str, left: str, whole: bool) -> None:
    tree = parse_html(f"<body>{body}</body>")
    assert tree is not None
    page = PageSegments(tree)
    kept = np.array([not any(word in segment.text for word in left.split()) for segment in page.segments])
    expected = np.ones(len(kept), dtype=bool) if whole else kept
    assert whole_elements(StructureReader(page), page, kept).tolist() == expected.tolist()


@real
def test_the_floor_on_real_pages() -> None:
    scores = [score(page.text or "", main_text(page.html())) for page in marked_pages(REAL)]
    assert means(scores)[0] >= floors.F1


@real
def test_the_floor_on_real_pages_without_names() -> None:
    scores = []
    for page in marked_pages(REAL):
        tree = parse_html(page.html())
        assert tree is not None
        without_names(tree)
        scores.append(score(page.text or "", main_text(tostring(tree, encoding="unicode"))))
    assert means(scores)[0] >= floors.F1_WITHOUT_NAMES


def test_the_benchmark_scores_words_in_order() -> None:
    assert score("a b c d e", "a b c d e") == (1.0, 1.0)
    assert score("a b c d e", "a b c d") == (1.0, 0.5)
    assert score("a b c d", "") == (None, 0.0)
    assert means([(1.0, 0.5), (None, 0.0)]) == (0.4, 1.0, 0.25)


def test_the_benchmark_finds_snippets_by_characters_and_by_words() -> None:
    snippets = SnippetScore()
    snippets.add("It isn’t thick,\nthe ice.", ["the ice", "It isn't thick", "- the ice", "the wind"], ["thick, the"])
    assert snippets.f1() == 2 / 5
    assert snippets.f1(" by words") == 6 / 8
    assert str(snippets) == "snippets F1 0.4000 (by words 0.7500)"
    assert not SnippetScore()
