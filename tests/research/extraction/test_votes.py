"""What other ways to find the main text choose of a page: at what cost, and without a trace in the page."""

from __future__ import annotations

from pathlib import Path

import pytest
import trafilatura
from lxml.html import HtmlElement, tostring

from oryn.research.extraction import votes
from oryn.research.extraction.content import content_of
from oryn.research.extraction.declarations import Declarations
from oryn.research.extraction.segments import PageSegments
from oryn.research.extraction.votes import MAX_CHARACTERS, TextCoverage, candidates_of, words_of
from oryn.research.html.tree import parse_html

PAGES = sorted((Path(__file__).parent / "pages").glob("*.html"))
SENTENCE = "The harbour froze over in January, and the ferries stayed at the quay for eleven days, said the master. "
HEAD = (
    "<html><head><title>Harbour</title><link rel=stylesheet href=/a.css><style>p { color: red }</style>"
    '<script>var a = "<p>b</p>"</script>'
)


def opened(html: str) -> HtmlElement:
    tree = parse_html(html)
    assert tree is not None
    return tree


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_trafilatura_finds_the_same_without_scripts_and_styles_and_the_page_keeps_them(page: Path) -> None:
    html = page.read_text("utf-8")
    html = html.replace("<body", f"{HEAD}<body", 1) if "<body" in html else HEAD + html
    tree = opened(html)
    before = tostring(tree)
    found = candidates_of(tree, Declarations(tree), PageSegments(tree))
    assert tostring(tree) == before and b"color: red" in before
    alone = trafilatura.bare_extraction(opened(html), include_comments=True, deduplicate=False, with_metadata=False)
    assert (found.trafilatura, found.comments) == (getattr(alone, "text", ""), getattr(alone, "comments", None) or "")


def test_a_thread_is_recognised_by_its_json_ld() -> None:
    said = '<script type="application/ld+json">{"@type": "DiscussionForumPosting"}</script>'
    posts = "".join(f"<div class='comment'><p>{SENTENCE} {number}</p></div>" for number in range(4))
    tree = opened(f"<html><head>{said}</head><body><div id='comments'>{posts}</div></body>")
    found = candidates_of(tree, Declarations(tree), PageSegments(tree))
    assert SENTENCE.strip() in found.trafilatura and not found.comments


def test_a_page_of_very_long_paragraphs_is_read_without_trafilatura(monkeypatch: pytest.MonkeyPatch) -> None:
    read = []

    def recorded(tree: HtmlElement) -> tuple[str, str]:
        read.append(tree)
        return "", ""

    monkeypatch.setattr(votes, "_by_trafilatura", recorded)
    paragraph = f"<p>{SENTENCE * 200}</p>"
    small, large = (f"<body>{paragraph * count}</body>" for count in (2, MAX_CHARACTERS // len(paragraph) + 2))
    content_of(opened(small))
    assert len(read) == 1
    found = content_of(opened(large))
    assert len(read) == 1
    assert len(found.blocks) == large.count("<p>") and not found.why


class CountingText(str):
    """A text that counts how often it is searched."""

    searches = 0

    def find(self, *arguments: object) -> int:  # type: ignore[override]
        type(self).searches += 1
        return super().find(*arguments)  # type: ignore[arg-type]


def test_a_segment_with_words_that_the_text_has_in_no_such_order_is_not_looked_for() -> None:
    coverage = TextCoverage(SENTENCE * 3)
    coverage._text = CountingText(coverage._text)
    foreign = [words_of(f"{SENTENCE} Nobody skated on page {number}.") for number in range(50)]
    shares = coverage.shares([words_of(SENTENCE), *foreign])
    assert CountingText.searches == 1
    assert shares[0] == 1 and all(0 < share < 1 for share in shares[1:])
