"""What sites let programs ask for. https://datatracker.ietf.org/doc/html/rfc9309

A robots.txt that is not there (any 4xx) allows everything; one that can't be had now (5xx, no answer) nothing, for now.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable

from protego import Protego

from oryn.records import Record
from oryn.research.crawling.clock import Clock
from oryn.research.crawling.state import State
from oryn.research.documents import Page
from oryn.research.failures import FetchFailed
from oryn.research.urls import tidy

LARGEST = 500 * 2**10
"""Bytes of a file that are read; what follows them is not heeded (RFC 9309, 2.5)."""
KEPT = 24 * 3600.0
"""Seconds that a file holds (RFC 9309, 2.4)."""
_PARSED = 256


class Rules(Record):
    """What one robots.txt says to us. `pause` is in seconds; `sitemaps` are tidy URLs."""

    file: Protego
    agent: str
    pause: float
    sitemaps: tuple[str, ...]

    @classmethod
    def of(cls, body: bytes, agent: str, origin: str) -> Rules:
        file = Protego.parse(body[:LARGEST].decode("utf-8", "replace").removeprefix("\ufeff"))
        rate = file.request_rate(agent)
        pause = max(file.crawl_delay(agent) or 0.0, rate.seconds / rate.requests if rate and rate.requests else 0.0)
        sitemaps = (tidy(each, origin) for each in file.sitemaps)
        return cls(file=file, agent=agent, pause=pause, sitemaps=tuple(each for each in sitemaps if each))

    def allow(self, url: str) -> bool:
        return self.file.can_fetch(url, self.agent)


class Robots:
    """The rules of every origin, asked for once. `ask` is how: politely, with redirects followed. `met` is told of the
    rules of an origin that the crawl had not met before."""

    def __init__(
        self,
        state: State,
        agent: str,
        ask: Callable[[str], Awaitable[Page]],
        clock: Clock,
        met: Callable[[str, Rules], None],
    ) -> None:
        self._state = state
        self._agent = agent
        self._ask = ask
        self._clock = clock
        self._met = met
        self._parsed: OrderedDict[str, Rules] = OrderedDict()
        self._asking: dict[str, asyncio.Lock] = {}

    async def rules(self, origin: str) -> Rules:
        """The rules of `https://example.org`. Raises what `Fetcher.fetch` does where they can't be had now."""
        lock = self._asking.setdefault(origin, asyncio.Lock())
        try:
            async with lock:
                return await self._rules(origin)
        finally:
            if not lock.locked():
                self._asking.pop(origin, None)

    async def _rules(self, origin: str) -> Rules:
        row = self._state.row("SELECT robots, read_at FROM origin WHERE name = ?", (origin,))
        if row is not None and 0 <= self._clock.wall() - row[1] < KEPT:
            return self._kept(origin, row[0])
        self._parsed.pop(origin, None)
        try:
            body = (await self._ask(f"{origin}/robots.txt")).body[:LARGEST]
        except FetchFailed as error:
            if not _missing(error):
                raise
            body = b""
        with self._state.change():
            self._state.execute("INSERT OR REPLACE INTO origin VALUES (?, ?, ?)", (origin, body, self._clock.wall()))
            rules = self._kept(origin, body)
            if row is None:
                self._met(origin, rules)
        return rules

    def _kept(self, origin: str, body: bytes) -> Rules:
        rules = self._parsed.get(origin) or Rules.of(body, self._agent, origin)
        self._parsed[origin] = rules
        self._parsed.move_to_end(origin)
        if len(self._parsed) > _PARSED:
            self._parsed.popitem(last=False)
        return rules


def _missing(error: FetchFailed) -> bool:
    """429 is a 4xx, but says 'later'."""
    return error.status is not None and 300 <= error.status < 500 and error.status != 429
