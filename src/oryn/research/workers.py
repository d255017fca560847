"""Where the work of a pipeline runs: fetching, reading pages, embedding. Pipelines ask `Workers` and know no more.

`LocalWorkers` is this machine: requests on the event loop, reading in processes of its own (`reading`), the embedding
model in a thread (ONNX Runtime takes every core by itself and lets go of the interpreter meanwhile).
`oryn.research.distributed` has the same on Ray. Everything is made when first used. Seed 004, "Lazy Initialization" and
"Process-Wide Singletons".
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Protocol

from oryn.research.documents import Article, Page
from oryn.research.reading import Readers

if TYPE_CHECKING:
    from oryn.research.crawling.throttle import Throttle
    from oryn.research.embedding.embedder import Vectors as Vectors
    from oryn.research.fetching.walking import Sent
    from oryn.research.options import ResearchOptions


class Fetches(Protocol):
    """What fetches pages: `oryn.research.fetching.Fetcher`."""

    async def fetch(
        self, url: str, *, fresh: bool = False, conditional: bool = True, follow: bool = True, sent: Sent | None = None
    ) -> Page: ...


class Embeds(Protocol):
    """What makes vectors: `oryn.research.embedding.Embedder`."""

    def embed(self, texts: Sequence[str]) -> Vectors: ...


class Workers(Protocol):
    """Every method may be called many times at once. All raise `ResearchError`s only."""

    async def fetch(
        self, url: str, *, fresh: bool = False, conditional: bool = True, follow: bool = True, sent: Sent | None = None
    ) -> Page:
        """A page, from its server or the page cache, as `Fetcher.fetch` has it."""

    async def article(self, page: Page) -> Article:
        """What a page says. Raises `NoText`, and `ExtractionFailed` for one that can't be read to its end."""

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts, in their order, as `Embedder.embed` has them."""

    async def throttle(self, delay: float, per_host: int) -> Throttle | None:
        """What says when a host may be asked, for all who fetch with these workers; None: each crawl has its own."""

    async def close(self) -> None:
        """End what was made for this; nothing may be under way."""


def open_workers(
    options: ResearchOptions,
    *,
    fetcher: Callable[[], Awaitable[Fetches]],
    embedder: Callable[[], Awaitable[Embeds]],
) -> Workers:
    """The workers of `options.engine`. `ray` makes fetchers and embedders of its own, where the work is done."""
    if options.engine == "ray":
        from oryn.research.distributed import RayWorkers

        return RayWorkers(options)
    return LocalWorkers(fetcher=fetcher, embedder=embedder)


class LocalWorkers:
    """Workers of this machine. `fetcher` and `embedder` are asked for when first needed; whoever gave them closes what
    they made."""

    def __init__(self, *, fetcher: Callable[[], Awaitable[Fetches]], embedder: Callable[[], Awaitable[Embeds]]) -> None:
        self._fetcher = fetcher
        self._embedder = embedder
        self._readers = Readers()
        self._thread: ThreadPoolExecutor | None = None
        self._throttles: dict[tuple[float, int], Throttle] = {}

    async def fetch(
        self, url: str, *, fresh: bool = False, conditional: bool = True, follow: bool = True, sent: Sent | None = None
    ) -> Page:
        fetcher = await self._fetcher()
        return await fetcher.fetch(url, fresh=fresh, conditional=conditional, follow=follow, sent=sent)

    async def article(self, page: Page) -> Article:
        return await self._readers.article(page)

    async def embed(self, texts: Sequence[str]) -> Vectors:
        embedder = await self._embedder()
        # One at a time: a second run would only take cores from the first.
        self._thread = self._thread or ThreadPoolExecutor(1, thread_name_prefix="oryn-embed")
        return await asyncio.get_running_loop().run_in_executor(self._thread, embedder.embed, texts)

    async def throttle(self, delay: float, per_host: int) -> Throttle:
        """The same for all crawls with one pause: several of them at once are as polite as one."""
        from oryn.research.crawling.throttle import LocalThrottle  # with all that crawls

        wanted = (delay, per_host)
        if wanted not in self._throttles:
            self._throttles[wanted] = LocalThrottle(delay, per_host)
        return self._throttles[wanted]

    async def close(self) -> None:
        await self._readers.close()
        if self._thread is not None:
            self._thread.shutdown(wait=False, cancel_futures=True)
            self._thread = None
