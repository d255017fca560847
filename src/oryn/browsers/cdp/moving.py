"""The commands that take a tab to another document.

https://chromedevtools.github.io/devtools-protocol/tot/Page/#method-navigate
"""

from __future__ import annotations

from collections.abc import Awaitable

from oryn.browsers.base import LoadState, Navigation
from oryn.browsers.cdp.channel import Channel
from oryn.browsers.cdp.connection import Answer
from oryn.browsers.cdp.frames import Frames
from oryn.browsers.cdp.navigation import Navigations
from oryn.browsers.cdp.network import Requests
from oryn.browsers.common.deadline import Deadline
from oryn.browsers.common.following import ERROR_PAGE_SECONDS, Following
from oryn.browsers.common.life import DocumentGone
from oryn.browsers.common.net_errors import failed_load
from oryn.errors import NavigationError, PageCrashed

ATTEMPTS = 3
BROKEN_OFF = "net::ERR_ABORTED"
CRASH_SECONDS = 1.0
"""How much later than the end of what it loaded the browser may tell that a renderer has died."""


class Moving(Following):
    """Moves one tab, and waits for it."""

    def __init__(self, channel: Channel, frames: Frames, navigations: Navigations, requests: Requests) -> None:
        super().__init__(channel, frames, navigations, requests)
        self._channel = channel
        self._tree = frames

    async def goto(self, url: str, until: LoadState, timeout: float) -> Navigation:
        deadline = Deadline(timeout)
        try:
            return await self._or_crash(self._goto(url, until, deadline))
        except NavigationError as error:
            # The process that a load was to move to has died, and the tab lives: nothing of the document was shown yet.
            if not self._is_lost(error):
                raise
        return await self._or_crash(self._goto(url, until, deadline))

    def _is_lost(self, error: NavigationError) -> bool:
        """Whether a load was broken off, by nothing that the page did, before it became a document."""
        newest = self._navigations.newest
        broken = isinstance(error, DocumentGone) or BROKEN_OFF in error.message
        return broken and newest is not None and not newest.committed and newest.refusal is None

    async def history(self, delta: int, timeout: float) -> Navigation:
        return await self._or_crash(self._history(delta, Deadline(timeout)))

    async def reload(self, hard: bool, timeout: float) -> Navigation:
        return await self._or_crash(self._reload(hard, Deadline(timeout)))

    async def _or_crash(self, moving: Awaitable[Navigation]) -> Navigation:
        try:
            return await moving
        except NavigationError as error:
            raise await self.reason_of(error) from error.__cause__

    async def reason_of(self, error: NavigationError) -> NavigationError | PageCrashed:
        """`error`, or that the page has crashed: a renderer that dies takes along what it shows and what it loads, and
        the browser may tell of that first."""
        if isinstance(error, DocumentGone) or BROKEN_OFF in error.message:
            await self._channel.signal.until(lambda: self._channel.failure is not None, CRASH_SECONDS)
        return self._channel.failure if isinstance(self._channel.failure, PageCrashed) else error

    async def _goto(self, url: str, until: LoadState, deadline: Deadline) -> Navigation:
        mark = self._start()
        # A navigation that meets a new tab's first one, to about:blank, would be broken off by it.
        await self._until(lambda: self._tree.known, deadline, "begin to load")
        for _ in range(ATTEMPTS):
            answer = await self._navigate(url, deadline)
            loader = answer.get("loaderId", "")
            if not loader and not answer.get("errorText"):
                return await self._next(mark, until, deadline)  # within the document
            if not loader:
                raise failed_load(url, answer["errorText"])
            await self._known(loader, deadline)
            navigation = await self.finish(mark, until, deadline)
            if not self._navigations.thwarted(self._navigations.attempt(loader)):
                break
        return navigation

    async def _navigate(self, url: str, deadline: Deadline) -> Answer:
        answer = self._channel.session.send("Page.navigate", {"url": url})
        answer.add_done_callback(lambda _: self._channel.signal.notify())
        await self._until(answer.done, deadline, "begin to load")
        return answer.result()

    async def _known(self, loader: str, deadline: Deadline) -> None:
        """Wait until an event has told of the attempt that an answer speaks of."""
        await self._until(lambda: self._navigations.attempt(loader) is not None, deadline, "begin to load")

    async def _history(self, delta: int, deadline: Deadline) -> Navigation:
        mark = self._start()
        history = await self._entries(deadline)
        index = history["currentIndex"] + delta
        if not 0 <= index < len(history["entries"]):
            raise NavigationError(
                f"there is no page to go {'back' if delta < 0 else 'forward'} to", "Use 'goto <url>' to open a page."
            )
        entry = history["entries"][index]["id"]
        await self._channel.call("Page.navigateToHistoryEntry", {"entryId": entry}, timeout=deadline.left)
        return await self._next(mark, "load", deadline)

    async def _entries(self, deadline: Deadline) -> Answer:
        """The tab's history. While a document is about to take the place of another one, the browser does not tell."""
        loader = self._tree.top.loader
        try:
            return await self._channel.call("Page.getNavigationHistory", timeout=deadline.left)
        except DocumentGone:
            await self._channel.signal.until(
                lambda: self._tree.top.loader != loader or self._channel.failure is not None,
                min(ERROR_PAGE_SECONDS, deadline.left),
            )
            return await self._channel.call("Page.getNavigationHistory", timeout=deadline.left)

    async def _reload(self, hard: bool, deadline: Deadline) -> Navigation:
        mark = self._start()
        self._channel.session.send("Page.reload", {"ignoreCache": hard})
        return await self._next(mark, "load", deadline)

    def stop_loading(self) -> None:
        self._channel.session.send("Page.stopLoading")
