"""Requests of a crawl: each in its host's turn, and what hosts say about when to come again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from oryn.research.crawling.clock import Clock
from oryn.research.crawling.options import CrawlOptions
from oryn.research.crawling.state import State
from oryn.research.crawling.throttle import Throttle
from oryn.research.documents import Page
from oryn.research.failures import FetchFailed
from oryn.research.urls import host_of, tidy

if TYPE_CHECKING:
    from oryn.research.workers import Fetches

ROBOTS_HOPS = 5
"""Redirects of a robots.txt, sitemap or feed that are followed (RFC 9309, 2.3.1.2)."""
_LATER = frozenset({429, 503})


class Asker:
    """Asks for pages. Whoever waits for a host's turn takes nobody else's place meanwhile."""

    def __init__(self, fetcher: Fetches, options: CrawlOptions, throttle: Throttle, state: State, clock: Clock) -> None:
        self._fetcher = fetcher
        self._options = options
        self._throttle = throttle
        self._state = state
        self._clock = clock
        self._free = asyncio.Semaphore(options.concurrency)

    @asynccontextmanager
    async def asking(self, url: str) -> AsyncIterator[Page]:
        """What one request brings; a redirect too. The page counts as on its way until it is left: there are never more
        of them in memory. Raises what `Fetcher.fetch` does."""
        host = host_of(url)
        while True:
            async with self._free:
                pause = await self._throttle.ask(host)
                if not pause:
                    yield await self._fetch(url, host)
                    return
            if pause > self._options.max_wait:
                raise FetchFailed(f"{host} is not to be asked for another {pause:.0f} s", wait=pause)
            await self._clock.sleep(pause)

    async def follow(self, url: str) -> Page:
        """With redirects followed, each in its own host's turn: of what is no page, and has no rules to heed."""
        for _ in range(ROBOTS_HOPS + 1):
            async with self.asking(url) as page:
                target = redirected(page)
            if not target:
                return page
            url = target
        raise FetchFailed(f"{url} leads on and on", status=page.status)

    async def pace(self, host: str, seconds: float) -> None:
        """The host asks for this pause. What holds after an interrupt, too."""
        if seconds:
            self._state.execute("UPDATE host SET pause = ? WHERE name = ? AND pause < ?", (seconds, host, seconds))
            (seconds,) = self._state.row("SELECT coalesce(max(pause), ?) FROM host WHERE name = ?", (seconds, host))
            await self._throttle.pace(host, seconds)

    async def remember(self) -> None:
        """Hold to what hosts asked for before an interrupt, and to the pause after the last request then."""
        hosts = self._state.execute("SELECT name, pause, not_before FROM host WHERE waiting > 0").fetchall()
        for name, pause, not_before in hosts:
            if pause:
                await self._throttle.pace(name, pause)
            wait = min(not_before - self._clock.wall(), self._options.max_wait)
            await self._throttle.slow(name, max(wait, pause, self._options.delay))

    def backed_off(self, tries: int) -> float:
        """The pause before one that failed so often is asked for again."""
        return min(self._options.backoff * 2.0**tries, self._options.max_wait)

    async def _fetch(self, url: str, host: str) -> Page:
        departure = Departure(self._throttle, host)
        options = self._options
        try:
            return await self._fetcher.fetch(
                url, fresh=options.fresh, conditional=not options.fresh, follow=False, sent=departure.sent
            )
        except FetchFailed as error:
            if wait := error.wait or (self.backed_off(0) if error.status in _LATER else 0.0):
                # Before this turn ends: nobody else may begin in between.
                await self._throttle.slow(host, wait)
                self._state.execute(
                    "UPDATE host SET not_before = max(not_before, ?) WHERE name = ?", (self._clock.wall() + wait, host)
                )
            raise
        finally:
            await departure.sent()
            await self._throttle.done(host)


class Departure:
    """Tells a throttle, once, that a request has left."""

    def __init__(self, throttle: Throttle, host: str) -> None:
        self._throttle = throttle
        self._host = host
        self._left = False

    async def sent(self) -> None:
        if not self._left:
            self._left = True
            await self._throttle.begun(self._host)


def redirected(page: Page) -> str:
    """Where a page redirects to: a tidy URL; empty when it does not, or nowhere that can be gone to."""
    if not 300 <= page.status < 400:
        return ""
    location = next((value for name, value in page.headers if name.lower() == "location"), "")
    return tidy(urljoin(page.url, location)) if location else ""
