"""`crawl` and its engine: lanes, each of which processes the URLs of one host, and the results as they come.

Pages become articles by the workers that are passed, or in threads of this process."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, Self

from oryn.errors import CrawlStateInvalid, FetchFailed
from oryn.research.crawling.downloader import Downloader
from oryn.research.crawling.frontier import Frontier, TaskKind
from oryn.research.crawling.models import CrawlOptions, CrawlResult, CrawlTotals, PageFailure
from oryn.research.crawling.processor import PageDataReader, PageProcessor, PageRenderer
from oryn.research.crawling.scope import CrawlScope
from oryn.research.crawling.state import CrawlState, Outbox
from oryn.research.documents import Article, FetchedPage, ResearchProgress
from oryn.research.fetching.throttle import Clock, CrawlThrottle, LocalThrottle, SystemClock
from oryn.research.urls import normalize_url, origin_of

if TYPE_CHECKING:
    from oryn.research.fetching.request import PageFetcher


class ArticleReader(Protocol):
    """Extracts articles: `PipelineWorkers` of `oryn.research.workers`."""

    async def article(self, page: FetchedPage) -> Article:
        """Extract the article of a page. Raises `NoText`, `NeedsBrowser`, `ExtractionFailed`."""


def article_reader(workers: ArticleReader | None) -> Callable[[FetchedPage], Awaitable[Article]]:
    """The function of `workers` that extracts an article; without workers, one that uses a thread of this process."""
    return _read_in_thread if workers is None else workers.article


async def _read_in_thread(page: FetchedPage) -> Article:
    from oryn.research.extractor import read  # it has what reads HTML and PDF

    return await asyncio.to_thread(read, page)


_MAX_TASKS_PER_LANE = 16
"""Tasks that a lane processes before another host may have its place."""
_LANES_PER_REQUEST = 8
"""Lanes for each concurrent request: most of them wait for the turn of their host."""
_MAX_PENDING_RESULTS = 64
"""Results that wait to be delivered; at the limit, no more pages are requested."""
_MAX_SLEEP_SECONDS = 1.0
"""The longest sleep of a lane while all tasks of its host wait for a retry."""


class CrawlEngine:
    """One run of a crawl, from its beginning or from where it was interrupted."""

    def __init__(
        self,
        seeds: Sequence[str],
        options: CrawlOptions,
        fetcher: PageFetcher,
        workers: ArticleReader | None,
        path: Path | None,
        progress: Callable[[ResearchProgress], None] | None,
        throttle: CrawlThrottle,
        clock: Clock,
        render: PageRenderer | None = None,
        read_data: PageDataReader | None = None,
    ) -> None:
        self._seeds = [(seed, normalize_url(seed)) for seed in dict.fromkeys(seeds)]
        self._options = options
        self._progress = progress
        self._clock = clock
        self._state = CrawlState(path, [url or seed for seed, url in self._seeds], options)
        self._frontier = Frontier(self._state, options)
        self._outbox = Outbox(self._state)
        self._downloader = Downloader(fetcher, options, throttle, self._state, clock)
        self._scope = CrawlScope(self._state.roots, options)
        self._processor = PageProcessor(
            self._state,
            self._frontier,
            self._outbox,
            self._downloader,
            self._scope,
            options,
            clock,
            article_reader(workers),
            render,
            read_data,
        )
        self._lanes: Counter[str] = Counter()
        self._changed = asyncio.Event()
        self._results_changed = asyncio.Event()
        self._drained = asyncio.Event()
        self._last: CrawlTotals | None = None

    @property
    def totals(self) -> CrawlTotals:
        """The figures of the crawl, now and after its end."""
        return self._last or self._state.totals

    async def results(self, after: int) -> AsyncGenerator[CrawlResult, None]:
        """The results that were not delivered yet, and then the new ones. A result counts as delivered when the next
        one is requested; those up to the number `after` count as delivered from the start. Raises `CrawlStateInvalid`
        if the state can't be read or written."""
        crawling: asyncio.Task[None] | None = None
        try:
            self._outbox.acknowledge(after)
            await self._start_or_resume()
            crawling = asyncio.create_task(self._crawl())
            while (crawled := await self._next(crawling)) is not None:
                yield crawled
                self._outbox.acknowledge(crawled.number)
                self._drain()
        except sqlite3.Error as error:
            raise CrawlStateInvalid(f"{self._state.path} can't be read or written: {error}") from error
        finally:
            if crawling is not None:
                crawling.cancel()
                with suppress(asyncio.CancelledError, Exception):  # raised already, or the caller has left
                    await crawling
            self.close()

    def close(self) -> None:
        """Close the state."""
        if self._last is None:
            with suppress(sqlite3.Error):
                self._last = self._state.totals
            self._state.close()

    async def _next(self, crawling: asyncio.Task[None]) -> CrawlResult | None:
        while True:
            self._results_changed.clear()
            if (crawled := self._outbox.first()) is not None:
                return crawled
            if crawling.done():
                crawling.result()
                return None
            await self._results_changed.wait()

    async def _start_or_resume(self) -> None:
        if self._state.resumed:
            await self._downloader.restore_pauses()
        else:
            self._add_seeds()
        self._drain()

    def _add_seeds(self) -> None:
        with self._state.change():
            for seed, url in self._seeds:
                if not url:
                    self._state.count("failed")
                    failure = PageFailure.of(FetchFailed(f"{seed!r} is not a URL of the web"))
                    self._outbox.put(CrawlResult(number=0, url=seed, depth=0, error=failure))
                    continue
                self._state.execute("INSERT OR IGNORE INTO root VALUES (?)", (url,))
                self._scope.widen(url)
                self._frontier.add((url,), depth=0, limited=False)
                if self._options.sitemaps and not self._options.robots and self._options.depth != 0:
                    self._frontier.add((f"{origin_of(url)}/sitemap.xml",), depth=0, kind=TaskKind.LISTING)
            # Only now: a state without its seeds would be a crawl that has ended.
            self._state.begun()

    def _drain(self) -> None:
        if len(self._outbox) < _MAX_PENDING_RESULTS:
            self._drained.set()
        else:
            self._drained.clear()

    async def _crawl(self) -> None:
        """Start lanes until no URL is left to request."""
        try:
            async with asyncio.TaskGroup() as group:
                while True:
                    self._changed.clear()
                    self._start_lanes(group)
                    if not self._lanes.total():
                        return
                    await self._changed.wait()
        except BaseExceptionGroup as failures:
            raise failures.exceptions[0] from None
        finally:
            self._results_changed.set()

    def _start_lanes(self, group: asyncio.TaskGroup) -> None:
        """Start lanes for the hosts that have none; then second ones."""
        free = self._options.concurrency * _LANES_PER_REQUEST - self._lanes.total()
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
            for _ in range(_MAX_TASKS_PER_LANE):
                await self._drained.wait()
                task = self._frontier.take(host, self._clock.wall())
                if task is None:
                    return
                if isinstance(task, float):
                    await self._clock.sleep(min(task, _MAX_SLEEP_SECONDS))
                    continue
                try:
                    await self._processor.process(task)
                finally:
                    self._frontier.release(task)
                self._after_task(task.url)
        finally:
            self._lanes[host] -= 1
            if not self._lanes[host]:
                del self._lanes[host]
            self._changed.set()

    def _after_task(self, url: str) -> None:
        self._results_changed.set()
        self._changed.set()
        self._drain()
        if self._progress is not None:
            totals = self._state.totals
            done = totals.told + totals.failed
            discovered = done + totals.waiting
            total = min(discovered, self._options.pages) if self._options.pages else discovered
            self._progress(ResearchProgress(stage="crawl", done=done, total=total, detail=url))


class CrawlRun:
    """The results of a crawl after the number `after`, an asynchronous iterator. A caller that leaves it before its end
    must close it (`aclose`, or `contextlib.aclosing`); the pages in progress are abandoned then, and requested again if
    the crawl goes on."""

    def __init__(self, run: CrawlEngine, after: int) -> None:
        # The run knows nothing of who iterates it: a crawl that is dropped ends with its last reference.
        self._engine = run
        self._results: AsyncGenerator[CrawlResult, None] = run.results(after)

    @property
    def totals(self) -> CrawlTotals:
        """The figures of the crawl, now and after its end."""
        return self._engine.totals

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> CrawlResult:
        return await anext(self._results)

    async def aclose(self) -> None:
        """End the crawl, also before its first result was requested."""
        await self._results.aclose()
        self._engine.close()  # also where nothing was asked for


def crawl(
    seeds: Iterable[str],
    options: CrawlOptions = CrawlOptions(),  # noqa: B008 - frozen
    *,
    fetcher: PageFetcher,
    workers: ArticleReader | None = None,
    state: Path | None = None,
    progress: Callable[[ResearchProgress], None] | None = None,
    throttle: CrawlThrottle | None = None,
    after: int = 0,
    clock: Clock | None = None,
    render: PageRenderer | None = None,
    read_data: PageDataReader | None = None,
) -> CrawlRun:
    """Crawl from `seeds` (absolute URLs) on; yields a result for each page as soon as it is there. Must be called in an
    event loop.

    With a file as `state`, a crawl can be interrupted at any moment, also by `kill -9`, and goes on with the same call:
    delivered results are not repeated, pages in progress are requested again. A result counts as delivered when the
    next one is requested. If the process is killed between these two moments, the result is delivered once more, with
    the same `number`. A caller that stores the number of the last result it has saved passes it as `after`, and gets
    each result exactly once (as `CrawlJournal` does). The limits in `options` may be changed when a crawl goes on;
    seeds, scope and patterns may not.

    `render` loads a page in a browser, if `options.browser` says so. `read_data` makes the `data` of results.

    Pages that fail are results with an `error`. Raises `CrawlStateInvalid`: at the call, if `state` belongs to another
    crawl or another process has it open; from the iteration, if it can't be written or if no result of the number
    `after` was delivered yet."""
    clock = clock or SystemClock()
    throttle = throttle or LocalThrottle(options.delay, options.per_host, clock)
    engine = CrawlEngine(list(seeds), options, fetcher, workers, state, progress, throttle, clock, render, read_data)
    return CrawlRun(engine, after)
