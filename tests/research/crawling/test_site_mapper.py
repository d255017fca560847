"""The addresses of a site, without its pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from oryn.errors import FetchFailed, RobotsDisallowed
from oryn.research import Research, ResearchOptions
from oryn.research.crawling import CrawlOptions
from tests.research.server import Reply, Site


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as site:
        yield site


@pytest.fixture
def options(tmp_path: Path) -> ResearchOptions:
    return ResearchOptions(page_cache=tmp_path / "pages", index=tmp_path / "index", allow_private=True)


def sitemap(*urls: str) -> Reply:
    return Reply(f"<urlset>{''.join(f'<url><loc>{url}</loc></url>' for url in urls)}</urlset>", type="application/xml")


@pytest.mark.slow
async def test_thousands_of_addresses_without_a_request_for_them(site: Site, options: ResearchOptions) -> None:
    parts = [f"<sitemap><loc>{site.url(f'/map{number}.xml')}</loc></sitemap>" for number in range(3)]
    site.put("/robots.txt", Reply(f"Sitemap: {site.url('/index.xml')}", type="text/plain"))
    site.put("/index.xml", Reply(f"<sitemapindex>{''.join(parts)}</sitemapindex>", type="application/xml"))
    for number in range(3):
        site.put(f"/map{number}.xml", sitemap(*(site.url(f"/p/{number}-{page}") for page in range(1000))))
    site.page("/", '<a href="/linked">x</a><a href="/p/0-1">y</a><a href="https://elsewhere.example/">z</a>')
    async with Research(options) as research:
        found = await research.map(site.url("/"))
        some = await research.map(site.url("/"), limit=100)
        chosen = await research.map(site.url("/"), CrawlOptions(include=("/p/2-*",), exclude=("*9",)))
    assert len(found.urls) == 3002 == len(set(found.urls)) and found.is_complete
    assert found.sitemaps == 4 and site.url("/linked") in found.urls
    assert len(some.urls) == 100 and not some.is_complete
    assert len(chosen.urls) == 901
    assert not any(asked.path.startswith("/p/") for asked in site.requests)


async def test_llms_txt_is_named_and_its_links_are_addresses(site: Site, options: ResearchOptions) -> None:
    site.page("/", "<p>Hello</p>")
    site.put("/llms.txt", Reply("# Fernhill\n\n- [Guide](/guide.md): how to\n", type="text/plain"))
    async with Research(options) as research:
        found = await research.map(site.url("/"))
    assert found.llms == site.url("/llms.txt") and site.url("/guide.md") in found.urls


async def test_a_page_in_the_place_of_llms_txt_is_none(site: Site, options: ResearchOptions) -> None:
    site.page("/", "<p>Hello</p>")
    site.page("/llms.txt", "# Not found")
    async with Research(options) as research:
        assert (await research.map(site.url("/"))).llms == ""


async def test_what_robots_txt_does_not_allow_is_not_requested(site: Site, options: ResearchOptions) -> None:
    site.put("/robots.txt", Reply("User-agent: *\nDisallow: /", type="text/plain"))
    site.page("/", '<a href="/x">x</a>')
    async with Research(options) as research:
        with pytest.raises(RobotsDisallowed):
            await research.map(site.url("/"))
    assert {asked.path for asked in site.requests} == {"/robots.txt"}


async def test_a_site_that_is_gone_is_an_error(options: ResearchOptions) -> None:
    with Site() as site:
        url = site.url("/")
    async with Research(options) as research:
        with pytest.raises(FetchFailed):
            await research.map(url)
