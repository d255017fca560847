"""The time limit of the running command: one deadline, which all inner waits share."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from oryn.errors import Timeout

ANSWER_GRACE_SECONDS = 0.25
"""Seconds of a command's time that are reserved for reporting a timeout. Inner waits end that much sooner."""


class CommandDeadline:
    """The deadline of a session's current command. All times are in seconds."""

    def __init__(self) -> None:
        self._started = self._deadline = 0.0
        self._timer: asyncio.Timeout | None = None
        self._timers: list[asyncio.Timeout] = []
        self._prolonged = 0.0
        self.began_at = 0.0
        """When the current command began: seconds of the epoch."""

    @property
    def seconds(self) -> float:
        """The time limit of the current command, from its start, rounded for messages."""
        return round(self._deadline - self._started, 2)

    def check(self) -> None:
        """Raise `Timeout` if inner waits of the current command have no time left."""
        if _now() >= self._deadline:
            raise self._timeout()

    def remaining(self) -> float:
        """Seconds that inner waits of the current command may still take; never less than 0.05."""
        return max(0.05, self._deadline - asyncio.get_running_loop().time())

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Limit the inner waits of the block, within the deadline of the current command."""
        outer, prolonged = self._deadline, self._prolonged
        self._deadline = min(outer, _now() + seconds)
        try:
            yield
        finally:
            self._deadline = outer + self._prolonged - prolonged

    def extend(self, seconds: float) -> None:
        """Move the deadline of the current command to `seconds` from now, regardless of the settings."""
        assert self._timer is not None
        self.set_remaining(seconds)
        self._timer.reschedule(self._deadline + ANSWER_GRACE_SECONDS)

    def prolong(self, seconds: float) -> None:
        """Give the current command, and those that it is a step of, so many seconds more."""
        self._deadline += seconds
        self._prolonged += seconds
        for timer in self._timers:
            if (when := timer.when()) is not None:
                timer.reschedule(when + seconds)

    def set_remaining(self, seconds: float) -> None:
        """Let inner waits end `seconds` from now. Cancels nothing."""
        self._deadline = _now() + seconds

    @contextmanager
    def set_aside(self) -> Iterator[None]:
        """Let other commands have deadlines of their own in the block; then the current one has its own again."""
        outer = self._started, self._deadline, self._timer, self._prolonged, self.began_at
        try:
            yield
        finally:
            self._started, self._deadline, self._timer, self._prolonged, self.began_at = outer

    @asynccontextmanager
    async def limited(self, seconds: float, grace: float | None = None) -> AsyncIterator[None]:
        """Limit the block: its inner waits end after `seconds`, and after `grace` more it is cancelled.

        grace: by default `ANSWER_GRACE_SECONDS`. Raises `Timeout` then."""
        self._started = _now()
        self.began_at = time.time()
        self._deadline = self._started + seconds
        try:
            async with asyncio.timeout(seconds + (ANSWER_GRACE_SECONDS if grace is None else grace)) as timer:
                self._timer = timer
                self._timers.append(timer)
                try:
                    yield
                finally:
                    self._timers.remove(timer)
        except TimeoutError:
            raise self._timeout() from None

    @asynccontextmanager
    async def step(self, seconds: float) -> AsyncIterator[None]:
        """Like `limited`, for a step of the current command, within its deadline."""
        left, started, outer, timer = self.remaining(), self._started, self._deadline, self._timer
        prolonged = self._prolonged
        limit = min(left, seconds)
        try:
            async with self.limited(limit, min(ANSWER_GRACE_SECONDS, left - limit)):
                yield
        finally:
            self._started, self._deadline, self._timer = started, outer + self._prolonged - prolonged, timer

    def _timeout(self) -> Timeout:
        return Timeout(f"not done after {self.seconds:g} s")


def _now() -> float:
    return asyncio.get_running_loop().time()
