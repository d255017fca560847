"""When a host may be asked: the pause between the beginnings of two requests, how many at once, and not before it said.

A throttle never blocks: it is asked and answers with a number. So one in another process (an actor that many crawlers
share) is the same to its users, and whoever stops waiting leaves nothing behind in it.
"""

from __future__ import annotations

from typing import Protocol

from oryn.research.crawling.clock import Clock, SystemClock

BUSY = 0.02
"""Seconds after which to ask again where a host has as many requests on their way as it may, or one is leaving."""
REMEMBERED = 10_000
"""Hosts of which something is remembered, as long as there is nothing to remember of some of them."""


class Throttle(Protocol):
    """A host is `example.com`, or `example.com:8080` (`oryn.research.urls.host_of`)."""

    async def ask(self, host: str) -> float:
        """0 when a request may begin now, and then `begun` and `done` must follow; nobody else's may before `begun`.
        Else how many seconds later it makes sense to ask again."""

    async def begun(self, host: str) -> None:
        """The request is written now, its connection stands: the pause counts from here. Once, also when it came to
        nothing before that."""

    async def done(self, host: str) -> None:
        """A request has ended."""

    async def slow(self, host: str, seconds: float) -> None:
        """No request begins within so many seconds, counted from now."""

    async def pace(self, host: str, seconds: float) -> None:
        """The host asks for this pause between two requests; it holds where it is the longer one."""


class _Host:
    __slots__ = ("begun", "closed_until", "leaving", "pause", "under_way")

    def __init__(self, pause: float) -> None:
        self.pause = pause
        self.begun = float("-inf")
        self.closed_until = float("-inf")
        self.under_way = 0
        self.leaving = False

    def is_idle(self, now: float) -> bool:
        return not self.under_way and max(self.begun + self.pause, self.closed_until) <= now


class LocalThrottle:
    """The throttle of one process. `delay` is in seconds, `per_host` how many requests a host has at once."""

    def __init__(self, delay: float = 1.0, per_host: int = 2, clock: Clock | None = None) -> None:
        self._delay = delay
        self._per_host = per_host
        self._clock = clock or SystemClock()
        self._hosts: dict[str, _Host] = {}

    async def ask(self, host: str) -> float:
        place, now = self._of(host), self._clock.now()
        ready = max(place.begun + place.pause, place.closed_until)
        if ready > now:
            return ready - now
        if place.leaving or place.under_way >= self._per_host:
            return BUSY
        place.begun = now
        place.under_way += 1
        place.leaving = True
        return 0.0

    async def begun(self, host: str) -> None:
        place = self._of(host)
        place.begun = self._clock.now()
        place.leaving = False

    async def done(self, host: str) -> None:
        place = self._of(host)
        place.under_way = max(0, place.under_way - 1)

    async def slow(self, host: str, seconds: float) -> None:
        place = self._of(host)
        place.closed_until = max(place.closed_until, self._clock.now() + seconds)

    async def pace(self, host: str, seconds: float) -> None:
        self._of(host).pause = max(self._delay, seconds)

    def _of(self, host: str) -> _Host:
        place = self._hosts.get(host)
        if place is None:
            if len(self._hosts) >= REMEMBERED:
                self._forget()
            place = self._hosts[host] = _Host(self._delay)
        return place

    def _forget(self) -> None:
        """Hosts that may be asked now, as if they had never been."""
        now = self._clock.now()
        self._hosts = {host: place for host, place in self._hosts.items() if not place.is_idle(now)}
