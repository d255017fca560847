"""The pipeline behind `Research.research`: search → crawl → passages → vectors → index → rank → summarize
(docs/research.md#research-reports).

Pages flow through the stages concurrently: while one is fetched, the previous one is split and embedded, and the
one before that is written to the index. Failures are listed in the report and the pipeline goes on; an error is
raised only if nothing is left to report."""

from __future__ import annotations

import asyncio
import math
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import aclosing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from oryn.core.records import Record
from oryn.errors import CollectionNotFound, FetchFailed, NothingFound, OrynError, SearchChanged, SearchRefused
from oryn.research.crawling import CrawlOptions, CrawlResult
from oryn.research.documents import Article, Hit, LeftOut, Passage, ProgressCallback, RankedPassage, ResearchProgress
from oryn.research.fetching.local_documents import page_of_file
from oryn.research.operations import crawl_pages, find_passages, search_pages, with_browser_fallback
from oryn.research.passages.ranking import rerank
from oryn.research.passages.splitter import passages
from oryn.research.report import Report
from oryn.research.report.deduplication import copies_in_order, without_duplicates
from oryn.research.report.plan import planned_questions
from oryn.research.report.report import ReadPage, build_report
from oryn.research.report.summary import Sentence, summarize
from oryn.research.report.written import WrittenSentence, write_sentences
from oryn.research.search import sources_for
from oryn.research.urls import host_of, normalize_url

if TYPE_CHECKING:
    from oryn.models.model import ChatModel
    from oryn.research.context import ResearchContext
    from oryn.research.embedding.embedder import Vectors

MAX_CANDIDATES = 60
"""Passages that are requested from the index, with duplicates."""
MAX_RERANKED = 30
"""The number of them that are reranked: each takes 20 ms of CPU time."""
MIN_SUMMARY_PASSAGES = 12
"""Passages that the summary is made of, for up to six sentences."""
MAX_LINKED_PAGES_PER_SITE = 6
"""Pages of one site that are read because a page links to them."""
QUEUE_SIZE = 4
"""Articles that wait for the next stage; at the limit, the stage before waits."""


class QuestionAnswer(Record):
    """What was found for one question: the sentences, the passages that they were chosen from, and all that match."""

    summary: tuple[Sentence, ...] = ()
    chosen: tuple[Passage, ...] = ()
    candidates: tuple[Passage, ...] = ()


class ResearchPipeline:
    """One run of `Research.research`, whose `topic`, `source` and `collection` these are."""

    def __init__(
        self, context: ResearchContext, topic: str, *, source: str, collection: str, progress: ProgressCallback
    ) -> None:
        self._context = context
        self._topic = topic
        self._sources = sources_for(source, context.options.search_provider)
        self._collection = collection
        self._on_progress = progress
        self._found_by: dict[str, str] = {}
        self._order: dict[str, float] = {}
        self._read: dict[str, ReadPage] = {}
        self._left_out: list[LeftOut] = []
        self._refusal: OrynError | None = None
        self._counts: Counter[str] = Counter()
        self._seconds: defaultdict[str, float] = defaultdict(float)

    async def report(
        self,
        *,
        results: int,
        depth: int,
        seeds: Sequence[str],
        sentences: int,
        files: Sequence[Path] = (),
        questions: int = 1,
        writer: ChatModel | None = None,
        planner: ChatModel | None = None,
    ) -> Report:
        """The report; parameters and errors as in `Research.research`, but `files` are documents alone, `writer` writes
        a text, and `planner` plans the questions."""
        planned = await planned_questions(self._topic, questions, planner)
        for url in seeds:
            self._found_by[normalize_url(url) or url] = "given"
        for question in planned:
            for hit in await self._hits(question, -(-results // len(planned))):
                self._found_by.setdefault(normalize_url(hit.url) or hit.url, hit.provider)
        if self._found_by or files:
            await self._ingest(list(self._found_by), depth, files)
        found = [await self._answer(question, -(-sentences // len(planned))) for question in planned]
        chosen = _unique(passage for each in found for passage in each.chosen)
        if not chosen:
            raise self._nothing_found()
        several = len(planned) > 1
        summary = _unique_sentences(
            sentence.replace(question=number) if several else sentence
            for number, each in enumerate(found, 1)
            for sentence in each.summary
        )
        return build_report(
            self._topic,
            summary,
            chosen,
            _unique(passage for each in found for passage in each.candidates),
            self._read,
            written=await self._write(chosen, writer, sentences) if writer else (),
            writer=writer.name if writer else "",
            questions=planned if several else (),
            left_out=tuple(self._left_out),
            collection=self._collection,
            model=(await self._context.embedder()).hash,
            seconds={stage: round(seconds, 3) for stage, seconds in self._seconds.items()},
            counts={**self._counts, "left_out": len(self._left_out)},
        )

    async def _answer(self, question: str, sentences: int) -> QuestionAnswer:
        """The passages for a question, and its summary; empty if there are none."""
        passage_count = max(MIN_SUMMARY_PASSAGES, 2 * sentences)
        ranked = await self._rank(question, passage_count)
        chosen = [each.passage for each in without_duplicates(ranked, passage_count)]
        if not chosen:
            return QuestionAnswer()
        self._on_progress(ResearchProgress("summarize", 0, sentences))
        embedder = await self._context.embedder()
        with self._timed("summarize"):
            summary = await asyncio.to_thread(summarize, chosen, question, embedder=embedder, sentences=sentences)
        self._on_progress(ResearchProgress("summarize", len(summary), len(summary)))
        return QuestionAnswer(tuple(summary), tuple(chosen), tuple(each.passage for each in ranked))

    async def _write(self, chosen: Sequence[Passage], writer: ChatModel, sentences: int) -> list[WrittenSentence]:
        self._on_progress(ResearchProgress("write", 0, sentences))
        with self._timed("write"):
            written, unsupported = await write_sentences(self._topic, chosen, writer, sentences)
        self._counts["unsupported"] = unsupported
        self._on_progress(ResearchProgress("write", len(written), len(written)))
        return written

    async def _hits(self, question: str, results: int) -> list[Hit]:
        """The hits of the search. That the search is refused is an error only if there is nothing else to report on."""
        provider = self._sources.provider
        if provider is None or results < 1:
            return []
        try:
            with self._timed("search"):
                hits = await search_pages(
                    self._context, question, source=provider, limit=results, progress=self._on_progress
                )
        except (SearchRefused, SearchChanged, FetchFailed) as error:
            if not self._sources.index and not self._found_by:
                raise
            self._refusal = error
            self._left_out.append(LeftOut(error.code, error.message))
            return []
        self._counts["hits"] += len(hits)
        return hits

    async def _ingest(self, urls: Sequence[str], depth: int, files: Sequence[Path]) -> None:
        """Read the documents and the pages, and write their passages to the index."""
        articles: asyncio.Queue[Article | None] = asyncio.Queue(QUEUE_SIZE)
        embedded: asyncio.Queue[tuple[list[Passage], Vectors] | None] = asyncio.Queue(QUEUE_SIZE)
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._read_all(urls, depth, files, articles))
                tasks.create_task(self._embed(articles, embedded))
                tasks.create_task(self._put(embedded))
        except BaseExceptionGroup as group:  # the first to fail has ended the others
            raise _first_error(group) from None

    async def _read_all(
        self, urls: Sequence[str], depth: int, files: Sequence[Path], articles: asyncio.Queue[Article | None]
    ) -> None:
        for number, file in enumerate(files, 1):
            if article := await self._read_file(file):
                await articles.put(article)
            self._on_progress(ResearchProgress("extract", number, len(files), file.name))
        if urls:
            await self._crawl(urls, depth, articles)
        await articles.put(None)

    async def _read_file(self, file: Path) -> Article | None:
        """The article of a document (its absolute path), or None; failures are listed."""
        workers, max_bytes = await self._context.workers(), self._context.options.max_body * 1_000_000
        try:
            with self._timed("files"):
                page = await asyncio.to_thread(page_of_file, file, max_bytes=max_bytes)
                article = await workers.article(page)
        except OrynError as error:
            self._left_out.append(LeftOut(error.code, error.message, file.as_uri()))
            return None
        return self._list_read(article, "file", -1)

    async def _crawl(self, urls: Sequence[str], depth: int, articles: asyncio.Queue[Article | None]) -> None:
        hosts = Counter(map(host_of, urls))
        options = CrawlOptions(
            scope="host",
            depth=depth,
            pages=len(urls) + depth * MAX_LINKED_PAGES_PER_SITE * len(hosts),
            pages_per_host=max(hosts.values()) + depth * MAX_LINKED_PAGES_PER_SITE,
            delay=self._context.options.throttle,
            concurrency=self._context.options.concurrency,
        )
        with self._timed("crawl"):
            async with aclosing(crawl_pages(self._context, urls, options, progress=self._on_progress)) as crawl:
                async for crawled in crawl:
                    if article := await self._accept(crawled):
                        await articles.put(article)

    async def _accept(self, crawled: CrawlResult) -> Article | None:
        """The article of a page, or None; failures are listed."""
        crawled = await with_browser_fallback(self._context, crawled)
        article, error = crawled.article, crawled.error
        if error is not None:
            self._left_out.append(LeftOut(error.code, error.message, crawled.url))
        if article is None:
            return None
        requested = normalize_url(crawled.requested or crawled.url)
        found_by = "link" if crawled.depth else self._found_by.get(requested, "given")
        place = list(self._found_by).index(requested) if requested in self._found_by else math.inf
        return self._list_read(article, found_by, place)

    def _list_read(self, article: Article, found_by: str, place: float) -> Article | None:
        """The article, listed as read; None if it was read before. `place` orders pages that say the same."""
        if article.url in self._read:
            return None
        self._order[article.url] = place
        # The text is not kept: its passages are.
        self._read[article.url] = ReadPage(
            article.replace(text="", markdown="", links=(), rows=(), headers=()), found_by
        )
        self._counts["pages"] += 1
        return article

    async def _embed(
        self,
        articles: asyncio.Queue[Article | None],
        embedded: asyncio.Queue[tuple[list[Passage], Vectors] | None],
    ) -> None:
        embedder, workers = await self._context.embedder(), await self._context.workers()
        index = await self._context.index()
        while waiting := await _drain(articles):
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
            self._on_progress(ResearchProgress("embed", self._counts["passages"]))
        await embedded.put(None)

    async def _put(self, embedded: asyncio.Queue[tuple[list[Passage], Vectors] | None]) -> None:
        embedder, index = await self._context.embedder(), await self._context.index()
        done = 0
        while (batch := await embedded.get()) is not None:
            cut, vectors = batch
            with self._timed("index"):
                await index.upsert(self._collection, cut, vectors, model=embedder.hash, replace=True)
            done += len(cut)
            self._on_progress(ResearchProgress("index", done))

    async def _rank(self, question: str, passage_count: int) -> list[RankedPassage]:
        """The passages that match the question, the best first. Duplicates are included, since their pages are cited
        too."""
        everywhere = self._sources.index
        if not (everywhere or self._read):
            return []
        self._on_progress(ResearchProgress("rank", 0))
        embedder = await self._context.embedder()
        with self._timed("rank"):
            try:
                found = await find_passages(
                    self._context,
                    question,
                    limit=max(MAX_CANDIDATES, 4 * passage_count),
                    collection=self._collection,
                    urls=None if everywhere else list(self._read),
                )
            except CollectionNotFound:
                if self._sources.provider is None:
                    raise
                return []
            first = await asyncio.to_thread(rerank, question, found[:MAX_RERANKED], embedder=embedder)
        self._counts["candidates"] += len(found)
        self._on_progress(ResearchProgress("rank", len(found), len(found)))
        return copies_in_order(first + found[MAX_RERANKED:], lambda url: self._order.get(url, math.inf))

    def _nothing_found(self) -> OrynError:
        if self._refusal is not None:
            return self._refusal
        reasons = "; ".join(map(str, self._left_out[:3]))
        more = f" and {len(self._left_out) - 3} more" if len(self._left_out) > 3 else ""
        outcome = f"{len(self._left_out)} pages came to nothing ({reasons}{more})" if reasons else "no pages were found"
        return NothingFound(f"there is nothing to report of {self._topic!r}: {outcome}")

    @contextmanager
    def _timed(self, stage: str) -> Iterator[None]:
        started = time.monotonic()
        try:
            yield
        finally:
            self._seconds[stage] += time.monotonic() - started


def _unique(passages: Iterable[Passage]) -> list[Passage]:
    return list({passage.id: passage for passage in passages}.values())


def _unique_sentences(sentences: Iterable[Sentence]) -> list[Sentence]:
    """The sentences without those that answer an earlier question too."""
    return list({(each.passage, each.begin): each for each in reversed(list(sentences))}.values())[::-1]


async def _drain(articles: asyncio.Queue[Article | None]) -> list[Article]:
    """All waiting articles, at least one: the model is faster with many passages at once. Empty at the end."""
    drawn = [await articles.get()]
    while drawn[-1] is not None and not articles.empty():
        drawn.append(articles.get_nowait())
    if drawn[-1] is None and len(drawn) > 1:
        articles.put_nowait(None)  # for the next time: there is room, nobody puts more
    return [article for article in drawn if article is not None]


def _first_error(group: BaseExceptionGroup[BaseException]) -> BaseException:
    error = group.exceptions[0]
    return _first_error(error) if isinstance(error, BaseExceptionGroup) else error
