"""`Rhythm`: when a session is looked at that is kept. Soon after an answer, in a pause of its work where it has one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

GATHERING = 0.05
"""Seconds from an answer to the look, in which others may join it."""
LATEST = 0.15
"""The same for a session that does not rest."""
ALONE = 1.0
"""The same for a page that has moved by itself."""
LARGE = 1_000_000
"""Characters of storage, up to which there are as many looks as answers. A session that stores more is looked at for at
most one part in `SHARE` of the time, while it does not rest."""
SHARE = 20
MOST_PAUSE = 10.0


class Rhythm:
    """Of one session. Times are those of the event loop."""

    def __init__(self) -> None:
        self._first: float | None = None
        """When the first command was answered that nothing was kept of since,"""
        self._last = 0.0
        """and when the last one."""
        self._alone: float | None = None
        """When the page has moved first since then."""
        self._again = 0.0
        """Until when a session that does not rest is spared."""
        self._woken = asyncio.Event()

    def answered(self) -> None:
        self._last = asyncio.get_running_loop().time()
        if self._first is None:
            self._first = self._last
        self._woken.set()

    def moved(self) -> None:
        if self._alone is None:
            self._alone = asyncio.get_running_loop().time()

    def took(self, seconds: float, size: int) -> None:
        """A look at a session that stores so many characters has taken so long."""
        if size > LARGE:
            self._again = asyncio.get_running_loop().time() + min(MOST_PAUSE, seconds * SHARE)

    async def pause(self, is_busy: Callable[[], bool]) -> None:
        """Wait until it is time to look."""
        loop = asyncio.get_running_loop()
        while (seconds := self._due(is_busy()) - loop.time()) > 0:
            await self._answer_within(seconds)
        self._first = self._alone = None

    def _due(self, busy: bool) -> float:
        if self._first is None:
            return (self._alone or 0.0) + ALONE
        resting = self._last + GATHERING
        latest = max(self._first + LATEST, self._again)
        return max(resting, latest) if busy else min(resting, latest)

    async def _answer_within(self, seconds: float) -> None:
        self._woken.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._woken.wait()

    async def unless_answered(self, work: Coroutine[Any, Any, None]) -> None:
        """Do this, and give it up once there is another answer."""
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
