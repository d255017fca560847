"""What a command sends to its client while it runs: progress, notices, and parts of the result."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextvars import ContextVar
from typing import Any


class CommandStream:
    """The messages of one command while it runs: its progress and its items."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[tuple[dict[str, Any], asyncio.Event]] = asyncio.Queue()
        self._progress: Mapping[str, Any] | None = None
        self._changed = asyncio.Event()

    def progress(self, progress: Mapping[str, Any]) -> None:
        """Set the progress. Only the latest is sent; earlier ones that were not sent yet are dropped."""
        self._progress = progress
        self._changed.set()

    async def item(self, item: Mapping[str, Any]) -> None:
        """Send a part of the result, as JSON data; returns after it was sent."""
        await self._send({"item": item})

    async def notice(self, text: str) -> None:
        """Send a message for the person at the terminal; returns after it was sent."""
        await self._send({"notice": text})

    async def _send(self, message: dict[str, Any]) -> None:
        sent = asyncio.Event()
        self._queue.put_nowait((message, sent))
        self._changed.set()
        await sent.wait()

    async def messages_until(self, task: asyncio.Task[Any]) -> AsyncGenerator[dict[str, Any]]:
        """Yield all messages, `{"item": …}`, `{"notice": …}` or `{"progress": …}`, until the task has ended. Progress
        that is out of date is skipped."""
        task.add_done_callback(lambda _: self._changed.set())
        while True:
            self._changed.clear()
            while not self._queue.empty():
                message, sent = self._queue.get_nowait()
                yield message
                sent.set()
            if self._progress is not None:
                progress, self._progress = self._progress, None
                yield {"progress": progress}
            if task.done() and self._queue.empty():
                return
            await self._changed.wait()


STREAM: ContextVar[CommandStream | None] = ContextVar("STREAM", default=None)
"""The stream of the command that the current task runs, if its client reads one; else None."""
