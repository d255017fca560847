"""When a host may be requested again: the pause between the starts of two requests, how many run at once, and not
before the host allows it. The clock is passed in, so that tests don't wait for pauses.

A throttle never blocks: it answers with a number of seconds. So one in another process (an actor that many crawlers
share) is the same to its users, and a caller that stops waiting leaves nothing behind in it."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    """Times in seconds. `now` is monotonic and has no defined origin; `wall` counts from 1970, for times that outlive a
    process."""

    def now(self) -> float:
        """The current time in seconds, monotonic and without a defined origin."""

    def wall(self) -> float:
        """The current time in seconds since 1970."""

    async def sleep(self, seconds: float) -> None:
        """Wait for `seconds`."""


class SystemClock:
    """The `Clock` of this computer."""

    def now(self) -> float:
        return time.monotonic()

    def wall(self) -> float:
        return time.time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


RETRY_SECONDS = 0.02
"""The time after which to ask again if a host has as many concurrent requests as it may, or one is being sent."""
REMEMBERED = 10_000
"""The number of hosts after which idle ones are removed."""


class CrawlThrottle(Protocol):
    """Decides when a host may be requested. A host is `example.com` or `example.com:8080`
    (`oryn.research.urls.host_of`)."""

    async def ask(self, host: str) -> float:
        """0 if a request may begin now; `begun` and `done` must follow then, and no other request to the host begins
        before `begun`. Else the seconds after which to call this again."""

    async def begun(self, host: str) -> None:
        """The request is being sent, its connection stands: the pause counts from here. Call it once, also if the
        request failed before."""

    async def done(self, host: str) -> None:
        """A request has ended."""

    async def slow(self, host: str, seconds: float) -> None:
        """No request begins within the next `seconds`."""

    async def pace(self, host: str, seconds: float) -> None:
        """The host demands this pause between two requests; it is used if it is longer than that of the crawl."""


class _HostState:
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
    """The `CrawlThrottle` of one process: `delay` seconds (default 1) between two requests to a host, and at most
    `per_host` (default 2) of them at once. `clock` is for tests."""

    def __init__(self, delay: float = 1.0, per_host: int = 2, clock: Clock | None = None) -> None:
        self._delay = delay
        self._per_host = per_host
        self._clock = clock or SystemClock()
        self._hosts: dict[str, _HostState] = {}

    async def ask(self, host: str) -> float:
        state, now = self._of(host), self._clock.now()
        ready = max(state.begun + state.pause, state.closed_until)
        if ready > now:
            return ready - now
        if state.leaving or state.under_way >= self._per_host:
            return RETRY_SECONDS
        state.begun = now
        state.under_way += 1
        state.leaving = True
        return 0.0

    async def begun(self, host: str) -> None:
        state = self._of(host)
        state.begun = self._clock.now()
        state.leaving = False

    async def done(self, host: str) -> None:
        state = self._of(host)
        state.under_way = max(0, state.under_way - 1)

    async def slow(self, host: str, seconds: float) -> None:
        state = self._of(host)
        state.closed_until = max(state.closed_until, self._clock.now() + seconds)

    async def pace(self, host: str, seconds: float) -> None:
        self._of(host).pause = max(self._delay, seconds)

    def _of(self, host: str) -> _HostState:
        state = self._hosts.get(host)
        if state is None:
            if len(self._hosts) >= REMEMBERED:
                # Nothing about the hosts that may be requested now matters any more.
                now = self._clock.now()
                self._hosts = {name: state for name, state in self._hosts.items() if not state.is_idle(now)}
            state = self._hosts[host] = _HostState(self._delay)
        return state
