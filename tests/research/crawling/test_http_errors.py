"""Crawls over real connections: the page cache, addresses, the user's domains, several hosts."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from oryn.core.urls import DomainPolicy
from oryn.research import Research, ResearchOptions
from oryn.research.crawling import CrawlOptions, CrawlResult, CrawlTotals, crawl
from oryn.research.fetching import Fetcher, FetchOptions, PageCache
from tests.research.server import Reply, Site, redirect

OPTIONS = CrawlOptions(delay=0, backoff=0.01)
LOCAL = FetchOptions(allow_private=True, environment=False)


def crawl_pages(seed: str, options: CrawlOptions, fetcher: Fetcher) -> tuple[list[CrawlResult], CrawlTotals]:
    async def run() -> tuple[list[CrawlResult], CrawlTotals]:
        async with fetcher:
            crawling = crawl([seed], options, fetcher=fetcher)
            return [each async for each in crawling], crawling.totals

    return asyncio.run(run())


def test_an_unchanged_site_is_only_asked_whether_it_is(tmp_path: Path) -> None:
    with Site() as site:
        site.put("/", Reply("<p>Home of the ferns.</p><a href=/a>a</a>", etag='"1"'))
        site.put("/a", Reply("<p>About the ferns.</p>", etag='"2"'))
        first, _ = crawl_pages(site.url(), OPTIONS, Fetcher(LOCAL, cache=PageCache(tmp_path)))
        site.requests.clear()
        second, totals = crawl_pages(site.url(), OPTIONS, Fetcher(LOCAL, cache=PageCache(tmp_path)))
        pages = [each for each in site.requests if each.path != "/robots.txt"]
        assert [each.headers.get("if-none-match") for each in pages] == ['"1"', '"2"']
        assert totals == CrawlTotals(told=2, unchanged=2)
        assert [each.source for each in first] == ["http"] * 2 and [each.source for each in second] == ["cache"] * 2
        assert [each.sha256 for each in first] == [each.sha256 for each in second]
        site.requests.clear()
        _, totals = crawl_pages(site.url(), OPTIONS.replace(fresh=True), Fetcher(LOCAL, cache=PageCache(tmp_path)))
        assert totals == CrawlTotals(told=2)
        assert not any("if-none-match" in each.headers for each in site.requests)


def test_a_crawl_does_not_go_where_the_fetcher_may_not() -> None:
    with Site() as site:
        site.put("/", redirect("http://127.0.0.2:9/"))
        (refused,), _ = crawl_pages(site.url(), OPTIONS, Fetcher(FetchOptions(environment=False)))
        assert refused.error and refused.error.code == "ADDRESS_NOT_ALLOWED" and not site.requests
        domains = DomainPolicy.of(None, ["127.0.0.2"])
        (elsewhere,), _ = crawl_pages(site.url(), OPTIONS, Fetcher(LOCAL, domains=domains))
        assert elsewhere.error and elsewhere.error.code == "DOMAIN_NOT_ALLOWED"
        assert elsewhere.requested == site.url()


def test_hosts_with_other_ports_are_other_hosts() -> None:
    with Site() as site, Site() as other:
        site.page("/", f"<p>This is one site.</p><a href={other.url()}>other</a>")
        other.page("/", "<p>This is another one.</p>")
        results, _ = crawl_pages(site.url(), OPTIONS, Fetcher(LOCAL))
        assert [each.url for each in results] == [site.url()] and not other.requests
        results, _ = crawl_pages(site.url(), OPTIONS.replace(scope="any"), Fetcher(LOCAL))
        assert [each.url for each in results] == [site.url(), other.url()] and other.count("/robots.txt") == 1


@pytest.mark.slow
def test_robots_know_a_crawler_by_the_name_that_it_sends(tmp_path: Path) -> None:
    async def run(user_agent: str | None) -> list[str]:
        options = ResearchOptions(page_cache=tmp_path, allow_private=True, throttle=0, user_agent=user_agent)
        async with Research(options) as research:
            return [each.url async for each in research.crawl([site.url("/a"), site.url("/b")])]

    with Site() as site:
        site.put("/robots.txt", Reply("User-agent: fernbot\nDisallow: /a\n\nUser-agent: oryn\nDisallow: /\n"))
        site.page("/a", "<p>This is page a.</p>")
        site.page("/b", "<p>This is page b.</p>")
        assert sorted(asyncio.run(run("fernbot/2.0 (+https://example.org)"))) == [site.url("/a"), site.url("/b")]
        assert [each.target for each in site.requests] == ["/robots.txt", "/b"]
        asyncio.run(run(None))
        assert [each.target for each in site.requests] == ["/robots.txt", "/b", "/robots.txt"]


@pytest.mark.slow
def test_two_crawls_of_one_research_are_as_polite_as_one(tmp_path: Path) -> None:
    async def run() -> None:
        async with Research(ResearchOptions(page_cache=tmp_path, allow_private=True, throttle=0.05)) as research:

            async def urls(path: str) -> list[str]:
                return [each.url async for each in research.crawl([site.url(path)])]

            await asyncio.gather(urls("/a"), urls("/b"))
            workers = await research.context.workers()
            throttle = await workers.throttle(0.05, CrawlOptions().per_host)
            assert throttle is await workers.throttle(0.05, CrawlOptions().per_host)
            assert throttle is not await workers.throttle(1.0, CrawlOptions().per_host)

    with Site() as site:
        site.page("/a", "<p>This is page a.</p>")
        site.page("/b", "<p>This is page b.</p>")
        asyncio.run(run())
        assert len(site.requests) == 4 and site.most_answering <= 2
