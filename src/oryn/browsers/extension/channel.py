"""One tab's conversation with the browser and with the content scripts in its frames."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any

from oryn.browsers.common.deadline import rounded
from oryn.browsers.common.life import Life
from oryn.browsers.extension import failures
from oryn.errors import DialogOpen, OrynError, Timeout
from oryn.extension.bridge import ChromeFailed

if TYPE_CHECKING:
    from oryn.browsers.extension.frames import Node
    from oryn.extension.bridge import Bridge


class Channel(Life):
    """`tab` is the browser's id of the tab."""

    def __init__(self, bridge: Bridge, tab: int) -> None:
        super().__init__()
        self.bridge = bridge
        self.tab = tab
        self._waiting: dict[asyncio.Future[Any], bool] = {}
        """What is not answered yet, and whether a renderer answers it."""
        self._tasks: set[asyncio.Task[Any]] = set()
        self.is_silent = False
        """The page has not answered what it was asked last."""

    async def call(self, name: str, *arguments: Any, timeout: float = 30) -> Any:
        """A call of an extension API about this tab. Raises what `failures` makes of a refusal, `Timeout`."""
        if self.failure is not None:
            raise self.failure.with_traceback(None)
        return await self._answer(self.bridge.call(name, *arguments), False, timeout)

    async def send(self, node: Node, message: dict[str, Any], *, timeout: float = 30) -> Any:
        """A message to the content script of a frame, and its answer. Raises also `DialogOpen`, `DocumentGone`,
        `failures.NobodyThere`.
        https://developer.chrome.com/docs/extensions/reference/api/tabs#method-sendMessage"""
        self.check_alive()
        to = {"documentId": node.document} if node.document else {"frameId": int(node.id)}
        return await self._answer(self.bridge.call("tabs.sendMessage", self.tab, message, to), True, timeout)

    async def script(self, injection: dict[str, Any], *, timeout: float = 30) -> Any:
        """https://developer.chrome.com/docs/extensions/reference/api/scripting#method-executeScript"""
        self.check_alive()
        return await self._answer(self.bridge.call("scripting.executeScript", injection), True, timeout)

    def tell(self, name: str, *arguments: Any) -> None:
        """A call that nobody waits for, and whose failure says nothing."""
        task = asyncio.ensure_future(self._told(name, arguments))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _told(self, name: str, arguments: tuple[Any, ...]) -> None:
        try:
            await self.bridge.call(name, *arguments)
        except ChromeFailed:
            pass

    async def _answer(self, answer: Awaitable[Any], renderer: bool, timeout: float) -> Any:
        future = asyncio.get_running_loop().create_future()
        task = asyncio.ensure_future(answer)
        self._tasks.add(task)
        task.add_done_callback(lambda done: self._arrived(done, future))
        self._waiting[future] = renderer
        try:
            async with asyncio.timeout(timeout):
                return await future
        except TimeoutError:
            raise Timeout(
                f"the page did not answer within {rounded(timeout):g} s",
                "It may be busy: try again, or 'goto' another page.",
            ) from None
        finally:
            del self._waiting[future]
            if renderer:
                self.is_silent = future.cancelled()

    def _arrived(self, task: asyncio.Task[Any], future: asyncio.Future[Any]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if future.done():
            return
        if isinstance(error, ChromeFailed):
            future.set_exception(failures.from_chrome(error.message))
        elif error is not None:
            future.set_exception(error)
        else:
            future.set_result(task.result())

    def interrupt(self, reason: OrynError) -> None:
        for future, renderer in list(self._waiting.items()):
            if not future.done() and (renderer or not isinstance(reason, DialogOpen)):
                future.set_exception(reason)
