"""One tab's calls to the extension APIs, and its messages to the content scripts in its frames."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any, Protocol

from oryn.browsers.common.tab_state import TabState
from oryn.browsers.extension import error_mapping
from oryn.browsers.extension.bridge import ChromeFailed
from oryn.core.error_text import round_up_seconds
from oryn.errors import DialogOpen, OrynError, Timeout

if TYPE_CHECKING:
    from oryn.browsers.extension.bridge import Bridge

UNRESPONSIVE_SECONDS = 2.0
"""Seconds without an answer after which a page may have a dialog open. More than one wait for a change takes."""


class MessageTarget(Protocol):
    """A frame, by the browser's ids."""

    @property
    def id(self) -> str: ...

    @property
    def document(self) -> str:
        """The id of its document; empty if it is not known yet."""


class ExtensionChannel(TabState):
    """The calls of one tab that wait for their answers."""

    def __init__(self, bridge: Bridge, tab: int) -> None:
        """`tab` is the browser's id of the tab."""
        super().__init__()
        self.bridge = bridge
        self.tab = tab
        self._waiting: dict[asyncio.Future[Any], bool] = {}
        """The calls without an answer yet, and whether a renderer answers them."""
        self._tasks: set[asyncio.Task[Any]] = set()
        self._answered_at = -math.inf
        """When the page answered last, of the loop's clock."""
        self._is_late = False
        """The page has not answered the last message in time."""

    @property
    def is_unresponsive(self) -> bool:
        """The page has not answered the last message in time, nor any other within `UNRESPONSIVE_SECONDS`. One late
        answer alone means no more than a busy computer."""
        return self._is_late and asyncio.get_running_loop().time() - self._answered_at > UNRESPONSIVE_SECONDS

    async def call(self, name: str, *arguments: Any, timeout: float = 30) -> Any:
        """Call an extension API about this tab. Raises `Timeout` after `timeout` seconds, and what
        `error_mapping.from_chrome` makes of the browser's error."""
        if self.failure is not None:
            raise self.failure.with_traceback(None)
        return await self._answer(self.bridge.call(name, *arguments), False, timeout)

    async def send(self, frame: MessageTarget, message: dict[str, Any], *, timeout: float = 30) -> Any:
        """Send a message to the content script of a frame; its answer. Raises also `DialogOpen`, `DocumentGone`,
        `error_mapping.NoContentScript`.
        https://developer.chrome.com/docs/extensions/reference/api/tabs#method-sendMessage"""
        self.check_alive()
        to = {"documentId": frame.document} if frame.document else {"frameId": int(frame.id)}
        return await self._answer(self.bridge.call("tabs.sendMessage", self.tab, message, to), True, timeout)

    async def script(self, injection: dict[str, Any], *, timeout: float = 30) -> Any:
        """Inject a script into the tab; its results. Raises what `send` raises.
        https://developer.chrome.com/docs/extensions/reference/api/scripting#method-executeScript"""
        self.check_alive()
        return await self._answer(self.bridge.call("scripting.executeScript", injection), True, timeout)

    def call_in_background(self, name: str, *arguments: Any) -> None:
        """Call an extension API without waiting for it; its failure is ignored."""
        task = asyncio.ensure_future(self._call_quietly(name, arguments))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _call_quietly(self, name: str, arguments: tuple[Any, ...]) -> None:
        try:
            await self.bridge.call(name, *arguments)
        except ChromeFailed:
            pass

    async def _answer(self, answer: Awaitable[Any], renderer: bool, timeout: float) -> Any:
        future = asyncio.get_running_loop().create_future()
        task = asyncio.ensure_future(answer)
        self._tasks.add(task)
        task.add_done_callback(lambda done: self._on_answer(done, future))
        self._waiting[future] = renderer
        try:
            async with asyncio.timeout(timeout):
                return await future
        except TimeoutError:
            raise Timeout(
                f"the page did not answer within {round_up_seconds(timeout):g} s",
                "It may be busy: try again, or 'goto' another page.",
            ) from None
        finally:
            del self._waiting[future]
            if renderer:
                self._is_late = future.cancelled()
                if not self._is_late:
                    self._answered_at = asyncio.get_running_loop().time()

    def _on_answer(self, task: asyncio.Task[Any], future: asyncio.Future[Any]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if future.done():
            return
        if isinstance(error, ChromeFailed):
            future.set_exception(error_mapping.from_chrome(error.message))
        elif error is not None:
            future.set_exception(error)
        else:
            future.set_result(task.result())

    def interrupt(self, reason: OrynError) -> None:
        for future, renderer in list(self._waiting.items()):
            if not future.done() and (renderer or not isinstance(reason, DialogOpen)):
                future.set_exception(reason)
