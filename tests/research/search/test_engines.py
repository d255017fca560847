"""SearXNG, Brave and Wikipedia: what they are asked, what they answer, and how they refuse."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from oryn.errors import SearchChanged, SearchRefused
from oryn.research.documents import Hit
from oryn.research.search.client import SearchClient
from oryn.research.search.engines.brave import Brave
from oryn.research.search.engines.searxng import Searxng
from oryn.research.search.engines.wikipedia import Wikipedia
from oryn.research.search.provider import SearchProvider
from tests.research.search.fake_engine import search_client
from tests.research.server import ReceivedRequest, Reply, Site

Make = Callable[[SearchClient, Site], SearchProvider]


def searxng(client: SearchClient, site: Site) -> SearchProvider:
    return Searxng(client, f"{site.origin}/")


def brave(client: SearchClient, site: Site) -> SearchProvider:
    return Brave(client, "s3cret", f"{site.origin}/res/v1/web/search")


def wikipedia(client: SearchClient, site: Site) -> SearchProvider:
    return Wikipedia(client, site.origin)


ALL: dict[str, tuple[Make, str]] = {
    "searxng": (searxng, "/search"),
    "brave": (brave, "/res/v1/web/search"),
    "wikipedia": (wikipedia, "/w/api.php"),
}


async def ask(site: Site, name: str, reply: Reply | Callable[[ReceivedRequest], Reply], limit: int = 10) -> list[Hit]:
    make, path = ALL[name]
    site.put(path, reply)
    async with search_client() as client:
        return await make(client, site).search("fern spores", limit)


def json_reply(value: Any, status: int = 200) -> Reply:
    return Reply(json.dumps(value), status=status, type="application/json")


def numbered(first: int, last: int) -> list[dict[str, str]]:
    return [{"url": f"https://{n}.example/", "title": f"Page {n}", "content": f"Of {n}."} for n in range(first, last)]


async def test_searxng_is_asked_for_json_page_after_page(site: Site) -> None:
    pages = {"1": numbered(1, 11), "2": numbered(9, 15), "3": []}
    hits = await ask(site, "searxng", lambda asked: json_reply({"results": pages[asked.query["pageno"]]}), 30)
    assert hits[0] == Hit(url="https://1.example/", title="Page 1", snippet="Of 1.", provider="searxng", rank=1)
    assert [(hit.url, hit.rank) for hit in hits] == [(f"https://{n}.example/", n) for n in range(1, 15)]
    assert [asked.query for asked in site.requests] == [
        {"q": "fern spores", "format": "json", "pageno": str(number)} for number in (1, 2, 3)
    ]


async def test_searxng_without_json_says_what_to_change(site: Site) -> None:
    with pytest.raises(SearchRefused, match=r"searxng refused the search: access is forbidden \(403\)") as caught:
        await ask(site, "searxng", Reply("<h1>Forbidden</h1>", status=403))
    assert caught.value.hint == "Its settings.yml has to list json below search: formats:."


async def test_searxng_whose_engines_are_all_silent_has_not_found_nothing(site: Site) -> None:
    silent = {"results": [], "unresponsive_engines": [["google", "CAPTCHA"], ["bing", "timeout"]]}
    with pytest.raises(SearchRefused, match=r"no answer from google \(CAPTCHA\), bing \(timeout\)"):
        await ask(site, "searxng", json_reply(silent))


async def test_brave_is_asked_with_its_key(site: Site) -> None:
    def page(asked: ReceivedRequest) -> Reply:
        number = int(asked.query["offset"])
        results = [
            {"url": f"https://{number}{n}.example/", "title": f"A &amp; <strong>{n}</strong>", "description": "x  y"}
            for n in range(10, 30)
        ]
        return json_reply(
            {"type": "search", "query": {"more_results_available": number < 1}, "web": {"results": results}}
        )

    hits = await ask(site, "brave", page, 100)
    assert len(hits) == 40
    assert hits[0] == Hit(url="https://010.example/", title="A & 10", snippet="x y", provider="brave", rank=1)
    assert site.requests[0].query == {
        "q": "fern spores",
        "count": "20",
        "offset": "0",
        "text_decorations": "false",
    }
    assert {asked.headers["x-subscription-token"] for asked in site.requests} == {"s3cret"}


async def test_brave_with_a_wrong_key_says_nothing_of_the_key(site: Site) -> None:
    with pytest.raises(SearchRefused, match=r"brave refused the search: the key is not accepted \(401\)") as caught:
        await ask(site, "brave", json_reply({"type": "ErrorResponse"}, 401))
    assert "s3cret" not in f"{caught.value!r} {caught.value.hint}"


async def test_brave_has_a_status_of_its_own_for_a_wrong_key(site: Site) -> None:
    error = {"type": "ErrorResponse", "error": {"code": "SUBSCRIPTION_TOKEN_INVALID", "status": 422}}
    with pytest.raises(SearchRefused, match=r"accepts neither key nor query \(422\)") as caught:
        await ask(site, "brave", json_reply(error, 422))
    assert caught.value.hint == "Check the setting brave_key."


async def test_wikipedia_is_asked_for_its_articles(site: Site) -> None:
    found = [
        {"ns": 0, "title": "Fern spike (plant)", "snippet": 'The <span class="searchmatch">fern</span> &amp; co'},
        {"ns": 0, "title": "C++/Über?", "snippet": ""},
    ]
    hits = await ask(site, "wikipedia", json_reply({"batchcomplete": True, "query": {"search": found}}), 100)
    assert hits == [
        Hit(
            url=f"{site.origin}/wiki/Fern_spike_%28plant%29",
            title="Fern spike (plant)",
            snippet="The fern & co",
            provider="wikipedia",
            rank=1,
        ),
        Hit(url=f"{site.origin}/wiki/C%2B%2B/%C3%9Cber%3F", title="C++/Über?", provider="wikipedia", rank=2),
    ]
    assert site.requests[0].query["srsearch"] == "fern spores"
    assert site.requests[0].query["srlimit"] == "50"


async def test_wikipedia_refuses_with_a_status_that_is_fine(site: Site) -> None:
    with pytest.raises(SearchRefused, match=r"wikipedia refused the search: 'Waiting for a database server\.'"):
        await ask(
            site, "wikipedia", json_reply({"error": {"code": "maxlag", "info": "Waiting for a database server."}})
        )


@pytest.mark.parametrize(
    ("name", "nothing"),
    [
        ("searxng", {"results": []}),
        ("brave", {"type": "search", "query": {"original": "fern spores"}}),
        ("wikipedia", {"batchcomplete": True, "query": {"search": []}}),
    ],
)
async def test_no_results_are_none(site: Site, name: str, nothing: Any) -> None:
    assert await ask(site, name, json_reply(nothing)) == []


@pytest.mark.parametrize("name", ALL)
async def test_too_many_requests_are_a_refusal(site: Site, name: str) -> None:
    with pytest.raises(SearchRefused, match=rf"{name} refused the search: too many requests \(429\)"):
        await ask(site, name, Reply("slow down", status=429))


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    "reply",
    [Reply("<h1>Hello</h1>"), json_reply([]), json_reply({"ok": True}), json_reply({}, 500), Reply("", status=302)],
)
async def test_an_answer_of_another_form_is_never_an_empty_success(site: Site, name: str, reply: Reply) -> None:
    with pytest.raises(SearchChanged, match=f"^{name} answered"):
        await ask(site, name, reply)


@pytest.mark.parametrize(("name", "longest"), [("brave", 400), ("wikipedia", 300)])
async def test_a_query_that_is_too_long_is_not_sent(site: Site, name: str, longest: int) -> None:
    async with search_client() as client:
        with pytest.raises(SearchRefused, match=f"at most {longest} characters, this query has {longest + 1}"):
            await ALL[name][0](client, site).search("f" * (longest + 1), 10)
    assert not site.requests
