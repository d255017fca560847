"""`Research`: search, extract, crawl, research and graph for programs, as one object."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from oryn.errors import MissingArgument
from oryn.research.context import ResearchContext
from oryn.research.documents import Article, Hits, ProgressCallback, RankedPassage, ResearchProgress
from oryn.research.operations import (
    LazyCrawl,
    crawl_pages,
    find_passages,
    ignore_progress,
    search_pages,
)
from oryn.research.options import ResearchOptions

if TYPE_CHECKING:
    from oryn.models.model import ChatModel
    from oryn.research.crawling import CrawlOptions
    from oryn.research.crawling.site_mapper import SiteMap
    from oryn.research.embedding import Embedder
    from oryn.research.extractor import BrowserMode
    from oryn.research.fetching import Renderer
    from oryn.research.graph.knowledge import KnowledgeGraph
    from oryn.research.index import Collection, Index
    from oryn.research.report import Report
    from oryn.research.structured_data import PageData
    from oryn.research.workers.interface import PipelineWorkers


class Research:
    """`Research(options, index=…, renderer=…, workers=…, embedder=…)`; all parameters are optional and those of
    `ResearchContext`. An asynchronous context manager. Any number of calls may run at the same time.

        async with Research() as research:
            hits = await research.search("how do ferns reproduce", limit=5)
            article = await research.extract(hits[0].url)
    """

    def __init__(
        self,
        options: ResearchOptions = ResearchOptions(),  # noqa: B008 - frozen
        *,
        index: Index | Path | str | Callable[[], Awaitable[Index]] | None = None,
        renderer: Renderer | None = None,
        workers: PipelineWorkers | None = None,
        embedder: Callable[[], Awaitable[Embedder]] | None = None,
    ) -> None:
        self.context = ResearchContext(options, index=index, renderer=renderer, workers=workers, embedder=embedder)
        """The components: `await research.context.index()`."""

    @property
    def options(self) -> ResearchOptions:
        """The options of `ResearchContext`."""
        return self.context.options

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close what was opened: connections, processes, the index. No call may be running."""
        await self.context.close()

    async def search(
        self,
        query: str,
        *,
        source: str | None = None,
        limit: int | None = None,
        rerank: bool = False,
        collection: str | None = None,
        progress: ProgressCallback | None = None,
    ) -> Hits:
        """At most `limit` hits (at least one is requested; None uses `options.search_limit`), each page once. `source`:
        the name of a provider (`ddg` for short), `index` for the pages that were read before, or `hybrid` for both;
        None uses `options.search_provider`, which may be any of these. `rerank` orders the hits by meaning, and leaves
        out those below `options.rerank_threshold`. `collection`: that of the index to search; None uses
        `options.collection`. If the web can't be searched, and `source` is None or `hybrid`, the hits are those of the
        index, if it has any, and `Hits.left_out` says why.

        Raises `SearchProviderInvalid`, `SearchRefused`, `SearchChanged`, `FetchFailed`; if the index is searched, also
        `CollectionNotFound`, `CollectionMismatch`, `IndexBusy`."""
        return await search_pages(
            self.context, query, source=source, limit=limit, rerank=rerank, collection=collection, progress=progress
        )

    async def extract(
        self, url: str, *, browser: BrowserMode = "auto", fresh: bool = False, progress: ProgressCallback | None = None
    ) -> Article:
        """The article at `url`. `browser`: when the renderer loads the page; `auto` if the HTML is only the shell of a
        script. `fresh` requests the page from its server even if the page cache has it.

        Raises `FetchFailed`, `AddressNotAllowed`, `DomainNotAllowed`, `BodyTooLarge`, `NoText`, `NeedsBrowser`,
        `ExtractionFailed`."""
        from oryn.research.extractor import extract

        report_progress = progress or ignore_progress
        report_progress(ResearchProgress("extract", 0, 1, url))
        workers = await self.context.workers()
        article = await extract(
            url,
            fetcher=await self.context.fetcher(),
            renderer=self.context.renderer,
            browser=browser,
            fresh=fresh,
            run=workers.article,
        )
        report_progress(ResearchProgress("extract", 1, 1, url))
        return article

    async def extract_data(
        self,
        url: str,
        schema: Mapping[str, Any],
        *,
        browser: BrowserMode = "auto",
        fresh: bool = False,
        follow_next: bool = False,
        pages: int = 10,
        model: ChatModel | None = None,
        progress: ProgressCallback | None = None,
    ) -> PageData:
        """The values of a JSON Schema (an object with properties, or an array of such objects) at `url`, each with its
        place; null for what the page does not say. `follow_next` also reads the following pages of a list, at most
        `pages` in all. `model` fills nulls outside lists, with values that the page's text has. `browser` and `fresh`
        as in `extract`.

        Raises `SchemaInvalid`, `ModelError`, and what `extract` does."""
        from oryn.research.page_data import page_data

        return await page_data(
            self.context,
            url,
            schema,
            browser=browser,
            fresh=fresh,
            follow_next=follow_next,
            pages=pages,
            model=model,
            progress=progress,
        )

    def crawl(
        self,
        seeds: Sequence[str],
        options: CrawlOptions | None = None,
        *,
        state: Path | None = None,
        after: int = 0,
        schema: Mapping[str, Any] | None = None,
        progress: ProgressCallback | None = None,
    ) -> LazyCrawl:
        """An asynchronous iterator of the pages from `seeds` on, in the order in which they come; the errors of pages
        are among them. `options`: None uses those of a crawl with the `throttle` of this research. `state`: a file with
        which an interrupted crawl goes on (`oryn.research.crawling`). `after`: the number of the last result that was
        stored, of a crawl that goes on. `schema`: each page has `data` instead of an article, the values of this JSON
        Schema as in `extract_data`, without a model. Raises `SchemaInvalid` when the first page is requested."""
        return crawl_pages(self.context, seeds, options, state=state, after=after, progress=progress, schema=schema)

    async def map(
        self,
        url: str,
        options: CrawlOptions | None = None,
        *,
        limit: int = 5_000,
        progress: ProgressCallback | None = None,
    ) -> SiteMap:
        """At most `limit` addresses of the site of `url`, from its sitemaps, its `llms.txt` and the links of the page.
        `options`: their scope and patterns apply.

        Raises `RobotsDisallowed` and what `extract` does, if nothing is found."""
        from oryn.research.crawling import CrawlOptions
        from oryn.research.crawling.site_mapper import map_site

        fetcher = await self.context.fetcher()
        return await map_site(url, options or CrawlOptions(), fetcher=fetcher, limit=limit, progress=progress)

    async def research(
        self,
        topic: str,
        *,
        results: int | None = None,
        depth: int | None = None,
        seeds: Sequence[str] = (),
        source: str | None = None,
        sentences: int | None = None,
        files: Sequence[Path | str] = (),
        questions: int = 1,
        write: bool = False,
        model: ChatModel | None = None,
        collection: str | None = None,
        progress: ProgressCallback | None = None,
    ) -> Report:
        """A report on `topic` of at most `sentences` sentences, each cited with its passage.

        It reads the first `results` hits of a search (0 skips the search), `seeds`, and with a `depth` of 1 the pages
        that these link to; None uses `options.research_results`, `options.research_depth` and
        `options.summary_sentences`. `source` as in `search`; `index` reads no pages and reports on what was read
        before, `hybrid` on both. The report lists the pages that failed.

        `files` are documents and folders with documents (PDF, DOCX, EPUB, Markdown, text, HTML) that are read beside
        the web.

        If `questions` is more than 1, the topic is split into at most as many questions, by `model` or into its own
        parts; each is searched for and answered, and they share `results` and `sentences`. With `write`, `model` writes
        a text of at most `sentences` sentences, each with its passages; sentences that these do not support are left
        out and counted.

        Raises what `search` does, `MissingArgument` for `write` without a model, `ModelError` and `ModelAnswerInvalid`
        for failures of the model, `NothingFound` if no page has anything to report, and `FileError` if there is no such
        file."""
        from oryn.research.fetching.local_documents import document_files
        from oryn.research.report.pipeline import ResearchPipeline

        if write and model is None:
            raise MissingArgument("a text needs a language model", "The settings model and endpoint name one.")

        pipeline = ResearchPipeline(
            self.context,
            topic,
            source=source or self.options.search_provider,
            collection=collection or self.options.collection,
            progress=progress or ignore_progress,
        )
        documents = [file for path in files for file in await asyncio.to_thread(list, document_files(Path(path)))]
        return await pipeline.report(
            results=self.options.research_results if results is None else results,
            depth=self.options.research_depth if depth is None else depth,
            seeds=seeds,
            sentences=self.options.summary_sentences if sentences is None else sentences,
            files=documents,
            questions=questions,
            writer=model if write else None,
            planner=model,
        )

    async def graph(
        self,
        entity: str,
        *,
        website: str | None = None,
        results: int = 3,
        model: ChatModel | None = None,
        progress: ProgressCallback | None = None,
    ) -> KnowledgeGraph:
        """The statements of pages about `entity`, as a tree with sources; parameters and errors as in
        `oryn.research.graph.build_graph`."""
        from oryn.research.graph import build_graph

        return await build_graph(
            entity, context=self.context, website=website, results=results, model=model, progress=progress
        )

    async def passages(
        self,
        query: str,
        *,
        limit: int = 10,
        collection: str | None = None,
        urls: Sequence[str] | None = None,
    ) -> list[RankedPassage]:
        """The `limit` passages of the index that match `query` best, the best first; with `urls` only those of these
        pages.

        Raises `CollectionNotFound`, `CollectionMismatch`, `IndexBusy`, `IndexFailed`."""
        return await find_passages(self.context, query, limit=limit, collection=collection, urls=urls)

    async def collections(self) -> list[Collection]:
        """The collections of the index. Raises `IndexBusy`, `IndexFailed`."""
        return await (await self.context.index()).collections()

    async def drop(self, collection: str) -> None:
        """Delete a collection. Raises `CollectionNotFound`, `IndexBusy`, `IndexFailed`."""
        await (await self.context.index()).drop(collection)
