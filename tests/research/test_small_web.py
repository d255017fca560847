"""The demo's small web: what is asked of it stands where it should, and the real parts can read it."""

from __future__ import annotations

import urllib.request
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest

from oryn.research.documents import FetchedPage
from oryn.research.extractor import read
from oryn.research.fetching.content_type import kind_of
from oryn.research.html.js_shell import js_shell_reason
from oryn.research.search.client import SearchResponse
from oryn.research.search.engines.duckduckgo import read as results_of
from scripts.small_web.questions import QUESTIONS, Question
from scripts.small_web.server import Served
from scripts.small_web.sites import SITES, SmallWeb

WEB = SmallWeb()


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with Served() as served:
        yield served


def fetched(url: str, form: dict[str, str] | None = None) -> FetchedPage:
    data = urlencode(form).encode() if form else None
    with urllib.request.urlopen(urllib.request.Request(url, data)) as reply:
        body = reply.read()
        kind = reply.headers["Content-Type"]
    return FetchedPage(
        url=url,
        requested=url,
        status=200,
        content_type=kind,
        body=body,
        sha256="",
        fetched_at="",
        charset=kind.partition("charset=")[2],
    )


def test_it_has_hundreds_of_pages_on_several_sites() -> None:
    assert len(WEB.articles) == len(WEB.by_place) > 350
    assert {article.site for article in WEB.articles} == set(SITES)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.about)
def test_an_answer_stands_on_one_page_and_its_copies(question: Question) -> None:
    having = [article for article in WEB.articles if question.answer in article.text]
    assert {article.canonical or article for article in having} == {WEB.about(question.about)}


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.about)
def test_the_search_page_finds_it_and_its_page_can_be_read(question: Question, served: Served) -> None:
    answer = fetched(served.search_url, {"q": question.text})
    hits, following = results_of(SearchResponse(200, answer.body.decode()), served.search_url)
    wanted = served.url_of(WEB.about(question.about))
    assert wanted in [hit.url for hit in hits][:8]
    assert len(hits) == 10 and following["s"] == "10"
    page = fetched(wanted)
    if wanted.startswith(served.home("harbours")):
        assert js_shell_reason(page.body)
        home = served.home("harbours")
        assert question.answer in fetched(f"{home}data/{wanted.removeprefix(home)}.json").body.decode()
    else:
        assert question.answer in " ".join(read(page).text.split())


def test_a_word_that_no_page_has_is_found_nowhere(served: Served) -> None:
    answer = fetched(served.search_url, {"q": "xylophone"})
    assert results_of(SearchResponse(200, answer.body.decode()), served.search_url) == ([], {})


@pytest.mark.parametrize("name", SITES)
def test_every_page_of_a_site_is_served_and_can_be_read(name: str, served: Served) -> None:
    for article in WEB.of(name)[:6]:
        page = fetched(served.url_of(article))
        assert served.article_at(page.url) == article
        assert kind_of(page.content_type, page.body) == ("pdf" if article.pdf else "html")
        if name != "harbours":
            text = " ".join(read(page).text.split())
            assert article.paragraphs[1].rpartition(": ")[2] in text


def test_a_site_tells_programs_what_it_has(served: Served) -> None:
    home = served.home("gazette")
    assert f"Sitemap: {home}sitemap.xml" in fetched(f"{home}robots.txt").body.decode()
    sitemap = fetched(f"{home}sitemap.xml").body.decode()
    assert sitemap.count("<loc>") == len(WEB.of("gazette"))
    assert fetched(f"{home}feed.xml").body.decode().count("<item>") == 20
    assert fetched(home).body.decode().count("<li>") == len(WEB.of("gazette"))
