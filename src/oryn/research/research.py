"""`Research`: all of it for programs, as one object."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from oryn.research.begun import Crawling
from oryn.research.documents import Article, Hit, Progress, Ranked
from oryn.research.parts import Parts

if TYPE_CHECKING:
    from oryn.models.model import Model
    from oryn.research.crawling import Crawl, CrawlOptions
    from oryn.research.extracting import Browser
    from oryn.research.graph.knowledge import KnowledgeGraph
    from oryn.research.index import Collection
    from oryn.research.report import Report

Told = Callable[[Progress], None]


class Research(Parts):
    """`Research(options, index=…, renderer=…, workers=…)`, all of which may be left out: see `Parts`. An asynchronous
    context manager. Any number of calls may be under way at once."""

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
        """At most `limit` hits (one at least), each page once. `source`: a provider's name (`ddg` for short), `index`
        for what was read before, `hybrid` for both; without one, `options.search_provider`, which may be any of these.
        `rerank` orders them by meaning.

        Raises `SearchProviderInvalid`, `SearchRefused`, `SearchChanged`, `FetchFailed`, and `CollectionNotFound`,
        `CollectionMismatch`, `IndexBusy` where the index is asked."""
        from oryn.research.search import asked_for, provider_of, search

        source = source or self.options.search_provider
        told = progress or (lambda _: None)
        told(Progress("search", 0, None, source))
        asked = asked_for(source, self.options.search_provider)

        async def indexed(most: int) -> list[Ranked]:
            return await self.passages(query, limit=most, collection=collection)

        hits = await search(
            query,
            provider=provider_of(asked.provider, self.options, await self.asker()) if asked.provider else None,
            indexed=indexed if asked.index else None,
            limit=max(1, limit),
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

            chosen = options or CrawlOptions(delay=self.options.throttle)
            if self.options.user_agent and chosen.agent == CrawlOptions().agent:
                # The name that a robots.txt means is the one that its server sees.
                chosen = chosen.replace(agent=self.options.user_agent.partition("/")[0].strip())
            workers = await self.workers()
            return crawl(
                seeds,
                chosen,
                # What is given to several may not hold to this one's limits; on Ray, fetching has its own.
                fetcher=workers if self.options.engine == "ray" else await self.fetcher(),
                workers=workers,
                throttle=await workers.throttle(chosen.delay, chosen.per_host),
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
