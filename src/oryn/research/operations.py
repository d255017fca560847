"""The operations of a `Research` that its pipelines use too: search, crawl, and the query of the index.
Functions of a `ResearchContext`; `Research` has each as a method, with its parameters described there."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from oryn.errors import (
    CollectionNotFound,
    FetchFailed,
    NeedsBrowser,
    NoText,
    OrynError,
    SearchChanged,
    SearchRefused,
)
from oryn.research.documents import (
    FetchedPage,
    Hits,
    LeftOut,
    ProgressCallback,
    RankedPassage,
    ResearchProgress,
)

if TYPE_CHECKING:
    from oryn.research.context import ResearchContext
    from oryn.research.crawling import CrawlOptions, CrawlResult, CrawlRun, CrawlTotals


FALLBACK_CODES = frozenset({NeedsBrowser.code, NoText.code})
"""Errors of pages of a crawl that a browser may read: the crawler has none, its caller may have one."""


def ignore_progress(progress: ResearchProgress) -> None:
    """A progress callback that does nothing."""


async def search_pages(
    context: ResearchContext,
    query: str,
    *,
    source: str | None = None,
    limit: int | None = None,
    rerank: bool = False,
    collection: str | None = None,
    progress: ProgressCallback | None = None,
) -> Hits:
    """Search the web and the index. Parameters and errors as in `Research.search`."""
    from oryn.research.search import provider_of, search, sources_for

    is_default, source = source is None, source or context.options.search_provider
    limit = max(1, context.options.search_limit if limit is None else limit)
    report_progress = progress or ignore_progress
    report_progress(ResearchProgress("search", 0, None, source))
    sources = sources_for(source, context.options.search_provider)
    may_fall_back = is_default or sources.index

    async def search_index(limit: int) -> list[RankedPassage]:
        return await find_passages(context, query, limit=limit, collection=collection)

    searching = partial(
        search,
        query,
        limit=limit,
        embed=(await context.workers()).embed if rerank else None,
        min_similarity=context.options.rerank_threshold,
    )
    client = await context.search_client()
    provider = provider_of(sources.provider, context.options, client) if sources.provider else None
    try:
        hits = Hits(await searching(provider=provider, indexed=search_index if sources.index else None))
    except (FetchFailed, SearchRefused, SearchChanged) as error:
        hits = Hits(left_out=[LeftOut(error.code, error.message)])
        if may_fall_back:
            with suppress(CollectionNotFound):
                hits += await searching(provider=None, indexed=search_index)
        if not hits:
            raise
    report_progress(ResearchProgress("search", len(hits), len(hits), source))
    return hits


async def find_passages(
    context: ResearchContext,
    query: str,
    *,
    limit: int = 10,
    collection: str | None = None,
    urls: Sequence[str] | None = None,
) -> list[RankedPassage]:
    """Query the index. Parameters and errors as in `Research.passages`."""
    embedder, index = await context.embedder(), await context.index()
    [vector] = await (await context.workers()).embed([query])
    return await index.search(
        collection or context.options.collection, query, vector, limit=limit, model=embedder.hash, urls=urls
    )


async def with_browser_fallback(context: ResearchContext, crawled: CrawlResult) -> CrawlResult:
    """`crawled` with its article if the renderer of `context` can read a page that the crawler could not, else with the
    error of that. Other results are returned as they are."""
    if crawled.error is None or crawled.error.code not in FALLBACK_CODES:
        return crawled
    from oryn.research.crawling import PageFailure
    from oryn.research.extractor import extract

    workers = await context.workers()
    try:
        article = await extract(
            crawled.url, fetcher=await context.fetcher(), renderer=context.renderer, run=workers.article
        )
    except OrynError as refusal:
        return crawled.replace(error=PageFailure.of(refusal))
    return crawled.replace(article=article, error=None)


class LazyCrawl(AsyncIterator["CrawlResult"]):
    """A crawl that creates its fetcher, workers and throttle when its first page is requested. An asynchronous
    iterator of the pages; `aclose` ends the crawl at any point, and so does reading to its end."""

    def __init__(self, start: Callable[[], Awaitable[CrawlRun]]) -> None:
        self._start = start
        self._crawl: CrawlRun | None = None

    @property
    def totals(self) -> CrawlTotals:
        """The figures of the crawl until now."""
        from oryn.research.crawling import CrawlTotals

        return CrawlTotals() if self._crawl is None else self._crawl.totals

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> CrawlResult:
        if self._crawl is None:
            self._crawl = await self._start()
        return await anext(self._crawl)

    async def aclose(self) -> None:
        """End the crawl, if it has begun."""
        if self._crawl is not None:
            await self._crawl.aclose()


def crawl_pages(
    context: ResearchContext,
    seeds: Sequence[str],
    options: CrawlOptions | None = None,
    *,
    state: Path | None = None,
    after: int = 0,
    progress: ProgressCallback | None = None,
    schema: Mapping[str, Any] | None = None,
) -> LazyCrawl:
    """Crawl from `seeds` on. Parameters and errors as in `Research.crawl`."""

    async def start() -> CrawlRun:
        from oryn.research.crawling import CrawlOptions, crawl
        from oryn.research.extractor import render_page

        chosen = options or CrawlOptions(delay=context.options.throttle)
        if context.options.user_agent and chosen.agent == CrawlOptions().agent:
            # A robots.txt addresses the name that its server sees.
            chosen = chosen.replace(agent=context.options.user_agent.partition("/")[0].strip())
        read_data = None
        if schema is not None:
            chosen = chosen.replace(articles=False)
            read_data = _data_reader(context, schema)
        workers = await context.workers()

        async def render(url: str, why: str) -> FetchedPage:
            return await render_page(url, why, await context.fetcher(), context.renderer)

        return crawl(
            seeds,
            chosen,
            # Shared workers may not enforce this context's limits; on Ray, each machine fetches by these options.
            fetcher=workers if context.options.engine == "ray" else await context.fetcher(),
            workers=workers,
            throttle=await workers.throttle(chosen.delay, chosen.per_host),
            state=state,
            after=after,
            progress=progress,
            render=None if context.renderer is None else render,
            read_data=read_data,
        )

    return LazyCrawl(start)


def _data_reader(
    context: ResearchContext, schema: Mapping[str, Any]
) -> Callable[[FetchedPage], Awaitable[dict[str, Any]]]:
    """What reads the values of `schema` from pages of a crawl, with the selectors of their sites. Raises
    `SchemaInvalid`."""
    from oryn.research.page_data import read_page
    from oryn.research.structured_data.schema import read_schema

    fields = read_schema(schema)

    async def read(page: FetchedPage) -> dict[str, Any]:
        found = (await read_page(context, page, schema, fields, None)).form()
        return {name: value for name, value in found.items() if name != "url"}

    return read
