"""robots.txt: which URLs a site allows crawlers to fetch. https://datatracker.ietf.org/doc/html/rfc9309

A missing robots.txt (any 4xx) allows everything; one that is unavailable (5xx, no answer) nothing, for now."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable

from protego import Protego

from oryn.core.records import Record
from oryn.errors import FetchFailed
from oryn.research.crawling.state import CrawlState
from oryn.research.documents import FetchedPage
from oryn.research.fetching.throttle import Clock
from oryn.research.urls import normalize_url

MAX_ROBOTS_BYTES = 500 * 2**10
"""Bytes of a file that are read; the rest is ignored (RFC 9309, 2.5)."""
MAX_AGE_SECONDS = 24 * 3600.0
"""The time for which a file is used (RFC 9309, 2.4)."""
_MAX_PARSED = 256


class RobotsRules(Record):
    """The rules of one robots.txt for our agent. `pause` is in seconds; `sitemaps` are normalized URLs."""

    file: Protego
    agent: str
    pause: float
    sitemaps: tuple[str, ...]

    @classmethod
    def of(cls, body: bytes, agent: str, origin: str) -> RobotsRules:
        """The rules in `body` for `agent`, a product token such as `oryn`. `origin` is the site's, which relative URLs
        of sitemaps refer to. The pause is the longer of `Crawl-delay` and `Request-rate`."""
        file = Protego.parse(body[:MAX_ROBOTS_BYTES].decode("utf-8", "replace").removeprefix("\ufeff"))
        rate = file.request_rate(agent)
        pause = max(file.crawl_delay(agent) or 0.0, rate.seconds / rate.requests if rate and rate.requests else 0.0)
        sitemaps = (normalize_url(each, origin) for each in file.sitemaps)
        return cls(file=file, agent=agent, pause=pause, sitemaps=tuple(each for each in sitemaps if each))

    def allow(self, url: str) -> bool:
        """Whether the rules allow fetching `url`."""
        return self.file.can_fetch(url, self.agent)


class RobotsCache:
    """The rules of each origin, fetched once. `fetch` fetches a URL within the limits of the crawl, with redirects
    followed. `on_new_origin` is called with the rules of an origin that the crawl sees for the first time."""

    def __init__(
        self,
        state: CrawlState,
        agent: str,
        fetch: Callable[[str], Awaitable[FetchedPage]],
        clock: Clock,
        on_new_origin: Callable[[str, RobotsRules], None],
    ) -> None:
        self._state = state
        self._agent = agent
        self._fetch = fetch
        self._clock = clock
        self._on_new_origin = on_new_origin
        self._parsed: OrderedDict[str, RobotsRules] = OrderedDict()
        self._locks: dict[str, asyncio.Lock] = {}

    async def rules(self, origin: str) -> RobotsRules:
        """The rules of an origin (`https://example.org`). Raises what `Fetcher.fetch` does if they can't be fetched
        now."""
        lock = self._locks.setdefault(origin, asyncio.Lock())
        try:
            async with lock:
                return await self._rules(origin)
        finally:
            if not lock.locked():
                self._locks.pop(origin, None)

    async def _rules(self, origin: str) -> RobotsRules:
        row = self._state.row("SELECT robots, read_at FROM origin WHERE name = ?", (origin,))
        if row is not None and 0 <= self._clock.wall() - row[1] < MAX_AGE_SECONDS:
            return self._parse(origin, row[0])
        self._parsed.pop(origin, None)
        try:
            body = (await self._fetch(f"{origin}/robots.txt")).body[:MAX_ROBOTS_BYTES]
        except FetchFailed as error:
            # A status of 4xx means that there are no rules, except 429, which means 'later'.
            if error.status is None or not 300 <= error.status < 500 or error.status == 429:
                raise
            body = b""
        with self._state.change():
            self._state.execute("INSERT OR REPLACE INTO origin VALUES (?, ?, ?)", (origin, body, self._clock.wall()))
            rules = self._parse(origin, body)
            if row is None:
                self._on_new_origin(origin, rules)
        return rules

    def _parse(self, origin: str, body: bytes) -> RobotsRules:
        rules = self._parsed.get(origin) or RobotsRules.of(body, self._agent, origin)
        self._parsed[origin] = rules
        self._parsed.move_to_end(origin)
        if len(self._parsed) > _MAX_PARSED:
            self._parsed.popitem(last=False)
        return rules
