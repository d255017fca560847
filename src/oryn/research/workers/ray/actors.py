"""Ray actors and tasks: fetching, embedding, extraction, and one throttle for the whole cluster, shared by its
crawls."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oryn.research.documents import Article, FetchedPage
from oryn.research.fetching.throttle import LocalThrottle
from oryn.research.options import ResearchOptions
from oryn.research.workers.ray.cluster import map_ray_errors

if TYPE_CHECKING:
    from oryn.research.embedding.embedder import Vectors
    from oryn.research.fetching.fetcher import Fetcher


class FetchActor:
    """A fetcher with the page cache of its machine."""

    def __init__(self, options: ResearchOptions) -> None:
        self._options = options
        self._fetcher: Fetcher | None = None

    async def fetch(self, url: str, fresh: bool, conditional: bool, follow: bool) -> FetchedPage:
        """The page at `url`. Parameters and errors as in `oryn.research.fetching.Fetcher.fetch`."""
        from oryn.research.fetching import open_fetcher

        # Not in the constructor: an error there would be Ray's ("the actor died"), not ours.
        self._fetcher = self._fetcher or open_fetcher(self._options)
        return await self._fetcher.fetch(url, fresh=fresh, conditional=conditional, follow=follow)


class EmbedActor:
    """The embedding model, loaded once."""

    def __init__(self, model: Path | None) -> None:
        from oryn.research.embedding import Embedder

        self._embedder = Embedder.load(model)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """The unit vectors of `texts`, one row each in the same order: `(n, dimensions)` of `float32`."""
        return self._embedder.embed(texts)


def read_page(page: FetchedPage) -> Article:
    """Ray task: the article of a page."""
    from oryn.research.extractor import read

    return read(page)


ACTOR_NAME = "throttle"


class ThrottleActor:
    """The throttle of the cluster, for at most `per_host` requests to a host at once. Its methods are those of
    `fetching.throttle.CrawlThrottle`, but of several pauses that crawls or robots.txt files demand, the longest is
    used."""

    def __init__(self, per_host: int) -> None:
        self._throttle = LocalThrottle(0.0, per_host)
        self._pauses: defaultdict[str, float] = defaultdict(float)

    async def ask(self, host: str, delay: float) -> float:
        """As `CrawlThrottle.ask`, with the pause of the crawl that asks: `delay`, in seconds."""
        if delay > self._pauses[host]:
            await self.pace(host, delay)
        return await self._throttle.ask(host)

    async def begun(self, host: str) -> None:
        await self._throttle.begun(host)

    async def done(self, host: str) -> None:
        await self._throttle.done(host)

    async def slow(self, host: str, seconds: float) -> None:
        await self._throttle.slow(host, seconds)

    async def pace(self, host: str, seconds: float) -> None:
        self._pauses[host] = max(self._pauses[host], seconds)
        await self._throttle.pace(host, self._pauses[host])


class RayThrottle:
    """A `CrawlThrottle` that asks the actor, for a crawl with `delay` seconds between two requests to a host. The actor
    is created by the first crawl, with its `per_host`, and ends with the program that has created it; the next crawl
    then creates another."""

    def __init__(self, delay: float, per_host: int) -> None:
        import ray

        self._delay = delay
        # A thousand callers may wait in it; none of them blocks it.
        remote = ray.remote(ThrottleActor).options(
            name=ACTOR_NAME, get_if_exists=True, num_cpus=0, max_concurrency=1000
        )
        self._actor: Any = remote.remote(per_host)

    async def ask(self, host: str) -> float:
        with map_ray_errors(f"asking the throttle for {host}"):
            pause: float = await self._actor.ask.remote(host, self._delay)
            return pause

    async def begun(self, host: str) -> None:
        with map_ray_errors(f"telling the throttle of {host}"):
            await self._actor.begun.remote(host)

    async def done(self, host: str) -> None:
        with map_ray_errors(f"telling the throttle of {host}"):
            await self._actor.done.remote(host)

    async def slow(self, host: str, seconds: float) -> None:
        with map_ray_errors(f"telling the throttle of {host}"):
            await self._actor.slow.remote(host, seconds)

    async def pace(self, host: str, seconds: float) -> None:
        with map_ray_errors(f"telling the throttle of {host}"):
            await self._actor.pace.remote(host, seconds)
