"""`Research`: all of it for programs. What its methods need is made when first used, and shared by all that follow.

Seed 004, "Lazy Initialization" and "Process-Wide Singletons".
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self, TypeVar

from oryn.research.begun import Crawling
from oryn.research.documents import Article, Hit, Progress, Ranked
from oryn.research.options import ResearchOptions

if TYPE_CHECKING:
    from oryn.models.model import Model
    from oryn.research.crawling import Crawl, CrawlOptions
    from oryn.research.embedding import Embedder
    from oryn.research.fetching import Fetcher, Renderer
    from oryn.research.graph.knowledge import KnowledgeGraph
    from oryn.research.index import Collection, Index
    from oryn.research.report import Report
    from oryn.research.search import Asker
    from oryn.research.workers import Workers

Told = Callable[[Progress], None]
Browser = Literal["auto", "always", "never"]
Part = TypeVar("Part")


class Research:
    """An asynchronous context manager; `close` ends what it has made, and leaves what it was given.

    `index`: one that is open, a folder, the address of a Qdrant server, or a function that opens one when it is first
    needed; without it, `options.index`. `renderer`: what runs the scripts of pages that are nothing without.
    `workers`: where the work is done; without them, `options.engine` says."""

    def __init__(
        self,
        options: ResearchOptions = ResearchOptions(),  # noqa: B008 - frozen
        *,
        index: Index | Path | str | Callable[[], Awaitable[Index]] | None = None,
        renderer: Renderer | None = None,
        workers: Workers | None = None,
    ) -> None:
        self.options = options
        self.renderer = renderer
        self._place = index
        self._given = workers
        self._parts: dict[str, asyncio.Future[object]] = {}
        self._ends: list[Callable[[], Awaitable[None]]] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """End what was made, the last first. Nothing may be under way."""
        self._parts.clear()
        while self._ends:
            await self._ends.pop()()

    async def search(
        self,
        query: str,
        *,
        source: str | None = None,
        limit: int = 10,
        rerank: bool = False,
        collection: str | None = None,
        progress: Told | None = None,
    ) -> list[Hit]:
        """At most `limit` hits, each page once. `source`: a provider's name (`ddg` for short), `index` for what was
        read before, `hybrid` for both; without one, `options.search_provider`. `rerank` orders them by meaning.

        Raises `SearchProviderInvalid`, `SearchRefused`, `SearchChanged`, `FetchFailed`, and `CollectionNotFound`,
        `CollectionMismatch`, `IndexBusy` where the index is asked."""
        from oryn.research.search import provider_of, search

        source = source or self.options.search_provider
        told = progress or (lambda _: None)
        told(Progress("search", 0, None, source))
        asked = None if source == "index" else self.options.search_provider if source == "hybrid" else source

        async def indexed(most: int) -> list[Ranked]:
            return await self.passages(query, limit=most, collection=collection)

        hits = await search(
            query,
            provider=provider_of(asked, self.options, await self._asker()) if asked else None,
            indexed=indexed if source in ("index", "hybrid") else None,
            limit=limit,
            embed=(await self.workers()).embed if rerank else None,
        )
        told(Progress("search", len(hits), len(hits), source))
        return hits

    async def extract(
        self, url: str, *, browser: Browser = "auto", fresh: bool = False, progress: Told | None = None
    ) -> Article:
        """What a page says. `browser`: whether the renderer loads it, `auto` where it is only a script's shell; `fresh`
        asks the server, whatever the page cache has. Raises `FetchFailed`, `AddressNotAllowed`, `BodyTooLarge`,
        `NoText`, `NeedsBrowser`, `ExtractionFailed`."""
        from oryn.research.extracting import extract

        told = progress or (lambda _: None)
        told(Progress("extract", 0, 1, url))
        workers = await self.workers()
        article = await extract(
            url,
            fetcher=await self.fetcher(),
            renderer=self.renderer,
            browser=browser,
            fresh=fresh,
            run=workers.article,
        )
        told(Progress("extract", 1, 1, url))
        return article

    def crawl(
        self,
        seeds: Sequence[str],
        options: CrawlOptions | None = None,
        *,
        state: Path | None = None,
        after: int = 0,
        progress: Told | None = None,
    ) -> Crawling:
        """Pages from `seeds` on, as they come, to be iterated over; errors of pages are among them. Without `options`
        those of a crawl with this research's `throttle`. With a file for its `state` it can go on where it was
        interrupted (`oryn.research.crawling`)."""

        async def begin() -> Crawl:
            from oryn.research.crawling import CrawlOptions, crawl

            return crawl(
                seeds,
                options or CrawlOptions(delay=self.options.throttle),
                fetcher=await self.fetcher(),
                workers=await self.workers(),
                state=state,
                after=after,
                progress=progress,
            )

        return Crawling(begin)

    async def research(
        self,
        topic: str,
        *,
        results: int = 8,
        depth: int = 0,
        seeds: Sequence[str] = (),
        source: str | None = None,
        sentences: int = 6,
        collection: str | None = None,
        progress: Told | None = None,
    ) -> Report:
        """What pages say about `topic`, each sentence with the passage that it is from.

        Read are the first `results` hits of a search (0 asks for none), `seeds`, and, with a `depth` of 1, what these
        link to. `source` as in `search`; `index` reads nothing and reports of what was read before, `hybrid` of both.
        Pages that fail are told of in the report. Raises what `search` does, and `NothingFound`, where nothing is left
        to report of."""
        from oryn.research.investigation import Investigation

        investigation = Investigation(
            self,
            topic,
            source=source or self.options.search_provider,
            collection=collection or self.options.collection,
            told=progress or (lambda _: None),
        )
        return await investigation.report(results=results, depth=depth, seeds=seeds, sentences=sentences)

    async def graph(
        self,
        entity: str,
        *,
        website: str | None = None,
        results: int = 3,
        model: Model | None = None,
        progress: Told | None = None,
    ) -> KnowledgeGraph:
        """What pages say of `entity`, as a tree (`oryn.research.graph`)."""
        from oryn.research.graph import graph

        return await graph(entity, research=self, website=website, results=results, model=model, progress=progress)

    async def passages(
        self,
        query: str,
        *,
        limit: int = 10,
        collection: str | None = None,
        urls: Sequence[str] | None = None,
    ) -> list[Ranked]:
        """The passages of the index that fit `query`, the best first; with `urls` only those of these pages. Raises
        `CollectionNotFound`, `CollectionMismatch`, `IndexBusy`, `IndexFailed`."""
        embedder, index = await self.embedder(), await self.index()
        [vector] = await (await self.workers()).embed([query])
        return await index.search(
            collection or self.options.collection, query, vector, limit=limit, model=embedder.hash, urls=urls
        )

    async def collections(self) -> list[Collection]:
        """The collections of the index."""
        return await (await self.index()).collections()

    async def drop(self, collection: str) -> None:
        """Forget a collection. Raises `CollectionNotFound`."""
        await (await self.index()).drop(collection)

    async def fetcher(self) -> Fetcher:
        """What fetches pages, with the page cache and the options' limits."""

        async def make() -> Fetcher:
            from oryn.research.parts import open_fetcher

            fetcher = await asyncio.to_thread(open_fetcher, self.options)
            self._ends.append(fetcher.close)
            return fetcher

        return await self._once("fetcher", make)

    async def embedder(self) -> Embedder:
        """The embedding model. Raises `EmbeddingModelMissing`."""

        async def make() -> Embedder:
            from oryn.research.embedding import Embedder

            return await asyncio.to_thread(Embedder.load, self.options.embedding_model)

        return await self._once("embedder", make)

    async def workers(self) -> Workers:
        """Where the work is done."""

        async def make() -> Workers:
            from oryn.research.workers import open_workers

            workers = open_workers(self.options, fetcher=self.fetcher, embedder=self.embedder)
            self._ends.append(workers.close)
            return workers

        return self._given or await self._once("workers", make)

    async def index(self) -> Index:
        """The index. Raises `IndexBusy`, `IndexFailed`."""

        async def make() -> Index:
            from oryn.research.parts import index_place

            place = self._place or index_place(self.options)
            if callable(place):
                return await place()
            if not isinstance(place, Path | str):
                return place
            from oryn.research.index import open_index

            index = open_index(place, api_key=self.options.index_key)
            self._ends.append(index.close)
            return index

        return await self._once("index", make)

    async def _asker(self) -> Asker:
        async def make() -> Asker:
            from oryn.research.parts import open_asker

            asker = open_asker(self.options)
            self._ends.append(asker.close)
            return asker

        return await self._once("asker", make)

    async def _once(self, name: str, make: Callable[[], Awaitable[Part]]) -> Part:
        """The part of a name, made by the first who asks for it; one that could not be made is tried again."""
        while (made := self._parts.get(name)) is not None:
            await asyncio.wait([made])
            if not made.cancelled() and made.exception() is None:
                return made.result()  # type: ignore[return-value]  # what was made under this name
        future = self._parts[name] = asyncio.get_running_loop().create_future()
        try:
            part = await make()
        except BaseException:
            future.cancel()
            self._parts.pop(name, None)
            raise
        future.set_result(part)
        return part
