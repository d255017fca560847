"""A crawl with a question reads first what promises to answer it."""

from __future__ import annotations

from pathlib import Path

import pytest

from oryn.research.crawling import CrawlOptions
from oryn.research.crawling.links import link_priorities, page_directives
from tests.research.crawling.memory_web import page
from tests.research.crawling.test_crawl import A, CrawlOutcome, crawl_pages

QUESTION = "How long is the Heron Bridge?"
OTHERS = "".join(f'<a href="/news/{name}">{name} in the news</a>' for name in ("a", "b", "c", "d", "e", "f"))
SITE = {
    A: f'{OTHERS}<a href="/crossings">Bridges of the Norr</a><a href="/trams">Trams</a>',
    f"{A}crossings": f'All of the bridges. <a href="/k">Kestrel</a><a href="/h">The Heron Bridge</a>{OTHERS}',
    f"{A}h": "The Heron Bridge has 388 m.",
    f"{A}k": "The Kestrel Bridge has 212 m.",
    f"{A}trams": "Trams cross the town.",
    **{f"{A}news/{name}": f"News of {name}." for name in ("a", "b", "c", "d", "e", "f")},
}


def best_first(pages: int, question: str = QUESTION, state: Path | None = None, after: int = 0) -> CrawlOutcome:
    return crawl_pages(SITE, options=CrawlOptions(question=question, pages=pages, per_host=1), state=state, after=after)


def test_the_answer_is_read_before_pages_that_are_nearer() -> None:
    assert best_first(4).urls[:3] == [A, f"{A}crossings", f"{A}h"]


def test_without_a_question_it_is_breadth_first() -> None:
    urls = best_first(0, "").urls
    assert urls[1:9] == [*(f"{A}news/{name}" for name in "abcdef"), f"{A}crossings", f"{A}trams"]


def test_everything_is_read_in_the_end() -> None:
    assert sorted(best_first(0).urls) == sorted(SITE)


def test_an_interrupted_crawl_goes_on_with_the_best(tmp_path: Path) -> None:
    state = tmp_path / "crawl.state"
    assert best_first(2, state=state).urls == [A, f"{A}crossings"]
    assert best_first(3, state=state, after=2).urls == [f"{A}h"]


def test_a_better_link_to_a_waiting_page_raises_it() -> None:
    site = {
        A: f'<a href="/x">more</a>{OTHERS}<a href="/bridges">bridges</a>',
        f"{A}bridges": '<a href="/x">the Heron Bridge</a>',
        f"{A}x": "Here.",
    }
    urls = crawl_pages(site, options=CrawlOptions(question=QUESTION, pages=3, per_host=1)).urls
    assert urls == [A, f"{A}bridges", f"{A}x"]


def test_texts_and_addresses_count_and_the_page_is_inherited() -> None:
    named = {f"{A}1": "Heron Bridge", f"{A}2": "Contact"}
    found = link_priorities(QUESTION, [f"{A}1", f"{A}2", f"{A}heron-bridge", f"{A}length"], named)
    assert found[f"{A}1"] == found[f"{A}heron-bridge"] > found[f"{A}length"] > found[f"{A}2"] == 0
    inherited = link_priorities(QUESTION, [f"{A}2"], named, "The Heron Bridge is here.")
    assert 0 < inherited[f"{A}2"] < found[f"{A}1"]
    assert link_priorities(" ", [f"{A}1"], named) == {}


def test_the_texts_of_links() -> None:
    html = '<a href="/x">One</a><a href="/x" title="again">two</a><a href="/y"><img alt="no"></a>'
    assert page_directives(page(A, html), "oryn").texts == {f"{A}x": "One two again"}


@pytest.mark.parametrize("question", ["?", "how is it", "橋の長さ"])
def test_questions_without_words_to_compare(question: str) -> None:
    assert sorted(best_first(0, question).urls) == sorted(SITE)
