"""A crawl under way: lanes that take one host's addresses each, and the results as they come."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from oryn.research.crawling.asking import Asker
from oryn.research.crawling.clock import Clock
from oryn.research.crawling.frontier import Frontier, Kind
from oryn.research.crawling.options import CrawlOptions
from oryn.research.crawling.outbox import Outbox
from oryn.research.crawling.reading import Reads, reader
from oryn.research.crawling.results import Crawled, Failure, Totals
from oryn.research.crawling.scope import Scope
from oryn.research.crawling.state import State
from oryn.research.crawling.throttle import Throttle
from oryn.research.crawling.visiting import Visits
from oryn.research.documents import Progress
from oryn.research.failures import CrawlStateInvalid, FetchFailed
from oryn.research.urls import origin_of, tidy

if TYPE_CHECKING:
    from oryn.research.workers import Fetches

_TURNS = 16
"""Addresses that a lane takes before another host may have its place."""
_LANES = 8
"""Lanes for each page that may be on its way: most wait for their host's turn."""
_UNTAKEN = 64
"""Results that wait to be taken, at most; no more pages are asked for then."""
_NAP = 1.0
"""Seconds that a lane sleeps at most while its host has nothing but what failed a moment ago."""


class Run:
    """One run of a crawl, from its beginning or from where it was interrupted."""

    def __init__(
        self,
        seeds: Sequence[str],
        options: CrawlOptions,
        fetcher: Fetches,
        workers: Reads | None,
        path: Path | None,
        progress: Callable[[Progress], None] | None,
        throttle: Throttle,
        clock: Clock,
    ) -> None:
        self._seeds = [(seed, tidy(seed)) for seed in dict.fromkeys(seeds)]
        self._options = options
        self._progress = progress
        self._clock = clock
        self._state = State(path, [url or seed for seed, url in self._seeds], options)
        self._frontier = Frontier(self._state, options)
        self._outbox = Outbox(self._state)
        self._asker = Asker(fetcher, options, throttle, self._state, clock)
        self._scope = Scope(self._state.roots, options)
        self._visits = Visits(
            self._state, self._frontier, self._outbox, self._asker, self._scope, options, clock, reader(workers)
        )
        self._lanes: Counter[str] = Counter()
        self._changed = asyncio.Event()
        self._news = asyncio.Event()
        self._drained = asyncio.Event()
        self._last: Totals | None = None

    @property
    def totals(self) -> Totals:
        """As they are, and as they were in the end."""
        return self._last or self._state.totals

    async def results(self, after: int) -> AsyncGenerator[Crawled, None]:
        """What was not told yet, and then what comes. A result is delivered when the next is asked for."""
        crawling: asyncio.Task[None] | None = None
        try:
            self._outbox.taken(after)
            await self._begin()
            crawling = asyncio.create_task(self._crawl())
            while (crawled := await self._next(crawling)) is not None:
                yield crawled
                self._outbox.taken(crawled.number)
                self._drain()
        except sqlite3.Error as error:
            raise CrawlStateInvalid(f"{self._state.path} can't be read or written: {error}") from error
        finally:
            if crawling is not None:
                crawling.cancel()
                with suppress(asyncio.CancelledError, Exception):  # what it ended with was told, or nobody asks
                    await crawling
            self.close()

    def close(self) -> None:
        """Let go of the state."""
        if self._last is None:
            with suppress(sqlite3.Error):
                self._last = self._state.totals
            self._state.close()

    async def _next(self, crawling: asyncio.Task[None]) -> Crawled | None:
        while True:
            self._news.clear()
            if (crawled := self._outbox.first()) is not None:
                return crawled
            if crawling.done():
                crawling.result()
                return None
            await self._news.wait()

    async def _begin(self) -> None:
        if self._state.resumed:
            await self._asker.remember()
        else:
            self._sow()
        self._drain()

    def _sow(self) -> None:
        with self._state.change():
            for seed, url in self._seeds:
                if not url:
                    self._state.count("failed")
                    failure = Failure.of(FetchFailed(f"{seed!r} is no URL of the web"))
                    self._outbox.put(Crawled(number=0, url=seed, depth=0, error=failure))
                    continue
                self._state.execute("INSERT OR IGNORE INTO root VALUES (?)", (url,))
                self._scope.widen(url)
                self._frontier.add((url,), depth=0, limited=False)
                if self._options.sitemaps and not self._options.robots and self._options.depth != 0:
                    self._frontier.add((f"{origin_of(url)}/sitemap.xml",), depth=0, kind=Kind.LISTING)
            # Only now: a state without its seeds would be a crawl that has ended.
            self._state.begun()

    def _drain(self) -> None:
        if len(self._outbox) < _UNTAKEN:
            self._drained.set()
        else:
            self._drained.clear()

    async def _crawl(self) -> None:
        """Until nothing is left to ask for."""
        try:
            async with asyncio.TaskGroup() as group:
                while True:
                    self._changed.clear()
                    self._start(group)
                    if not self._lanes.total():
                        return
                    await self._changed.wait()
        except BaseExceptionGroup as failures:
            raise failures.exceptions[0] from None
        finally:
            self._news.set()

    def _start(self, group: asyncio.TaskGroup) -> None:
        """Lanes for hosts that have none; then second ones."""
        free = self._options.concurrency * _LANES - self._lanes.total()
        if free <= 0:
            return
        hosts = self._frontier.hosts(len(self._lanes) + free)
        for already in range(self._options.per_host):
            for host, waiting in hosts:
                if free and self._lanes[host] == already < waiting:
                    free -= 1
                    self._lanes[host] += 1
                    group.create_task(self._lane(host))

    async def _lane(self, host: str) -> None:
        try:
            for _ in range(_TURNS):
                await self._drained.wait()
                task = self._frontier.take(host, self._clock.wall())
                if task is None:
                    return
                if isinstance(task, float):
                    await self._clock.sleep(min(task, _NAP))
                    continue
                try:
                    await self._visits.visit(task)
                finally:
                    self._frontier.release(task)
                self._visited(task.url)
        finally:
            self._lanes[host] -= 1
            if not self._lanes[host]:
                del self._lanes[host]
            self._changed.set()

    def _visited(self, url: str) -> None:
        self._news.set()
        self._changed.set()
        self._drain()
        if self._progress is not None:
            totals = self._state.totals
            done = totals.told + totals.failed
            most = done + totals.waiting
            total = min(most, self._options.pages) if self._options.pages else most
            self._progress(Progress(stage="crawl", done=done, total=total, detail=url))
