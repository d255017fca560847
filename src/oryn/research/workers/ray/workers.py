"""`PipelineWorkers` on Ray. The frontier of a crawl, its state and the index stay in the process that runs the
pipeline."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from oryn.errors import ExtractionFailed
from oryn.research.documents import Article, FetchedPage
from oryn.research.options import ResearchOptions
from oryn.research.workers.extraction_pool import PAGE_TIMEOUT_SECONDS
from oryn.research.workers.ray import cluster
from oryn.research.workers.ray.actors import EmbedActor, FetchActor, RayThrottle, read_page
from oryn.research.workers.ray.cluster import map_ray_errors, map_worker_crash

if TYPE_CHECKING:
    from oryn.research.embedding.embedder import Vectors
    from oryn.research.fetching.request import OnSend

MAX_FETCHES = 1000
"""The maximum number of concurrent requests of a machine's fetcher; crawls have limits of their own."""
MAX_PAGES_PER_CORE = 2
"""Pages for each core of the cluster that are extracted or wait for it."""
BATCH_TEXTS = 64
"""Texts that are sent to one embedder at a time."""

Actor = TypeVar("Actor")


class RayWorkers:
    """Workers on the cluster at `options.ray_address`, joined on first use. One fetcher and one embedder on each
    machine that the cluster has then; extraction runs wherever a core is free."""

    def __init__(self, options: ResearchOptions) -> None:
        self._options = options
        self._joining: asyncio.Task[None] | None = None
        self._opening = asyncio.Lock()
        self._fetchers: list[Any] = []
        self._embedders: list[Any] = []
        self._free: asyncio.Semaphore | None = None
        self._next = itertools.count()

    async def fetch(
        self,
        url: str,
        *,
        fresh: bool = False,
        conditional: bool = True,
        follow: bool = True,
        sent: OnSend | None = None,
    ) -> FetchedPage:
        await self._join()
        async with self._opening:
            self._fetchers = fetchers = self._fetchers or await asyncio.to_thread(self._open_fetchers)
        if sent is not None:
            # Another process opens the connection and writes; it is not waited for.
            await sent()
        with map_ray_errors(f"fetching {url}"):
            page: FetchedPage = await self._turn(fetchers).fetch.remote(url, fresh, conditional, follow)
            return page

    async def article(self, page: FetchedPage) -> Article:
        await self._join()
        # The time of a page that waits for a core runs too: no more are handed on than soon have one.
        free = self._free = self._free or asyncio.Semaphore(MAX_PAGES_PER_CORE * cluster.cores())
        async with free:
            return await self._read(page)

    async def _read(self, page: FetchedPage) -> Article:
        import ray

        # What ends its process once would do so again.
        reading = ray.remote(read_page).options(max_retries=0, num_cpus=1).remote(page)
        try:
            with map_ray_errors(f"reading {page.url}"), map_worker_crash(page.url):
                async with asyncio.timeout(PAGE_TIMEOUT_SECONDS):
                    article: Article = await reading
                    return article
        except TimeoutError:
            ray.cancel(reading, force=True)
            raise ExtractionFailed(f"{page.url} can't be read within {PAGE_TIMEOUT_SECONDS:g} s") from None

    async def embed(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        await self._join()
        async with self._opening:
            self._embedders = embedders = self._embedders or await asyncio.to_thread(self._open_embedders)
        batches = [list(texts[start : start + BATCH_TEXTS]) for start in range(0, max(len(texts), 1), BATCH_TEXTS)]
        with map_ray_errors(f"embedding {len(texts)} texts"):
            found = await asyncio.gather(*(self._turn(embedders).embed.remote(batch) for batch in batches))
        return np.concatenate(found)

    async def throttle(self, delay: float, per_host: int) -> RayThrottle:
        """The throttle of the cluster, for a crawl with `delay` seconds between two requests to a host. `per_host` is
        that of the crawl that creates it."""
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
        return _one_per_machine(FetchActor, self._options, num_cpus=0, max_concurrency=MAX_FETCHES)

    def _open_embedders(self) -> list[Any]:
        # The model's runtime takes the cores that are free; Ray counts one, so that reading is not kept waiting.
        return _one_per_machine(EmbedActor, self._options.embedding_model, num_cpus=0)


def _one_per_machine(kind: Callable[..., Actor], argument: object, **options: Any) -> list[Any]:
    import ray

    remote = ray.remote(kind).options(scheduling_strategy="SPREAD", **options)
    return [remote.remote(argument) for _ in range(cluster.machines())]
