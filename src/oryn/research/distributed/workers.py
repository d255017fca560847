"""`Workers` over Ray. The frontier of a crawl, its state and the index stay with whoever runs the pipeline."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from oryn.research.distributed import cluster
from oryn.research.distributed.actors import EmbedActor, FetchActor, read_page
from oryn.research.distributed.failures import mapped, of_reading
from oryn.research.distributed.throttling import RayThrottle
from oryn.research.documents import Article, Page
from oryn.research.failures import ExtractionFailed
from oryn.research.options import ResearchOptions
from oryn.research.reading import LIMIT

if TYPE_CHECKING:
    from oryn.research.fetching.walking import Sent
    from oryn.research.workers import Vectors

FETCHES = 1000
"""Requests that a machine's fetcher may have under way; how many there are, crawls say."""
QUEUED = 2
"""Pages for each core of the cluster that are read or wait for it."""
BATCH = 64
"""Texts that go to one embedder at a time."""

Made = TypeVar("Made")


class RayWorkers:
    """Workers on the cluster at `options.ray_address`, joined when first used. One fetcher and one embedder for each
    machine that the cluster has then; readers wherever a core is free."""

    def __init__(self, options: ResearchOptions) -> None:
        self._options = options
        self._joining: asyncio.Task[None] | None = None
        self._opening = asyncio.Lock()
        self._fetchers: list[Any] = []
        self._embedders: list[Any] = []
        self._free: asyncio.Semaphore | None = None
        self._next = itertools.count()

    async def fetch(
        self, url: str, *, fresh: bool = False, conditional: bool = True, follow: bool = True, sent: Sent | None = None
    ) -> Page:
        await self._join()
        async with self._opening:
            self._fetchers = fetchers = self._fetchers or await asyncio.to_thread(self._open_fetchers)
        if sent is not None:
            # Another process opens the connection and writes; it is not waited for.
            await sent()
        with mapped(f"fetching {url}"):
            page: Page = await self._turn(fetchers).fetch.remote(url, fresh, conditional, follow)
            return page

    async def article(self, page: Page) -> Article:
        await self._join()
        # The time of a page that waits for a core runs too: no more are handed on than soon have one.
        free = self._free = self._free or asyncio.Semaphore(QUEUED * cluster.cores())
        async with free:
            return await self._read(page)

    async def _read(self, page: Page) -> Article:
        import ray

        # What ends its process once would do so again.
        reading = ray.remote(read_page).options(max_retries=0, num_cpus=1).remote(page)
        try:
            with mapped(f"reading {page.url}"), of_reading(page.url):
                async with asyncio.timeout(LIMIT):
                    article: Article = await reading
                    return article
        except TimeoutError:
            ray.cancel(reading, force=True)
            raise ExtractionFailed(f"{page.url} can't be read within {LIMIT:g} s") from None

    async def embed(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        await self._join()
        async with self._opening:
            self._embedders = embedders = self._embedders or await asyncio.to_thread(self._open_embedders)
        batches = [list(texts[start : start + BATCH]) for start in range(0, max(len(texts), 1), BATCH)]
        with mapped(f"embedding {len(texts)} texts"):
            found = await asyncio.gather(*(self._turn(embedders).embed.remote(batch) for batch in batches))
        return np.concatenate(found)

    async def throttle(self, delay: float, per_host: int) -> RayThrottle:
        """The cluster's throttle, for a crawl with this pause between two requests to a host."""
        await self._join()
        return await asyncio.to_thread(RayThrottle, delay, per_host)

    async def close(self) -> None:
        if self._joining is None:
            return
        await asyncio.wait([self._joining])
        if not self._joining.cancelled() and self._joining.exception() is None:
            await asyncio.to_thread(self._leave)
        self._joining = None

    async def _join(self) -> None:
        if self._joining is None or (self._joining.done() and self._joining.exception() is not None):
            self._joining = asyncio.create_task(asyncio.to_thread(cluster.join, self._options.ray_address))
        await asyncio.shield(self._joining)

    def _leave(self) -> None:
        import ray

        for actor in (*self._fetchers, *self._embedders):
            ray.kill(actor)
        self._fetchers, self._embedders = [], []
        cluster.leave()

    def _turn(self, actors: list[Any]) -> Any:
        return actors[next(self._next) % len(actors)]

    def _open_fetchers(self) -> list[Any]:
        return _one_for_each_machine(FetchActor, self._options, num_cpus=0, max_concurrency=FETCHES)

    def _open_embedders(self) -> list[Any]:
        # The model's runtime takes the cores that are free; Ray counts one, so that reading is not kept waiting.
        return _one_for_each_machine(EmbedActor, self._options.embedding_model, num_cpus=0)


def _one_for_each_machine(kind: Callable[..., Made], argument: object, **options: Any) -> list[Any]:
    import ray

    remote = ray.remote(kind).options(scheduling_strategy="SPREAD", **options)
    return [remote.remote(argument) for _ in range(cluster.machines())]
