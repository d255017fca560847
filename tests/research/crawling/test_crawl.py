"""Crawls of a web in memory: what is told, what is asked for, and when."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from oryn.errors import AddressNotAllowed, BodyTooLarge, FetchFailed
from oryn.research.crawling import CrawlOptions, CrawlResult, CrawlTotals, crawl
from oryn.research.documents import ResearchProgress
from tests.research.crawling.memory_web import START, Clock, Found, RecordingThrottle, Route, Web, page, redirect

A = "http://a.example/"
B = "http://b.example/"


class CrawlOutcome:
    """What a crawl came to."""

    def __init__(self, pages: dict[str, Route]) -> None:
        self.web = Web(pages)
        self.clock = Clock()
        self.results: list[CrawlResult] = []
        self.totals = CrawlTotals()
        self.progress: list[ResearchProgress] = []
        self.throttle = RecordingThrottle(1.0, 2, self.clock)

    @property
    def urls(self) -> list[str]:
        return [each.url for each in self.results]

    @property
    def texts(self) -> dict[str, str]:
        return {each.url: each.article.text for each in self.results if each.article}

    @property
    def errors(self) -> dict[str, str]:
        return {each.url: f"{each.error.code}: {each.error.message}" for each in self.results if each.error}


def crawl_pages(
    pages: dict[str, Route],
    seeds: Sequence[str] = (A,),
    options: CrawlOptions = CrawlOptions(),  # noqa: B008 - frozen
    state: Path | None = None,
    after: int = 0,
) -> CrawlOutcome:
    """Crawl, and wait for nothing."""
    it = CrawlOutcome(pages)
    it.throttle = RecordingThrottle(options.delay, options.per_host, it.clock)

    async def run() -> None:
        crawling = crawl(
            seeds,
            options,
            fetcher=it.web,
            workers=it.web,
            state=state,
            after=after,
            progress=it.progress.append,
            throttle=it.throttle,
            clock=it.clock,
        )
        it.results = [each async for each in crawling]
        it.totals = crawling.totals

    asyncio.run(run())
    assert [each.number for each in it.results] == list(range(after + 1, after + len(it.results) + 1))
    return it


def linked(*links: str, text: str = "") -> str:
    return f"<p>{text}</p>" + "".join(f"<a href='{link}'></a>" for link in links)


# --- what is told


def test_a_result_says_where_it_comes_from() -> None:
    it = crawl_pages({A: linked("/b", text="Home."), f"{A}b": linked("/", text="Page b.")})
    first, second = it.results
    assert first == CrawlResult(
        number=1,
        url=A,
        depth=0,
        status=200,
        content_type="text/html",
        sha256=page(A, linked("/b", text="Home.")).sha256,
        fetched_at="2026-11-22T12:00:00+00:00",
        article=first.article,
    )
    assert first.article and first.article.text == "Home." and not first.article.links
    assert (second.url, second.depth, second.referrer) == (f"{A}b", 1, A)
    assert CrawlResult.read(second.form()) == second
    assert it.totals == CrawlTotals(told=2)
    assert str(it.totals) == "2 told"
    assert it.progress[-1] == ResearchProgress(stage="crawl", done=2, total=2, detail=f"{A}b")


def test_each_page_is_asked_for_once_however_it_is_written() -> None:
    it = crawl_pages({A: linked("/b", "/b#x", "b?utm_source=y", "HTTP://A.example:80/./b", text="1"), f"{A}b": "2"})
    assert it.web.requests == [f"{A}robots.txt", A, f"{A}b"]


def test_a_page_has_the_text_of_its_markdown_alternative_in_its_host_s_turn() -> None:
    words = "Ferns grow from spores on moist ground."
    offer = '<link rel="alternate" type="text/markdown" href="/{}.md">' + words
    rules = page(f"{A}robots.txt", "User-agent: *\nDisallow: /no.md", content_type="text/plain")
    it = crawl_pages(
        {
            f"{A}robots.txt": rules,
            A: offer.format("ferns") + linked("/b"),
            f"{A}ferns.md": page(f"{A}ferns.md", f"# Ferns\n\n{words}", content_type="text/markdown"),
            f"{A}b": offer.format("no"),
        },
        options=CrawlOptions(concurrency=1, delay=2),
    )
    first, second = (each.article for each in it.results)
    assert first and first.markdown == f"# Ferns\n\n{words}" and "ferns.md" in first.why
    assert second and second.markdown != first.markdown
    assert it.web.requests == [f"{A}robots.txt", A, f"{A}ferns.md", f"{A}b"]
    assert it.clock.wall() - START >= 4, "each request waits for the host's turn"


def test_the_same_body_is_told_once_and_its_links_are_not_followed_again() -> None:
    it = crawl_pages(
        {A: linked("/x/", "/y/"), f"{A}x/": linked("z/", text="Same."), f"{A}y/": linked("z/", text="Same.")}
    )
    assert len(it.urls) == 3 and it.totals.duplicates == 1
    assert it.totals.failed == 2, "home has no text, and one z is not there"


@pytest.mark.parametrize(("shell", "code"), [("<div id=app></div>", "NEEDS_BROWSER"), ("<a href=x/></a>", "NO_TEXT")])
def test_of_what_cannot_be_read_each_is_told_but_its_links_are_followed_once(shell: str, code: str) -> None:
    it = crawl_pages({A: linked("/1/", "/2/", "/3/", text="a"), f"{A}1/": shell, f"{A}2/": shell, f"{A}3/": shell})
    codes = Counter(each.error.code for each in it.results if each.error)
    assert it.totals.duplicates == 0 and codes.pop(code) == 3
    assert codes == ({"FETCH_FAILED": 1} if code == "NO_TEXT" else {}), "one of x"


def test_failed_page_is_a_result_and_the_crawl_continues() -> None:
    it = crawl_pages(
        {
            A: linked("/gone", "/big", "/inside", "/empty", "/well"),
            f"{A}big": BodyTooLarge("too large"),
            f"{A}inside": AddressNotAllowed("10.0.0.1 is private"),
            f"{A}empty": "",
            f"{A}well": "Well.",
        },
        options=CrawlOptions(articles=True),
    )
    assert it.errors == {
        A: f"NO_TEXT: {A} has no text",
        f"{A}gone": f"FETCH_FAILED: {A}gone is not there",
        f"{A}big": "BODY_TOO_LARGE: too large",
        f"{A}inside": "ADDRESS_NOT_ALLOWED: 10.0.0.1 is private",
        f"{A}empty": f"NO_TEXT: {A}empty has no text",
    }
    assert it.texts == {f"{A}well": "Well."}
    assert [each.status for each in it.results if each.url == f"{A}gone"] == [404]


def test_a_page_that_nobody_thought_of_does_not_end_the_crawl() -> None:
    def odd(url: str) -> str:
        raise KeyError(url)

    it = crawl_pages({A: linked("/odd", "/well", text="a"), f"{A}odd": odd, f"{A}well": "Well."})
    assert it.errors == {f"{A}odd": f"INTERNAL_ERROR: {A}odd: KeyError: '{A}odd'"}
    assert it.texts == {A: "a", f"{A}well": "Well."}


def test_a_seed_that_is_no_url_is_told_of() -> None:
    it = crawl_pages({A: "Home."}, ["nonsense", A])
    assert it.errors == {"nonsense": "FETCH_FAILED: 'nonsense' is not a URL of the web"}
    assert it.texts == {A: "Home."}


def test_without_articles_pages_are_not_read() -> None:
    it = crawl_pages({A: linked("/b")}, options=CrawlOptions(articles=False))
    assert [(each.url, each.article, each.error and each.error.code) for each in it.results] == [
        (A, None, None),
        (f"{A}b", None, "FETCH_FAILED"),
    ]


def test_limits_may_be_others_when_a_crawl_goes_on(tmp_path: Path) -> None:
    pages: dict[str, Route] = {A: linked(*(f"/{each}" for each in range(6)), text="a")}
    pages |= {f"{A}{each}": str(each) for each in range(6)}
    first = crawl_pages(pages, options=CrawlOptions(pages=3), state=tmp_path / "state")
    assert len(first.results) == 3
    rest = crawl_pages(pages, options=CrawlOptions(pages=0), state=tmp_path / "state", after=3)
    assert len(rest.results) == 4 and not set(first.urls) & set(rest.urls)


# --- how far


def test_depth_and_scope() -> None:
    pages: dict[str, Route] = {
        A: linked("/1", B),
        f"{A}1": linked("/2", text="1"),
        f"{A}2": linked("/3", text="2"),
        B: "b",
    }
    assert crawl_pages(pages, options=CrawlOptions(depth=1)).urls == [A, f"{A}1"]
    assert crawl_pages(pages, options=CrawlOptions(depth=0)).urls == [A]
    assert f"{A}3" in crawl_pages(pages, options=CrawlOptions(depth=None)).urls
    assert set(crawl_pages(pages, options=CrawlOptions(depth=1, scope="any")).urls) == {A, f"{A}1", B}


def test_a_shorter_way_that_is_found_later_counts() -> None:
    pages: dict[str, Route] = {
        A: linked("/far", text="a"),
        f"{A}far": linked("/farther", text="far"),
        f"{A}farther": linked("/x", text="farther"),
        f"{A}x": linked("/y", text="x"),
        f"{A}y": "y",
        B: linked(f"{A}x", text="b"),
    }
    options = CrawlOptions(depth=2, scope="any")
    assert f"{A}y" in crawl_pages(pages, [A, B], options).texts


@pytest.mark.parametrize("per_host", [1, 3])
def test_there_are_never_more_results_than_asked_for(per_host: int) -> None:
    pages: dict[str, Route] = {A: linked(*(f"/{each}" for each in range(30)), text="a")}
    pages |= {f"{A}{each}": linked("/0", text=str(each // 2)) for each in range(30)}
    it = crawl_pages(pages, options=CrawlOptions(pages=7, per_host=per_host))
    assert len(it.results) == 7 and it.totals.waiting > 0
    assert len(it.web.pages_requested) <= 7 + it.totals.duplicates
    both = crawl_pages(pages | {B: linked(*(f"/{each}" for each in range(9)))}, [A, B], CrawlOptions(pages_per_host=4))
    assert [sum(url.startswith(host) for url in both.urls) for host in (A, B)] == [4, 4]


def test_patterns_hold_for_links_not_for_seeds() -> None:
    it = crawl_pages(
        {A: linked("/in/1", "/out/1", "/in/2.zip", text="a"), f"{A}in/1": "1"}, options=CrawlOptions(include=("/in/*",))
    )
    assert it.urls == [A, f"{A}in/1"]


def test_endless_places_end() -> None:
    def forever(url: str) -> str:
        number = int(url.rpartition("=")[2])
        return linked(f"/list?page={number + 1}", text=f"list {number}")

    pages: dict[str, Route] = {A: linked("/list?page=0", "/a/b/a/b/a/b/")}
    pages |= {f"{A}list?page={each}": forever for each in range(500)}
    it = crawl_pages(pages, options=CrawlOptions(depth=None, same_query=20, delay=0))
    assert len(it.texts) == 20 and it.totals.trapped == 2
    assert crawl_pages(pages, options=CrawlOptions(depth=None, same_query=0, pages=40, delay=0)).totals.trapped == 1


# --- redirects


def test_redirects_lead_to_one_result() -> None:
    pages: dict[str, Route] = {
        A: linked("/old", "/older", "/new", text="a"),
        f"{A}older": redirect("/old"),
        f"{A}old": redirect("new#x", 301),
        f"{A}new": "New.",
    }
    it = crawl_pages(pages)
    assert it.texts == {A: "a", f"{A}new": "New."}
    assert it.totals.redirects == 2 and it.web.count(f"{A}new") == 1


def test_a_result_says_what_was_asked_for_first() -> None:
    it = crawl_pages({A: redirect("/1"), f"{A}1": redirect("/2"), f"{A}2": "Here."})
    assert [(each.url, each.requested, each.depth) for each in it.results] == [(f"{A}2", A, 0)]


def test_rings_and_chains_of_redirects_end() -> None:
    pages: dict[str, Route] = {A: linked("/r0", "/c0", "/self", "/js", text="a"), f"{A}self": redirect("/self")}
    pages |= {f"{A}r{each}": redirect(f"/r{(each + 1) % 3}") for each in range(3)}
    pages |= {f"{A}c{each}": redirect(f"/c{each + 1}") for each in range(30)}
    pages[f"{A}js"] = redirect("javascript:alert(1)")
    it = crawl_pages(pages)
    assert it.errors == {
        f"{A}r2": f"FETCH_FAILED: {A}r2 leads nowhere: its redirects go round in circles",
        f"{A}c10": f"FETCH_FAILED: {A}c0 leads on and on: more than 10 redirects",
        f"{A}self": f"FETCH_FAILED: {A}self leads nowhere: it redirects to itself",
        f"{A}js": f"FETCH_FAILED: {A}js redirects to an address that is not a web page",
    }


def test_where_a_seed_is_sent_is_the_crawls_own() -> None:
    www = "http://www.a.example/"
    it = crawl_pages({A: redirect(www), www: linked("/in", B, text="www"), f"{www}in": redirect(B), B: "b"})
    assert it.urls == [www] and it.web.count(B) == 0
    assert it.web.count(f"{www}in") == 1, "which leads out, and is not followed"


def test_an_address_that_the_server_insists_on_is_asked_for() -> None:
    """Ours is the order of parameters; if the server wants another, it is no ring."""
    it = crawl_pages({f"{A}?a=1&b=2": redirect("/?b=2&a=1"), f"{A}?b=2&a=1": "Here."}, [f"{A}?a=1&b=2"])
    assert it.texts == {f"{A}?b=2&a=1": "Here."}


# --- robots.txt


def test_robots_are_obeyed() -> None:
    robots = "User-agent: *\nDisallow: /\n\nUser-agent: oryn\nDisallow: /no\nAllow: /no/but\n"
    pages: dict[str, Route] = {f"{A}robots.txt": robots, A: linked("/no/1", "/no/but", "/yes", text="a")}
    it = crawl_pages(pages | {f"{A}no/but": "But.", f"{A}yes": "Yes.", f"{A}no/seed": "x"}, [A, f"{A}no/seed"])
    assert it.texts == {A: "a", f"{A}no/but": "But.", f"{A}yes": "Yes."}
    assert it.errors == {
        f"{A}no/seed": f"ROBOTS_DISALLOWED: robots.txt of a.example does not allow programs to request {A}no/seed"
    }
    assert not it.web.count(f"{A}no/1") and it.totals.disallowed == 1
    assert it.web.count(f"{A}robots.txt") == 1
    ignored = crawl_pages(pages, [A], CrawlOptions(robots=False))
    assert ignored.web.count(f"{A}no/1") and not ignored.web.count(f"{A}robots.txt")


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410])
def test_a_robots_file_that_is_not_there_allows_everything(status: int) -> None:
    assert crawl_pages({f"{A}robots.txt": FetchFailed("no", status=status), A: "Home."}).texts == {A: "Home."}


def test_a_robots_file_that_cannot_be_had_allows_nothing_for_now() -> None:
    it = crawl_pages({f"{A}robots.txt": FetchFailed("down (500)", status=500, again=True), A: "Home."})
    assert it.web.requests == [f"{A}robots.txt"] * 4
    assert it.errors == {A: "ROBOTS_DISALLOWED: no page may be requested while robots.txt can't be read: down (500)"}
    answers: Iterator[Found] = iter([FetchFailed("down", status=503, again=True), "User-agent: *\nDisallow: /x"])
    again = crawl_pages({f"{A}robots.txt": lambda _: next(answers), A: linked("/x", text="Home.")})
    assert again.texts == {A: "Home."} and again.totals.disallowed == 1


def test_redirects_of_robots_are_followed_five_times() -> None:
    pages: dict[str, Route] = {A: linked("/x", text="a"), f"{A}robots.txt": redirect(f"{B}robots.txt")}
    assert crawl_pages(pages | {f"{B}robots.txt": "User-agent: *\nDisallow: /x"}).totals.disallowed == 1
    endless = pages | {f"{A}robots.txt": redirect(f"{A}robots.txt")}
    it = crawl_pages(endless)
    assert it.web.count(f"{A}robots.txt") == 6 and it.texts == {A: "a"}


def test_a_private_host_is_not_allowed_whatever_its_robots_say() -> None:
    it = crawl_pages({f"{A}robots.txt": AddressNotAllowed("a.example is 10.0.0.1")})
    assert it.errors == {A: "ADDRESS_NOT_ALLOWED: a.example is 10.0.0.1"}


def test_pages_may_ask_not_to_be_kept_or_followed() -> None:
    noindex = "<meta name=robots content=noindex>"
    it = crawl_pages(
        {
            A: linked("/hidden", "/closed", "/header"),
            f"{A}hidden": noindex + linked("/behind", text="hidden"),
            f"{A}behind": "Behind.",
            f"{A}closed": "<meta name=robots content=nofollow>" + linked("/never", text="Closed."),
            f"{A}header": page(f"{A}header", "Header.", headers={"X-Robots-Tag": "noindex"}),
        }
    )
    assert it.texts == {f"{A}behind": "Behind.", f"{A}closed": "Closed."}
    assert it.totals.disallowed == 2 and not it.web.count(f"{A}never")
    assert "noindex" in crawl_pages({A: noindex + "x"}).errors[A]


# --- sitemaps and feeds


def test_sitemaps_are_read_when_asked_for() -> None:
    maps = "".join(f"<sitemap><loc>{A}{each}.xml</loc></sitemap>" for each in ("index", "pages", "gone"))
    pages: dict[str, Route] = {
        f"{A}robots.txt": "User-agent: *\nDisallow: /*.xml$\nAllow: /pages.xml\nSitemap: HTTP://A.EXAMPLE:80/index.xml",
        f"{A}index.xml": f"<sitemapindex>{maps}</sitemapindex>",
        f"{A}pages.xml": f"<urlset><url><loc>{A}only</loc></url><url><loc>{B}</loc></url></urlset>",
        A: "a",
        f"{A}only": "Only there.",
    }
    it = crawl_pages(pages, options=CrawlOptions(sitemaps=True))
    assert it.texts == {A: "a", f"{A}only": "Only there."}
    assert it.totals == CrawlTotals(told=2, disallowed=1, listings=2) and it.web.count(f"{A}index.xml") == 1
    assert [each.referrer for each in it.results if each.depth] == [f"{A}pages.xml"]
    assert crawl_pages(pages).texts == {A: "a"}
    assert crawl_pages(pages, options=CrawlOptions(sitemaps=True, depth=0)).totals == CrawlTotals(told=1)


def test_a_sitemap_is_looked_for_where_robots_name_none() -> None:
    pages: dict[str, Route] = {f"{A}sitemap.xml": f"{A}only\n", A: "a", f"{A}only": "Only."}
    assert crawl_pages(pages, options=CrawlOptions(sitemaps=True)).texts == {A: "a", f"{A}only": "Only."}
    assert crawl_pages(pages, options=CrawlOptions(sitemaps=True, robots=False)).texts == {A: "a", f"{A}only": "Only."}


def test_llms_txt_is_read_with_the_sitemaps() -> None:
    pages: dict[str, Route] = {f"{A}llms.txt": "# Site\n- [Only](/only): there\n", A: "a", f"{A}only": "Only."}
    assert crawl_pages(pages, options=CrawlOptions(sitemaps=True)).texts == {A: "a", f"{A}only": "Only."}
    assert crawl_pages(pages).texts == {A: "a"}


def test_feeds_are_read_when_asked_for() -> None:
    feed = f"<rss><channel><item><link>{A}post</link></item></channel></rss>"
    pages: dict[str, Route] = {
        A: "<link rel=alternate type=application/rss+xml href=/feed>a",
        f"{A}feed": feed,
        f"{A}post": "Post.",
    }
    assert crawl_pages(pages, options=CrawlOptions(feeds=True)).texts == {A: "a", f"{A}post": "Post."}
    assert crawl_pages(pages).texts == {A: "a"}


# --- when


def garden(host: str, size: int) -> dict[str, Route]:
    pages: dict[str, Route] = {host: linked(*(f"/{each}" for each in range(size)), text=host)}
    return pages | {f"{host}{each}": f"{host} {each}" for each in range(size)}


def distances(times: list[float]) -> list[float]:
    return [later - earlier for earlier, later in pairwise(times)]


def test_pauses_are_kept_for_each_host_by_itself() -> None:
    slow = garden(B, 5) | {f"{B}robots.txt": "User-agent: *\nCrawl-delay: 7"}
    it = crawl_pages(garden(A, 5) | slow, [A, B], CrawlOptions(delay=2, scope="host"))
    assert len(it.texts) == 12
    for host, pause in (("a.example", 2), ("b.example", 7)):
        times = it.throttle.of(host)
        assert len(times) == 7, "robots.txt counts too"
        assert min(distances(times)) >= pause - 1e-6
    assert it.clock.at < 60, "the two do not wait for each other"


def test_a_request_rate_is_a_pause() -> None:
    it = crawl_pages(garden(A, 4) | {f"{A}robots.txt": "User-agent: *\nRequest-rate: 1/5s"})
    assert min(distances(it.throttle.of("a.example"))) >= 5 - 1e-6


def test_a_pause_that_is_too_long_gives_the_host_up() -> None:
    it = crawl_pages(garden(A, 3) | garden(B, 3) | {f"{B}robots.txt": "User-agent: *\nCrawl-delay: 86400"}, [A, B])
    assert it.errors == {B: "FETCH_FAILED: b.example asks for pauses of 86400 s; b.example is given up"}
    assert len(it.texts) == 4


@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_slows_the_whole_host(status: int) -> None:
    pages = garden(A, 9)
    answers: list[Found] = [FetchFailed("later", status=status, again=True, wait=60.0), "Now."]
    pages[f"{A}3"] = lambda _: answers.pop(0)
    it = crawl_pages(pages, options=CrawlOptions(delay=1))
    assert it.texts[f"{A}3"] == "Now." and len(it.texts) == 10
    ((host, at, seconds),) = it.throttle.slowed
    assert (host, seconds) == ("a.example", 60.0)
    # The other one may have begun before this one's answer came.
    assert not [begun for begun in it.throttle.of("a.example") if at + 1e-6 < begun < at + 60 - 1e-6]
    assert it.totals.retries == 1


def test_retry_after_without_end_gives_the_host_up() -> None:
    pages = garden(A, 9)
    pages[f"{A}0"] = FetchFailed("later", status=429, again=True, wait=86_400.0)
    it = crawl_pages(pages, options=CrawlOptions(per_host=1))
    assert it.errors == {f"{A}0": "FETCH_FAILED: later; a.example is given up, and 8 more of its pages"}
    assert it.totals.abandoned == 8 and it.clock.at < 100


def test_abandoned_host_is_not_waited_for() -> None:
    """Not the second one either, whose turn is next."""
    pages: dict[str, Route] = {url: FetchFailed("later", status=429, again=True, wait=86_400.0) for url in garden(A, 9)}
    it = crawl_pages({**pages, A: garden(A, 9)[A]}, options=CrawlOptions(per_host=2))
    assert it.clock.at < 100 and it.totals.waiting == 0
    assert it.totals.told + it.totals.failed + it.totals.abandoned == 10


def test_temporary_failure_is_retried_with_growing_pauses() -> None:
    it = crawl_pages(
        {A: FetchFailed("down", status=500, again=True)}, options=CrawlOptions(retries=3, backoff=10, delay=0)
    )
    times = it.throttle.of("a.example")[1:]
    assert [round(each) for each in distances(times)] == [10, 20, 40]
    assert it.errors == {A: "FETCH_FAILED: down"} and it.totals.retries == 3
    assert crawl_pages({A: FetchFailed("no", status=404)}).web.count(A) == 1


def test_a_dead_host_is_given_up() -> None:
    pages = garden(A, 20)
    pages |= {url: FetchFailed("silence", again=True) for url in pages if url != A}
    it = crawl_pages(pages, options=CrawlOptions(retries=0, host_failures=3, per_host=1))
    assert len(it.errors) == 3 and it.totals.abandoned == 17
    assert it.results[-1].error and it.results[-1].error.message == (
        "silence; a.example is given up, and 17 more of its pages"
    )
    alive = crawl_pages(
        pages | {f"{A}1": "1", f"{A}3": "3"}, options=CrawlOptions(retries=0, host_failures=3, per_host=1)
    )
    assert len(alive.errors) == 5, "what answers in between counts anew"


def test_a_host_has_no_more_at_once_than_it_may() -> None:
    it = crawl_pages(garden(A, 30) | garden(B, 30), [A, B], CrawlOptions(delay=0, per_host=2))
    assert max(it.throttle.most.values()) <= 2 and len(it.texts) == 62
