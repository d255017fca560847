"""One run of `Research.research`: search → crawl → passages → vectors → index → rank → sum up (seed 004, "Research
Flow").

Pages flow: while one is on its way, the one before is cut and embedded, and the one before that goes into the index.
What fails is told of in the report, and the rest goes on; only where nothing is left is an error raised.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import aclosing, contextmanager
from typing import TYPE_CHECKING

from oryn.errors import OrynError
from oryn.research.copies import without_copies
from oryn.research.crawling import Crawled, CrawlOptions
from oryn.research.documents import Article, Hit, LeftOut, Passage, Progress, Ranked
from oryn.research.failures import CollectionNotFound, FetchFailed, NothingFound, SearchChanged, SearchRefused
from oryn.research.passages import passages
from oryn.research.ranking import rerank
from oryn.research.report import Report
from oryn.research.report.composing import Read, compose
from oryn.research.search import asked_for
from oryn.research.shown import shown
from oryn.research.summary import summarize
from oryn.research.urls import host_of, tidy

if TYPE_CHECKING:
    from oryn.research.research import Research
    from oryn.research.workers import Vectors

CANDIDATES = 60
"""Passages that are looked at, copies among them."""
RANKED = 30
"""Those of them that are ranked again: 20 ms of a processor each."""
PASSAGES = 12
"""That the summary is made of, where nobody asks for more than six sentences."""
LINKED = 6
"""Pages of one site that are read because a page links to them."""
WAITING = 4
"""Articles that wait for the next step; the ones behind them wait where they are."""

Told = Callable[[Progress], None]


class Investigation:
    """`source` and `collection` as in `Research.research`; used once."""

    def __init__(self, research: Research, topic: str, *, source: str, collection: str, told: Told) -> None:
        self._research = research
        self._topic = topic
        self._asked = asked_for(source, research.options.search_provider)
        self._collection = collection
        self._told = told
        self._found_by: dict[str, str] = {}
        self._read: dict[str, Read] = {}
        self._left_out: list[LeftOut] = []
        self._refusal: OrynError | None = None
        self._counts: Counter[str] = Counter()
        self._seconds: defaultdict[str, float] = defaultdict(float)

    async def report(self, *, results: int, depth: int, seeds: Sequence[str], sentences: int) -> Report:
        for url in seeds:
            self._found_by[tidy(url) or url] = "given"
        for hit in await self._hits(results):
            self._found_by.setdefault(tidy(hit.url) or hit.url, hit.provider)
        if self._found_by:
            await self._take_in(list(self._found_by), depth)
        most = max(PASSAGES, 2 * sentences)
        ranked = await self._rank(most)
        if not ranked:
            raise self._nothing()
        chosen = [each.passage for each in without_copies(ranked, most)]
        self._told(Progress("summarize", 0, sentences))
        embedder = await self._research.embedder()
        with self._timed("summarize"):
            summary = await asyncio.to_thread(summarize, chosen, self._topic, embedder=embedder, sentences=sentences)
        self._told(Progress("summarize", len(summary), len(summary)))
        return compose(
            self._topic,
            summary,
            chosen,
            [each.passage for each in ranked],
            self._read,
            left_out=tuple(self._left_out),
            collection=self._collection,
            model=embedder.hash,
            seconds={stage: round(seconds, 3) for stage, seconds in self._seconds.items()},
            counts={**self._counts, "left_out": len(self._left_out)},
        )

    async def _hits(self, results: int) -> list[Hit]:
        """What a search finds. That it is refused is an error only where there is nothing else to report of."""
        provider = self._asked.provider
        if provider is None or results < 1:
            return []
        try:
            with self._timed("search"):
                hits = await self._research.search(self._topic, source=provider, limit=results, progress=self._told)
        except (SearchRefused, SearchChanged, FetchFailed) as error:
            if not self._asked.index and not self._found_by:
                raise
            self._refusal = error
            self._left_out.append(LeftOut(error.code, error.message))
            return []
        self._counts["hits"] = len(hits)
        return hits

    async def _take_in(self, urls: Sequence[str], depth: int) -> None:
        """Read the pages, and put their passages into the index."""
        articles: asyncio.Queue[Article | None] = asyncio.Queue(WAITING)
        embedded: asyncio.Queue[tuple[list[Passage], Vectors] | None] = asyncio.Queue(WAITING)
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._crawl(urls, depth, articles))
                tasks.create_task(self._embed(articles, embedded))
                tasks.create_task(self._put(embedded))
        except BaseExceptionGroup as group:  # the first to fail has ended the others
            raise _first(group) from None

    async def _crawl(self, urls: Sequence[str], depth: int, articles: asyncio.Queue[Article | None]) -> None:
        hosts = Counter(map(host_of, urls))
        options = CrawlOptions(
            scope="host",
            depth=depth,
            pages=len(urls) + depth * LINKED * len(hosts),
            pages_per_host=max(hosts.values()) + depth * LINKED,
            delay=self._research.options.throttle,
            concurrency=self._research.options.concurrency,
        )
        with self._timed("crawl"):
            async with aclosing(self._research.crawl(urls, options, progress=self._told)) as crawl:
                async for crawled in crawl:
                    if article := await self._taken(crawled):
                        await articles.put(article)
        await articles.put(None)

    async def _taken(self, crawled: Crawled) -> Article | None:
        """The article of a page that came; the others are noted."""
        crawled = await shown(crawled, self._research)
        article, error = crawled.article, crawled.error
        if error is not None:
            self._left_out.append(LeftOut(error.code, error.message, crawled.url))
        if article is None or article.url in self._read:
            return None
        found_by = "link" if crawled.depth else self._found_by.get(tidy(crawled.requested or crawled.url), "given")
        # The text is not kept: its passages are.
        self._read[article.url] = Read(article.replace(text="", markdown="", links=()), found_by)
        self._counts["pages"] += 1
        return article

    async def _embed(
        self,
        articles: asyncio.Queue[Article | None],
        embedded: asyncio.Queue[tuple[list[Passage], Vectors] | None],
    ) -> None:
        embedder, workers = await self._research.embedder(), await self._research.workers()
        index = await self._research.index()
        while waiting := await _drawn(articles):
            batch: list[Passage] = []
            with self._timed("embed"):
                for article in waiting:
                    cut = await asyncio.to_thread(passages, article, count=embedder.count, limit=embedder.limit)
                    batch += cut
                    if not cut:
                        await index.delete(self._collection, article.url)
                vectors = await workers.embed([each.text for each in batch]) if batch else None
            if vectors is not None:
                await embedded.put((batch, vectors))
            self._counts["passages"] += len(batch)
            self._told(Progress("embed", self._counts["passages"]))
        await embedded.put(None)

    async def _put(self, embedded: asyncio.Queue[tuple[list[Passage], Vectors] | None]) -> None:
        embedder, index = await self._research.embedder(), await self._research.index()
        done = 0
        while (batch := await embedded.get()) is not None:
            cut, vectors = batch
            with self._timed("index"):
                await index.upsert(self._collection, cut, vectors, model=embedder.hash, replace=True)
            done += len(cut)
            self._told(Progress("index", done))

    async def _rank(self, most: int) -> list[Ranked]:
        """The passages that fit the topic, the best first. With copies: who else says a thing is told too."""
        everywhere = self._asked.index
        if not (everywhere or self._read):
            return []
        self._told(Progress("rank", 0))
        embedder = await self._research.embedder()
        with self._timed("rank"):
            try:
                found = await self._research.passages(
                    self._topic,
                    limit=max(CANDIDATES, 4 * most),
                    collection=self._collection,
                    urls=None if everywhere else list(self._read),
                )
            except CollectionNotFound:
                if self._asked.provider is None:
                    raise
                return []
            first = await asyncio.to_thread(rerank, self._topic, found[:RANKED], embedder=embedder)
        self._counts["candidates"] = len(found)
        self._told(Progress("rank", len(found), len(found)))
        return first + found[RANKED:]

    def _nothing(self) -> OrynError:
        if self._refusal is not None:
            return self._refusal
        reasons = "; ".join(map(str, self._left_out[:3]))
        more = f" and {len(self._left_out) - 3} more" if len(self._left_out) > 3 else ""
        told = f"{len(self._left_out)} pages came to nothing ({reasons}{more})" if reasons else "no pages were found"
        return NothingFound(f"there is nothing to report of {self._topic!r}: {told}")

    @contextmanager
    def _timed(self, stage: str) -> Iterator[None]:
        begun = time.monotonic()
        try:
            yield
        finally:
            self._seconds[stage] += time.monotonic() - begun


async def _drawn(articles: asyncio.Queue[Article | None]) -> list[Article]:
    """All that wait, and one at least: the model is quicker with many passages at once. None at the end."""
    drawn = [await articles.get()]
    while drawn[-1] is not None and not articles.empty():
        drawn.append(articles.get_nowait())
    if drawn[-1] is None and len(drawn) > 1:
        articles.put_nowait(None)  # for the next time: there is room, nobody puts more
    return [article for article in drawn if article is not None]


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    error = group.exceptions[0]
    return _first(error) if isinstance(error, BaseExceptionGroup) else error
