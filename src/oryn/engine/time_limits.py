"""How long the command in hand may take: one deadline, which all inner waits share."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from oryn.errors import Timeout

TIME_TO_SPEAK = 0.25
"""Seconds of a command's time that are kept for saying that it ran out: inner waits end that much sooner."""


class TimeLimits:
    """The part of a session that knows the time."""

    def __init__(self) -> None:
        self._deadline = 0.0
        self._timer: asyncio.Timeout | None = None

    def remaining(self) -> float:
        """Seconds that the command in hand still has, for inner waits."""
        return max(0.05, self._deadline - _now())

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Give inner waits at most so long, and never longer than the command in hand has."""
        outer = self._deadline
        self._deadline = min(outer, _now() + seconds)
        try:
            yield
        finally:
            self._deadline = outer

    def allow(self, seconds: float) -> None:
        """Give the command in hand so long from now on, instead of what the settings say."""
        assert self._timer is not None
        self.give(seconds)
        self._timer.reschedule(self._deadline + TIME_TO_SPEAK)

    def give(self, seconds: float) -> None:
        """Let inner waits last so long from now on."""
        self._deadline = _now() + seconds

    @asynccontextmanager
    async def limited(self, seconds: float, grace: float = TIME_TO_SPEAK) -> AsyncIterator[None]:
        """Give the block so long, and `grace` more until it is broken off with a `Timeout`."""
        begun = _now()
        self._deadline = begun + seconds
        try:
            async with asyncio.timeout(seconds + grace) as self._timer:
                yield
        except TimeoutError:
            raise Timeout(f"not done after {round(self._deadline - begun, 2):g} s") from None

    @asynccontextmanager
    async def step(self, seconds: float) -> AsyncIterator[None]:
        """`limited` for a step of the command in hand, in whose time it has to be done."""
        left, outer, timer = self.remaining(), self._deadline, self._timer
        limit = min(left, seconds)
        try:
            async with self.limited(limit, min(TIME_TO_SPEAK, left - limit)):
                yield
        finally:
            self._deadline, self._timer = outer, timer


def _now() -> float:
    return asyncio.get_running_loop().time()
