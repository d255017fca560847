"""One throttle for a whole cluster, in an actor of its own that every crawl on it asks."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from oryn.research.crawling.throttle import LocalThrottle
from oryn.research.distributed.failures import mapped

NAME = "throttle"


class ThrottleActor:
    """The throttle itself. Its methods are those of `crawling.throttle.Throttle`, save that of several pauses which
    crawls or robots.txt ask for the longest holds."""

    def __init__(self, per_host: int) -> None:
        self._throttle = LocalThrottle(0.0, per_host)
        self._pauses: defaultdict[str, float] = defaultdict(float)

    async def ask(self, host: str, delay: float) -> float:
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
    """A crawl's end of it (`crawling.throttle.Throttle`). The actor is that of the first crawl, as is its `per_host`.
    It ends with the program that began it; the next crawl then begins another."""

    def __init__(self, delay: float, per_host: int) -> None:
        import ray

        self._delay = delay
        # A thousand callers may wait in it; none of them blocks it.
        remote = ray.remote(ThrottleActor).options(name=NAME, get_if_exists=True, num_cpus=0, max_concurrency=1000)
        self._actor: Any = remote.remote(per_host)

    async def ask(self, host: str) -> float:
        with mapped(f"asking the throttle for {host}"):
            pause: float = await self._actor.ask.remote(host, self._delay)
            return pause

    async def begun(self, host: str) -> None:
        with mapped(f"telling the throttle of {host}"):
            await self._actor.begun.remote(host)

    async def done(self, host: str) -> None:
        with mapped(f"telling the throttle of {host}"):
            await self._actor.done.remote(host)

    async def slow(self, host: str, seconds: float) -> None:
        with mapped(f"telling the throttle of {host}"):
            await self._actor.slow.remote(host, seconds)

    async def pace(self, host: str, seconds: float) -> None:
        with mapped(f"telling the throttle of {host}"):
            await self._actor.pace.remote(host, seconds)
