"""One request that a worker works on: what it is told, and what it tells meanwhile."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from typing import Any

from oryn.research.documents import Document, Progress
from oryn.research.options import ResearchOptions
from oryn.research.wire import Message, error_of

BEAT = 0.1
"""Seconds between two pieces of news of one stage: nobody reads more."""

Send = Callable[[Message], Awaitable[None]]
"""Raises `BodyTooLarge`."""


class Asked:
    """`given` are the command's arguments, of which those are left out that nobody gave."""

    def __init__(self, id: int, do: str, options: ResearchOptions, given: Mapping[str, Any], send: Send) -> None:
        self.id = id
        self.do = do
        self.options = options
        self.given = given
        self._send = send
        self._told: tuple[str, float] = ("", 0.0)
        self._telling: set[asyncio.Task[None]] = set()
        self._taken = asyncio.Event()
        self._rendering: dict[int, asyncio.Future[tuple[str, str]]] = {}
        self._numbers = itertools.count(1)
        self.until_done = AsyncExitStack()
        """What ends with the request."""

    def some(self, *names: str) -> dict[str, Any]:
        """Those of these arguments that were given."""
        return {name: self.given[name] for name in names if name in self.given}

    def progress(self, progress: Progress) -> None:
        now = asyncio.get_running_loop().time()
        stage, latest = self._told
        if stage == progress.stage and now - latest < BEAT and progress.done != progress.total:
            return
        self._told = progress.stage, now
        task = asyncio.ensure_future(self._send({"id": self.id, "progress": progress.form()}))
        self._telling.add(task)
        task.add_done_callback(self._telling.discard)

    async def flushed(self) -> None:
        """Returns when all progress until now was sent."""
        await asyncio.gather(*self._telling)

    async def item(self, item: Document | Message) -> None:
        """Hand over a part of the result; returns when it was taken. Raises `BodyTooLarge`."""
        self._taken.clear()
        await self._send({"id": self.id, "item": item.form() if isinstance(item, Document) else item})
        await self._taken.wait()

    async def render(self, url: str, proxy: str | None = None) -> tuple[str, str]:
        """The URL where a browser ended up that was to show this one, and the HTML there. With a `proxy` (its URL with
        the login) it speaks to nothing else. Raises what it could not."""
        number = next(self._numbers)
        future: asyncio.Future[tuple[str, str]] = asyncio.get_running_loop().create_future()
        self._rendering[number] = future
        try:
            through = {} if proxy is None else {"proxy": proxy}
            await self._send({"id": self.id, "render": number, "url": url, **through})
            return await future
        finally:
            del self._rendering[number]

    def hear(self, message: Message) -> None:
        """What the host says of the request while it lasts."""
        if "taken" in message:
            self._taken.set()
        future = self._rendering.get(message.get("rendered", 0))
        if future is None or future.done():
            return
        if "error" in message:
            future.set_exception(error_of(message["error"]))
        else:
            future.set_result((message["url"], message["html"]))
