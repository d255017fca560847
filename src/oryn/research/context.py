"""`ResearchContext`: the components that the operations of a `Research` share (fetcher, search client, embedding model,
workers, index). Each is created on first use and shared afterwards."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from oryn.research.options import ResearchOptions

if TYPE_CHECKING:
    from oryn.research.embedding import Embedder
    from oryn.research.fetching import Fetcher, Renderer
    from oryn.research.fetching.request import PageFetcher
    from oryn.research.index import Index
    from oryn.research.search import SearchClient
    from oryn.research.structured_data.selectors import SelectorStore
    from oryn.research.workers.extraction_pool import ExtractionPool
    from oryn.research.workers.interface import PipelineWorkers, TextEmbedder

Component = TypeVar("Component")


class ResearchContext:
    """`close` closes the components that the context has created, and leaves those that were passed to it.

    `index`: an open index, a folder, the address of a Qdrant server, or a function that opens one when it is first
    needed; None uses `options.index`. `renderer`: a browser for pages whose text is created by their scripts; without
    it they raise `NeedsBrowser`. `workers`: where the work is done; None uses `options.engine`. `embedder`: a function
    that returns the embedding model whenever it is needed; None loads `options.embedding_model` once."""

    def __init__(
        self,
        options: ResearchOptions = ResearchOptions(),  # noqa: B008 - frozen
        *,
        index: Index | Path | str | Callable[[], Awaitable[Index]] | None = None,
        renderer: Renderer | None = None,
        workers: PipelineWorkers | None = None,
        embedder: Callable[[], Awaitable[Embedder]] | None = None,
    ) -> None:
        self.options = options
        self.renderer = renderer
        self._index_location = index
        self._workers = workers
        self._load_embedder = embedder
        self._components: dict[str, asyncio.Future[object]] = {}
        self._closers: list[Callable[[], Awaitable[None]]] = []

    async def close(self) -> None:
        """Close the components in the reverse order of their creation. No operation may be running."""
        self._components.clear()
        while self._closers:
            await self._closers.pop()()

    async def fetcher(self) -> Fetcher:
        """The fetcher, with the page cache and the limits of the options."""

        async def create() -> Fetcher:
            from oryn.research.fetching import open_fetcher

            fetcher = await asyncio.to_thread(open_fetcher, self.options)
            self._closers.append(fetcher.close)
            return fetcher

        return await self._get_or_create("fetcher", create)

    async def embedder(self) -> Embedder:
        """The embedding model. Raises `EmbeddingModelMissing`."""

        if self._load_embedder is not None:
            return await self._load_embedder()

        async def create() -> Embedder:
            from oryn.research.embedding import Embedder

            return await asyncio.to_thread(Embedder.load, self.options.embedding_model)

        return await self._get_or_create("embedder", create)

    async def workers(self) -> PipelineWorkers:
        """The workers that fetch, extract and embed."""

        if self._workers is not None:
            return self._workers

        async def create() -> PipelineWorkers:
            workers = open_workers(self.options, fetcher=self.fetcher, embedder=self.embedder)
            self._closers.append(workers.close)
            return workers

        return await self._get_or_create("workers", create)

    async def data_pool(self) -> ExtractionPool:
        """The processes that read data by a schema."""

        async def create() -> ExtractionPool:
            from oryn.research.workers.extraction_pool import ExtractionPool

            pool = ExtractionPool(read="oryn.research.structured_data:read_data")
            self._closers.append(pool.close)
            return pool

        return await self._get_or_create("data_pool", create)

    def selectors(self) -> SelectorStore:
        """The selectors of sites, beside the page cache."""
        from oryn.research.structured_data.selectors import SelectorStore
        from oryn.system import paths

        return SelectorStore((self.options.page_cache or paths.find().pages).parent / "selectors")

    async def index(self) -> Index:
        """The index. Raises `IndexBusy`, `IndexFailed`."""

        async def create() -> Index:
            from oryn.research.index import open_index
            from oryn.system import paths

            location = self._index_location or self.options.index or paths.find().index
            if callable(location):
                return await location()
            if not isinstance(location, Path | str):
                return location
            index = await asyncio.to_thread(open_index, location, api_key=self.options.index_key)
            self._closers.append(index.close)
            return index

        return await self._get_or_create("index", create)

    async def search_client(self) -> SearchClient:
        """The HTTP client for search providers, with the throttle of the options."""

        async def create() -> SearchClient:
            from oryn.research.fetching import USER_AGENT
            from oryn.research.search import SearchClient

            client = SearchClient(
                timeout=self.options.fetch_timeout,
                throttle=self.options.throttle,
                user_agent=self.options.user_agent or USER_AGENT,
            )
            self._closers.append(client.close)
            return client

        return await self._get_or_create("search_client", create)

    async def _get_or_create(self, name: str, create: Callable[[], Awaitable[Component]]) -> Component:
        """The component of that name. The first caller creates it while the others wait; if that fails, the next of
        them tries again."""
        while (pending := self._components.get(name)) is not None:
            await asyncio.wait([pending])
            if not pending.cancelled() and pending.exception() is None:
                return pending.result()  # type: ignore[return-value]  # what was created under this name
        future = self._components[name] = asyncio.get_running_loop().create_future()
        try:
            component = await create()
        except BaseException:
            future.cancel()
            self._components.pop(name, None)
            raise
        future.set_result(component)
        return component


def open_workers(
    options: ResearchOptions,
    *,
    fetcher: Callable[[], Awaitable[PageFetcher]],
    embedder: Callable[[], Awaitable[TextEmbedder]],
) -> PipelineWorkers:
    """The workers of `options.engine`: `local` uses `fetcher` and `embedder`, `ray` creates its own on the machines of
    the cluster. Nothing is started before the first call."""
    if options.engine == "ray":
        from oryn.research.workers.ray import RayWorkers

        return RayWorkers(options)
    from oryn.research.workers.local import LocalWorkers

    return LocalWorkers(fetcher=fetcher, embedder=embedder)
