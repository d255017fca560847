"""`map_site`: the addresses of a site, without reading its pages: from its sitemaps, its `llms.txt` and links.

https://www.sitemaps.org/protocol.html, https://llmstxt.org/"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING

from oryn.errors import OrynError, RobotsDisallowed
from oryn.research.crawling.links import page_directives
from oryn.research.crawling.models import CrawlOptions
from oryn.research.crawling.robots import RobotsRules
from oryn.research.crawling.scope import CrawlScope
from oryn.research.crawling.sitemap_parser import parse_listing
from oryn.research.documents import JsonRecord, ProgressCallback, ResearchProgress
from oryn.research.fetching.content_type import kind_of
from oryn.research.urls import normalize_url, origin_of

if TYPE_CHECKING:
    from oryn.research.documents import FetchedPage
    from oryn.research.fetching.request import PageFetcher

MAX_SITEMAPS = 500
"""The maximum number of sitemaps that are read."""
_CONCURRENCY = 6
_COMMON = ("/sitemap.xml", "/sitemap_index.xml")
"""Where sitemaps are that robots.txt does not name."""


class SiteMap(JsonRecord):
    """The addresses of a site. `urls` are normalized, each once; `sitemaps` is the number of sitemaps that were read,
    `llms` the address of the site's `llms.txt` if it has one, `notes` what could not be read."""

    url: str
    urls: tuple[str, ...]
    sitemaps: int = 0
    llms: str = ""
    is_complete: bool = True
    """Whether no address was left out because of the limit."""
    notes: tuple[str, ...] = ()


async def map_site(
    url: str,
    options: CrawlOptions,
    *,
    fetcher: PageFetcher,
    limit: int = 5_000,
    progress: ProgressCallback | None = None,
) -> SiteMap:
    """At most `limit` addresses of the site of `url`, within the scope and the patterns of `options`. Only robots.txt,
    sitemaps, `llms.txt` and the page at `url` are requested.

    Raises `RobotsDisallowed` if robots.txt allows neither the page nor a sitemap, and what `fetcher` does if `url` is
    all that there is and can't be fetched."""
    return await _SiteMapper(url, options, fetcher, limit, progress).run()


class _SiteMapper:
    def __init__(
        self, url: str, options: CrawlOptions, fetcher: PageFetcher, limit: int, progress: ProgressCallback | None
    ) -> None:
        self._url = normalize_url(url) or url
        self._origin = origin_of(self._url)
        self._options = options
        self._fetcher = fetcher
        self._limit = limit
        self._progress = progress
        self._scope = CrawlScope((self._url,), options)
        self._found: dict[str, None] = {}
        self._notes: list[str] = []
        self._read: set[str] = set()
        self._left_out = False

    async def run(self) -> SiteMap:
        robots = await self._fetch_if_there(f"{self._origin}/robots.txt")
        rules = None if robots is None else RobotsRules.of(robots.body, self._options.agent, self._origin)
        page, failure = await self._page(rules)
        self._add([self._url])
        if page is not None:
            self._scope.widen(page.url)
            self._add(page_directives(page, self._options.agent).links)
        llms = await self._llms(rules)
        named = rules.sitemaps if rules is not None else ()
        await self._sitemaps(list(named) or [self._origin + path for path in _COMMON], rules, named)
        if failure is not None:
            if len(self._found) <= 1:
                raise failure
            self._notes.append(failure.message)
        return SiteMap(
            url=self._url,
            urls=tuple(self._found),
            sitemaps=len(self._read),
            llms=llms,
            is_complete=not self._left_out,
            notes=tuple(self._notes),
        )

    async def _page(self, rules: RobotsRules | None) -> tuple[FetchedPage | None, OrynError | None]:
        if rules is not None and not rules.allow(self._url):
            return None, RobotsDisallowed(f"robots.txt does not allow programs to request {self._url}")
        try:
            return await self._fetcher.fetch(self._url), None
        except OrynError as error:
            return None, error

    async def _llms(self, rules: RobotsRules | None) -> str:
        """The address of `llms.txt`; its links are added. Sites without one often send a page instead."""
        url = f"{self._origin}/llms.txt"
        if rules is not None and not rules.allow(url):
            return ""
        page = await self._fetch_if_there(url)
        if page is None or kind_of(page.content_type, page.body) != "text" or not page.body.lstrip().startswith(b"#"):
            return ""
        self._add(parse_listing(page.body, url).pages)
        return url

    async def _sitemaps(self, urls: list[str], rules: RobotsRules | None, named: Iterable[str]) -> None:
        """Read sitemaps and those that they list, several at a time."""
        waiting, seen = urls, set(urls)
        while waiting and len(self._found) < self._limit and len(self._read) < MAX_SITEMAPS:
            batch, waiting = waiting[:_CONCURRENCY], waiting[_CONCURRENCY:]
            allowed = [url for url in batch if rules is None or rules.allow(url) or url in named]
            pages = await asyncio.gather(*map(self._fetch_if_there, allowed))
            for page in filter(None, pages):
                listing = await asyncio.to_thread(parse_listing, page.body, page.url)
                if listing.pages or listing.sitemaps:
                    self._read.add(page.url)
                self._add(listing.pages)
                fresh = [each for each in listing.sitemaps if each not in seen and self._is_near(each)]
                seen.update(fresh)
                waiting += fresh
            if self._progress is not None:
                self._progress(ResearchProgress("map", len(self._found), None, self._origin))
        self._left_out = self._left_out or bool(waiting)

    def _is_near(self, url: str) -> bool:
        return origin_of(url) == self._origin or self._scope.contains(url)

    async def _fetch_if_there(self, url: str) -> FetchedPage | None:
        try:
            page = await self._fetcher.fetch(url)
        except OrynError as error:
            if getattr(error, "status", None) not in (404, 410, 403, 401):
                self._notes.append(f"{url}: {error.message}")
            return None
        return page if page.status < 400 else None

    def _add(self, urls: Iterable[str]) -> None:
        for url in urls:
            if url in self._found or not (url == self._url or self._scope.accepts(url)):
                continue
            if len(self._found) >= self._limit:
                self._left_out = True
                return
            self._found[url] = None
