"""DuckDuckGo's page: results, more of them, none, the test for humans, and what is none of these."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from oryn.errors import FetchFailed, SearchChanged, SearchRefused
from oryn.research.documents import Hit
from oryn.research.search.client import SearchResponse as Answer
from oryn.research.search.engines.duckduckgo import DuckDuckGo, read, unwrapped
from tests.research.search.fake_engine import search_client
from tests.research.server import ReceivedRequest, Reply, Site

PAGES = Path(__file__).parent / "pages"


def page(name: str) -> str:
    return (PAGES / f"duckduckgo-{name}.html").read_text("utf-8")


def in_turn(*names: str, status: int = 200) -> Callable[[ReceivedRequest], Reply]:
    """One page after the other."""
    replies = iter([Reply(page(name), status=status) for name in names])
    return lambda asked: next(replies)


HITS = [
    Hit(
        url="https://botany.example/ferns?page=1&part=spores",
        title="How ferns make spores & more",
        snippet="Spores grow in sori below the fronds — no seeds.",
        provider="duckduckgo",
        rank=1,
    ),
    Hit(url="https://direct.example/fern", title="A link without a redirect", provider="duckduckgo", rank=2),
    Hit(
        url="https://de.example/Farne/Spore%C3%BC",
        title="Über Farne",
        snippet="Sporen von Farnen.",
        provider="duckduckgo",
        rank=3,
    ),
]


async def test_results_are_read_without_redirects_and_advertisements(site: Site) -> None:
    url = site.put("/html/", in_turn("results"))
    async with search_client() as client:
        assert await DuckDuckGo(client, url).search("fern spores", 3) == HITS
    assert [asked.method for asked in site.requests] == ["POST"]
    assert parse_qs(site.requests[0].body.decode(), keep_blank_values=True) == {
        "q": ["fern spores"],
        "b": [""],
        "kl": ["wt-wt"],
    }
    assert site.requests[0].headers["user-agent"] == "oryn-test"


async def test_fewer_than_there_are_are_cut(site: Site) -> None:
    url = site.put("/html/", in_turn("results"))
    async with search_client() as client:
        assert await DuckDuckGo(client, url).search("fern spores", 1) == HITS[:1]


async def test_the_next_page_is_asked_for_with_what_the_first_one_gives(site: Site) -> None:
    url = site.put("/html/", in_turn("results", "last"))
    async with search_client() as client:
        hits = await DuckDuckGo(client, url).search("fern spores", 30)
    assert hits[:3] == HITS
    assert [(hit.url, hit.rank) for hit in hits[3:]] == [("http://last.example/", 4)]
    asked = {name: values[0] for name, values in parse_qs(site.requests[1].body.decode()).items()}
    assert asked == {
        "q": "fern spores",
        "s": "10",
        "v": "l",
        "o": "json",
        "dc": "11",
        "api": "d.js",
        "vqd": "4-123456789",
        "kl": "wt-wt",
    }


async def test_a_second_page_that_is_refused_leaves_the_first(site: Site) -> None:
    url = site.put("/html/", in_turn("results", "challenge"))
    async with search_client() as client:
        assert await DuckDuckGo(client, url).search("fern spores", 30) == HITS


@pytest.mark.parametrize("status", [200, 202])
async def test_no_results_are_none_whatever_the_status(site: Site, status: int) -> None:
    url = site.put("/html/", in_turn("none", status=status))
    async with search_client() as client:
        assert await DuckDuckGo(client, url).search("zzxqj", 10) == []


@pytest.mark.parametrize("status", [200, 202, 403])
async def test_the_test_for_humans_is_a_refusal(site: Site, status: int) -> None:
    url = site.put("/html/", in_turn("challenge", status=status))
    async with search_client() as client:
        with pytest.raises(SearchRefused, match="duckduckgo wants to know whether a human asks") as caught:
            await DuckDuckGo(client, url).search("fern spores", 10)
    assert (
        caught.value.hint
        == "Wait and try again, or use another source: --source wikipedia, or --source index for pages read before."
    )


@pytest.mark.parametrize(
    ("status", "says"),
    [
        (202, r"duckduckgo refused the search: no results \(202\)"),
        (403, r"duckduckgo refused the search: access is forbidden \(403\)"),
        (429, r"duckduckgo refused the search: too many requests \(429\)"),
    ],
)
@pytest.mark.parametrize("body", ["", "<p>Sorry</p>"])
def test_a_status_that_refuses_is_a_refusal(status: int, says: str, body: str) -> None:
    with pytest.raises(SearchRefused, match=says):
        read(Answer(status, body))


@pytest.mark.parametrize("body", ["", " ", "<p>Hello</p>", page("another"), '{"results": []}'])
def test_a_page_that_is_none_of_these_is_never_an_empty_success(body: str) -> None:
    with pytest.raises(SearchChanged, match=r"duckduckgo answered with a page without results \(status 200\)"):
        read(Answer(200, body))


async def test_a_search_that_is_sent_elsewhere_is_told(site: Site) -> None:
    url = site.put("/html/", Reply(status=303, headers={"Location": "https://example.org/!w"}))
    async with search_client() as client:
        with pytest.raises(SearchChanged, match=r"sent the search to 'https://example\.org/!w'"):
            await DuckDuckGo(client, url).search("!w ferns", 10)
    assert len(site.requests) == 1


async def test_a_query_that_is_too_long_is_not_sent(site: Site) -> None:
    async with search_client() as client:
        with pytest.raises(SearchRefused, match="at most 499 characters, this query has 500"):
            await DuckDuckGo(client, site.url("/html/")).search("f" * 500, 10)
    assert not site.requests


async def test_a_provider_that_does_not_answer_is_told(site: Site) -> None:
    url = site.put("/html/", Reply("x", cut=-1))
    async with search_client() as client:
        with pytest.raises(FetchFailed, match=r"no answer from duckduckgo at 127\.0\.0\.1") as caught:
            await DuckDuckGo(client, url).search("ferns", 10)
    assert caught.value.again


async def test_a_page_without_an_end_is_cut_off(site: Site) -> None:
    url = site.put("/html/", Reply(pieces=(b"x" * 1_000_000 for _ in range(50))))
    async with search_client() as client:
        with pytest.raises(SearchChanged, match="more than 4 MB"):
            await DuckDuckGo(client, url).search("ferns", 10)


@pytest.mark.parametrize(
    ("link", "target"),
    [
        ("//duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example%2F%3Fx%3D1%26y&rut=1", "https://a.example/?x=1&y"),
        ("/l/?kh=-1&uddg=http%3A%2F%2Fa.example%2F", "http://a.example/"),
        ("https://a.example/l", "https://a.example/l"),
        ("https://a.example/l/?uddg=https%3A%2F%2Fb.example", "https://a.example/l/?uddg=https%3A%2F%2Fb.example"),
        ("https://a.example/code.js", "https://a.example/code.js"),
        ("https://a.example/list", "https://a.example/list"),
        ("https://duckduckgo.com/y.js?ad_domain=a.example", ""),
        ("//duckduckgo.com/l/?uddg=https%3A%2F%2Fduckduckgo.com%2Fy.js%3Fad", ""),
        ("//duckduckgo.com/l/?uddg=ftp%3A%2F%2Fa.example", ""),
        ("//duckduckgo.com/l/", ""),
        ("https://duckduckgo.com/about", "https://duckduckgo.com/about"),
        ("javascript:void(0)", ""),
    ],
)
def test_a_link_leads_where_its_redirect_would(link: str, target: str) -> None:
    assert unwrapped(link) == target
