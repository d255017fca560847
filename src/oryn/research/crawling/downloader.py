"""Requests of a crawl, throttled by host; respects `Retry-After` and the pauses that hosts ask for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from oryn.errors import FetchFailed
from oryn.research.crawling.models import CrawlOptions
from oryn.research.crawling.state import CrawlState
from oryn.research.documents import FetchedPage
from oryn.research.fetching.throttle import Clock, CrawlThrottle
from oryn.research.urls import host_of, normalize_url

if TYPE_CHECKING:
    from oryn.research.fetching.request import PageFetcher

MAX_ROBOTS_REDIRECTS = 5
"""Redirects of a robots.txt, sitemap or feed that are followed (RFC 9309, 2.3.1.2)."""
_LATER = frozenset({429, 503})


class Downloader:
    """Requests pages within the limits of the crawl. A task that waits for its host's turn holds no place of
    `options.concurrency` meanwhile."""

    def __init__(
        self, fetcher: PageFetcher, options: CrawlOptions, throttle: CrawlThrottle, state: CrawlState, clock: Clock
    ) -> None:
        self._fetcher = fetcher
        self._options = options
        self._throttle = throttle
        self._state = state
        self._clock = clock
        self._free = asyncio.Semaphore(options.concurrency)

    @asynccontextmanager
    async def download(self, url: str) -> AsyncIterator[FetchedPage]:
        """The response of one request, which may be a redirect. The page counts against `options.concurrency` until the
        context is left, so that no more pages are in memory. Raises what `Fetcher.fetch` does, and `FetchFailed` if the
        host demands a pause longer than `options.max_wait`."""
        host = host_of(url)
        while True:
            async with self._free:
                pause = await self._throttle.ask(host)
                if not pause:
                    yield await self._fetch(url, host)
                    return
            if pause > self._options.max_wait:
                raise FetchFailed(f"{host} must not be requested for another {pause:.0f} s", wait=pause)
            await self._clock.sleep(pause)

    async def download_beside(self, url: str) -> FetchedPage:
        """The response of one request for a file of a page that is being processed: it has the place of the page, and
        waits for its host's turn like any other. Raises as `download` does."""
        host = host_of(url)
        while pause := await self._throttle.ask(host):
            if pause > self._options.max_wait:
                raise FetchFailed(f"{host} must not be requested for another {pause:.0f} s", wait=pause)
            await self._clock.sleep(pause)
        return await self._fetch(url, host)

    async def follow(self, url: str) -> FetchedPage:
        """The response with its redirects followed, each in the turn of its own host. For robots.txt files, sitemaps
        and feeds. Raises as `download` does, and `FetchFailed` after too many redirects."""
        for _ in range(MAX_ROBOTS_REDIRECTS + 1):
            async with self.download(url) as page:
                target = redirect_target(page)
            if not target:
                return page
            url = target
        raise FetchFailed(f"{url} leads on and on", status=page.status)

    async def pace(self, host: str, seconds: float) -> None:
        """Apply the pause of `seconds` between two requests that the host demands. It is stored, and applies again when
        the crawl goes on after an interruption."""
        if seconds:
            self._state.execute("UPDATE host SET pause = ? WHERE name = ? AND pause < ?", (seconds, host, seconds))
            (seconds,) = self._state.row("SELECT coalesce(max(pause), ?) FROM host WHERE name = ?", (seconds, host))
            await self._throttle.pace(host, seconds)

    async def restore_pauses(self) -> None:
        """Apply the pauses that hosts have demanded before an interruption, and the pause after the last request
        then."""
        hosts = self._state.execute("SELECT name, pause, not_before FROM host WHERE waiting > 0").fetchall()
        for name, pause, not_before in hosts:
            if pause:
                await self._throttle.pace(name, pause)
            wait = min(not_before - self._clock.wall(), self._options.max_wait)
            await self._throttle.slow(name, max(wait, pause, self._options.delay))

    def retry_delay(self, tries: int) -> float:
        """The seconds before a page is requested again that has failed `tries` times."""
        return min(self._options.backoff * 2.0**tries, self._options.max_wait)

    async def _fetch(self, url: str, host: str) -> FetchedPage:
        departure = RequestStartNotifier(self._throttle, host)
        options = self._options
        try:
            return await self._fetcher.fetch(
                url, fresh=options.fresh, conditional=not options.fresh, follow=False, sent=departure.sent
            )
        except FetchFailed as error:
            if wait := error.wait or (self.retry_delay(0) if error.status in _LATER else 0.0):
                # Before this turn ends: nobody else may begin in between.
                await self._throttle.slow(host, wait)
                self._state.execute(
                    "UPDATE host SET not_before = max(not_before, ?) WHERE name = ?", (self._clock.wall() + wait, host)
                )
            raise
        finally:
            await departure.sent()
            await self._throttle.done(host)


class RequestStartNotifier:
    """Notifies a throttle, once, that a request has left."""

    def __init__(self, throttle: CrawlThrottle, host: str) -> None:
        self._throttle = throttle
        self._host = host
        self._notified = False

    async def sent(self) -> None:
        """Notify the throttle, at the first call."""
        if not self._notified:
            self._notified = True
            await self._throttle.begun(self._host)


def redirect_target(page: FetchedPage) -> str:
    """The normalized URL that a page redirects to; empty if it does not redirect, or not to a URL of the web."""
    if not 300 <= page.status < 400:
        return ""
    location = next((value for name, value in page.headers if name.lower() == "location"), "")
    return normalize_url(urljoin(page.url, location)) if location else ""
