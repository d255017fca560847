"""Places of providers without a queue of their own, given out in the order of the requests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from oryn.browsers.base.placement import NO_LABELS
from oryn.providers.provider import BrowserProvider


class Places:
    """A limited number of places. `has_room` decides besides whether another one may be taken now.

    Requests are served in their order; a request that is cancelled leaves the queue."""

    def __init__(self, capacity: int | None, has_room: Callable[[int], bool] = lambda _used: True) -> None:
        self.capacity = capacity
        self._has_room = has_room
        self.used = 0
        self._queue: list[tuple[asyncio.Future[None], Callable[[int, int], None]]] = []

    @property
    def queued(self) -> int:
        """The number of requests that wait."""
        return len(self._queue)

    @property
    def is_full(self) -> bool:
        """Whether a request would wait."""
        return bool(self._queue) or not self._is_free()

    def _is_free(self) -> bool:
        return (self.capacity is None or self.used < self.capacity) and self._has_room(self.used)

    async def take(self, on_queued: Callable[[int, int], None]) -> None:
        """Take a place; waits until it is this request's turn."""
        if not self.is_full:
            self.used += 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        entry = turn, on_queued
        self._queue.append(entry)
        self._report()
        try:
            await turn
        except asyncio.CancelledError:
            if entry in self._queue:
                self._queue.remove(entry)
                self._report()
            elif turn.done() and not turn.cancelled():
                self.leave()  # it was given a place that it does not take
            raise

    def leave(self) -> None:
        """Give a place back."""
        self.used -= 1
        self.serve()

    def serve(self) -> None:
        """Give free places to the requests that wait, in their order."""
        served = False
        while self._queue and self._is_free():
            turn, _ = self._queue.pop(0)
            if not turn.done():
                self.used += 1
                turn.set_result(None)
            served = True
        if served:
            self._report()

    def _report(self) -> None:
        for place, (_, on_queued) in enumerate(self._queue, 1):
            on_queued(place, len(self._queue))


class PlacesProvider(BrowserProvider):
    """A provider whose browsers each take one of `places`. For the others see `BrowserProvider`."""

    def __init__(
        self, name: str, places: Places, *, labels: Mapping[str, str] = NO_LABELS, release_after: float = 0.0
    ) -> None:
        super().__init__(name, labels=labels, release_after=release_after)
        self._places = places

    @property
    def capacity(self) -> int | None:
        return self._places.capacity

    @property
    def used(self) -> int:
        return self._places.used

    @property
    def is_full(self) -> bool:
        return self._places.is_full

    @property
    def queued(self) -> int:
        return self._places.queued
