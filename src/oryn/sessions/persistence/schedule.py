"""`SaveSchedule`: when a running session is saved: soon after an answer, and in a pause between commands if
possible."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

DEBOUNCE_SECONDS = 0.05
"""Seconds from an answer to the read, which is delayed further by answers in that time."""
MAX_DELAY_SECONDS = 0.15
"""The maximum delay after the first answer, while commands follow each other without a pause."""
NAVIGATION_DELAY_SECONDS = 1.0
"""Seconds from a navigation that no command caused to the read."""
LARGE_STORAGE_CHARACTERS = 1_000_000
"""Size of storage in characters up to which the state is read after each answer.

A session that stores more is read for at most one part in `THROTTLE_FACTOR` of the time, while its commands follow each
other without a pause."""
THROTTLE_FACTOR = 20
MAX_PAUSE_SECONDS = 10.0


class SaveSchedule:
    """The schedule of one session. Times are those of the event loop."""

    def __init__(self) -> None:
        self._first_answer: float | None = None
        """When the first command was answered since the last read."""
        self._last_answer = 0.0
        """When the last command was answered."""
        self._first_move: float | None = None
        """When the page first navigated by itself since the last read."""
        self._throttled_until = 0.0
        """Until when a busy session is not read."""
        self._woken = asyncio.Event()

    def on_answered(self) -> None:
        """Note that a command has been answered."""
        self._last_answer = asyncio.get_running_loop().time()
        if self._first_answer is None:
            self._first_answer = self._last_answer
        self._woken.set()

    def on_moved(self) -> None:
        """Note that the page has navigated by itself."""
        if self._first_move is None:
            self._first_move = asyncio.get_running_loop().time()

    def record_duration(self, seconds: float, size: int) -> None:
        """Record how long a read took, of a session that stores `size` characters."""
        if size > LARGE_STORAGE_CHARACTERS:
            self._throttled_until = asyncio.get_running_loop().time() + min(
                MAX_PAUSE_SECONDS, seconds * THROTTLE_FACTOR
            )

    async def wait_until_due(self, is_busy: Callable[[], bool]) -> None:
        """Wait until the session is to be read."""
        loop = asyncio.get_running_loop()
        while (seconds := self._due(is_busy()) - loop.time()) > 0:
            await self._wait_for_answer(seconds)
        self._first_answer = self._first_move = None

    def _due(self, busy: bool) -> float:
        if self._first_answer is None:
            return (self._first_move or 0.0) + NAVIGATION_DELAY_SECONDS
        resting = self._last_answer + DEBOUNCE_SECONDS
        latest = max(self._first_answer + MAX_DELAY_SECONDS, self._throttled_until)
        return max(resting, latest) if busy else min(resting, latest)

    async def _wait_for_answer(self, seconds: float) -> None:
        self._woken.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._woken.wait()

    async def run_unless_answered(self, work: Coroutine[Any, Any, None]) -> None:
        """Run `work`, and cancel it if another command is answered meanwhile. Raises what `work` raises."""
        self._woken.clear()
        working, woken = asyncio.create_task(work), asyncio.create_task(self._woken.wait())
        try:
            await asyncio.wait((working, woken), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (working, woken):
                task.cancel()
            await asyncio.wait((working, woken))
        if not working.cancelled():
            working.result()
