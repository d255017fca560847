"""`LocalWorkers`: fetching, extraction and embedding on this machine.

Requests run on the event loop, extraction in separate processes (`extraction_pool`), the embedding model in a thread
(ONNX Runtime uses every core by itself and releases the GIL meanwhile). Everything is created on first use."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from oryn.research.documents import Article, FetchedPage
from oryn.research.fetching.throttle import CrawlThrottle, LocalThrottle
from oryn.research.workers.extraction_pool import ExtractionPool

if TYPE_CHECKING:
    from oryn.research.embedding.embedder import Vectors
    from oryn.research.fetching.request import OnSend, PageFetcher
    from oryn.research.workers.interface import TextEmbedder


class LocalWorkers:
    """Implements `PipelineWorkers`. `fetcher` and `embedder` are awaited when first needed, and again for each call, so
    they should return the same object; `close` does not close what they return."""

    def __init__(
        self, *, fetcher: Callable[[], Awaitable[PageFetcher]], embedder: Callable[[], Awaitable[TextEmbedder]]
    ) -> None:
        self._fetcher = fetcher
        self._embedder = embedder
        self._extraction_pool = ExtractionPool()
        self._thread: ThreadPoolExecutor | None = None
        self._throttles: dict[tuple[float, int], CrawlThrottle] = {}

    async def fetch(
        self,
        url: str,
        *,
        fresh: bool = False,
        conditional: bool = True,
        follow: bool = True,
        sent: OnSend | None = None,
    ) -> FetchedPage:
        fetcher = await self._fetcher()
        return await fetcher.fetch(url, fresh=fresh, conditional=conditional, follow=follow, sent=sent)

    async def article(self, page: FetchedPage) -> Article:
        return await self._extraction_pool.article(page)

    async def embed(self, texts: Sequence[str]) -> Vectors:
        embedder = await self._embedder()
        # One at a time: a second run would only take cores from the first.
        self._thread = self._thread or ThreadPoolExecutor(1, thread_name_prefix="oryn-embed")
        return await asyncio.get_running_loop().run_in_executor(self._thread, embedder.embed, texts)

    async def throttle(self, delay: float, per_host: int) -> CrawlThrottle:
        """One throttle for all crawls with the same limits: several of them at once are as polite as one. `delay` (in
        seconds) and `per_host` as in `PipelineWorkers.throttle`."""
        limits = (delay, per_host)
        if limits not in self._throttles:
            self._throttles[limits] = LocalThrottle(delay, per_host)
        return self._throttles[limits]

    async def close(self) -> None:
        await self._extraction_pool.close()
        if self._thread is not None:
            self._thread.shutdown(wait=False, cancel_futures=True)
            self._thread = None
