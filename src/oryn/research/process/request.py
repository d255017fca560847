"""One request of the research process: its arguments, and the progress, items and render requests of its run."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from typing import Any

from oryn.research.documents import JsonRecord, ResearchProgress
from oryn.research.options import ResearchOptions
from oryn.research.process.protocol import Message, error_of

PROGRESS_SECONDS = 0.1
"""The minimum time between two messages of progress in one stage."""

SendMessage = Callable[[Message], Awaitable[None]]
"""Sends a message to the host. Raises `BodyTooLarge`."""


class ResearchRequest:
    """A request while it runs. `id` is unique on the connection, `do` is the name of the operation. `arguments` are
    those of the command, without the ones that were not passed."""

    def __init__(
        self, id: int, do: str, options: ResearchOptions, arguments: Mapping[str, Any], send: SendMessage
    ) -> None:
        self.id = id
        self.do = do
        self.options = options
        self.arguments = arguments
        self._send = send
        self._last_progress: tuple[str, float] = ("", 0.0)
        self._sending: set[asyncio.Task[None]] = set()
        self._taken = asyncio.Event()
        self._rendering: dict[int, asyncio.Future[tuple[str, str]]] = {}
        self._numbers = itertools.count(1)
        self.exit_stack = AsyncExitStack()
        """Closed when the request ends."""

    def select_arguments(self, *names: str) -> dict[str, Any]:
        """Those of the named arguments that were passed, by name."""
        return {name: self.arguments[name] for name in names if name in self.arguments}

    def progress(self, progress: ResearchProgress) -> None:
        """Send progress to the host, at most every `PROGRESS_SECONDS` for one stage. Does not block."""
        now = asyncio.get_running_loop().time()
        stage, latest = self._last_progress
        if stage == progress.stage and now - latest < PROGRESS_SECONDS and progress.done != progress.total:
            return
        self._last_progress = progress.stage, now
        task = asyncio.ensure_future(self._send({"id": self.id, "progress": progress.form()}))
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    async def flush_progress(self) -> None:
        """Wait until all progress is sent."""
        await asyncio.gather(*self._sending)

    async def item(self, item: JsonRecord | Message) -> None:
        """Send a part of the result; returns when the host has taken it. Raises `BodyTooLarge`."""
        self._taken.clear()
        await self._send({"id": self.id, "item": item.form() if isinstance(item, JsonRecord) else item})
        await self._taken.wait()

    async def render(self, url: str, proxy: str | None = None) -> tuple[str, str]:
        """Have the host load `url` in a browser; returns the final URL and the HTML. `proxy` is the only proxy that the
        browser may use (its URL with the login). Raises the error that the host reports."""
        number = next(self._numbers)
        future: asyncio.Future[tuple[str, str]] = asyncio.get_running_loop().create_future()
        self._rendering[number] = future
        try:
            through = {} if proxy is None else {"proxy": proxy}
            await self._send({"id": self.id, "render": number, "url": url, **through})
            return await future
        finally:
            del self._rendering[number]

    def on_message(self, message: Message) -> None:
        """Handle a message of the host about this request."""
        if "taken" in message:
            self._taken.set()
        future = self._rendering.get(message.get("rendered", 0))
        if future is None or future.done():
            return
        if "error" in message:
            future.set_exception(error_of(message["error"]))
        else:
            future.set_result((message["url"], message["html"]))
