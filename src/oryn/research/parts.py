"""What a `Research` is made of. Every part is made by the first who needs it, and shared by all that follow.

Seed 004, "Lazy Initialization" and "Process-Wide Singletons".
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

from oryn.research.options import ResearchOptions

if TYPE_CHECKING:
    from oryn.research.embedding import Embedder
    from oryn.research.fetching import Fetcher, Renderer
    from oryn.research.index import Index
    from oryn.research.search import Asker
    from oryn.research.workers import Workers

Part = TypeVar("Part")
MEGABYTE = 2**20


class Parts:
    """An asynchronous context manager; `close` ends what it has made, and leaves what it was given.

    `index`: one that is open, a folder, the address of a Qdrant server, or a function that opens one when it is first
    needed; without it, `options.index`. `renderer`: what runs the scripts of pages that are nothing without.
    `workers`: where the work is done; without them, `options.engine` says. `embedder`: where the embedding model is had
    from when it is first needed; without it, it is loaded."""

    def __init__(
        self,
        options: ResearchOptions = ResearchOptions(),  # noqa: B008 - frozen
        *,
        index: Index | Path | str | Callable[[], Awaitable[Index]] | None = None,
        renderer: Renderer | None = None,
        workers: Workers | None = None,
        embedder: Callable[[], Awaitable[Embedder]] | None = None,
    ) -> None:
        self.options = options
        self.renderer = renderer
        self._place = index
        self._workers = workers
        self._load = embedder
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

    async def fetcher(self) -> Fetcher:
        """What fetches pages, with the page cache and the options' limits."""

        async def make() -> Fetcher:
            fetcher = await asyncio.to_thread(_fetcher, self.options)
            self._ends.append(fetcher.close)
            return fetcher

        return await self._once("fetcher", make)

    async def embedder(self) -> Embedder:
        """The embedding model. Raises `EmbeddingModelMissing`."""

        if self._load is not None:
            return await self._load()

        async def make() -> Embedder:
            from oryn.research.embedding import Embedder

            return await asyncio.to_thread(Embedder.load, self.options.embedding_model)

        return await self._once("embedder", make)

    async def workers(self) -> Workers:
        """Where the work is done."""

        if self._workers is not None:
            return self._workers

        async def make() -> Workers:
            from oryn.research.workers import open_workers

            workers = open_workers(self.options, fetcher=self.fetcher, embedder=self.embedder)
            self._ends.append(workers.close)
            return workers

        return await self._once("workers", make)

    async def index(self) -> Index:
        """The index. Raises `IndexBusy`, `IndexFailed`."""

        async def make() -> Index:
            from oryn import paths
            from oryn.research.index import open_index

            place = self._place or self.options.index or paths.find().index
            if callable(place):
                return await place()
            if not isinstance(place, Path | str):
                return place
            index = await asyncio.to_thread(open_index, place, api_key=self.options.index_key)
            self._ends.append(index.close)
            return index

        return await self._once("index", make)

    async def asker(self) -> Asker:
        """What asks search providers."""

        async def make() -> Asker:
            from oryn.research.fetching import USER_AGENT
            from oryn.research.search import Asker

            asker = Asker(
                timeout=self.options.fetch_timeout,
                throttle=self.options.throttle,
                user_agent=self.options.user_agent or USER_AGENT,
            )
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


def _fetcher(options: ResearchOptions) -> Fetcher:
    """With the page cache, whose folder is made where it is missing."""
    from oryn import paths
    from oryn.domains import Domains
    from oryn.research.fetching import USER_AGENT, Fetcher, FetchOptions, PageCache

    return Fetcher(
        FetchOptions(
            user_agent=options.user_agent or USER_AGENT,
            allow_private=options.allow_private,
            max_body=options.max_body * MEGABYTE,
            timeout=options.fetch_timeout,
        ),
        cache=PageCache(paths.private_folder(options.page_cache or paths.find().pages)),
        domains=Domains.of(options.allowed_domains, options.denied_domains),
    )
