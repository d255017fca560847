"""The commands that take a tab to another document.

https://chromedevtools.github.io/devtools-protocol/tot/Page/#method-navigate
"""

from __future__ import annotations

from oryn.browsers.base import LoadState, Navigation
from oryn.browsers.cdp.channel import Channel
from oryn.browsers.cdp.connection import Answer
from oryn.browsers.cdp.frames import Frames
from oryn.browsers.cdp.navigation import Navigations
from oryn.browsers.cdp.network import Requests
from oryn.browsers.common.deadline import Deadline
from oryn.browsers.common.following import Following
from oryn.browsers.common.net_errors import failed_load
from oryn.errors import NavigationError

ATTEMPTS = 3


class Moving(Following):
    """Moves one tab, and waits for it."""

    def __init__(self, channel: Channel, frames: Frames, navigations: Navigations, requests: Requests) -> None:
        super().__init__(channel, frames, navigations, requests)
        self._channel = channel
        self._tree = frames

    async def goto(self, url: str, until: LoadState, timeout: float) -> Navigation:
        deadline = Deadline(timeout)
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

    async def history(self, delta: int, timeout: float) -> Navigation:
        deadline = Deadline(timeout)
        mark = self._start()
        history = await self._channel.call("Page.getNavigationHistory", timeout=timeout)
        index = history["currentIndex"] + delta
        if not 0 <= index < len(history["entries"]):
            raise NavigationError(
                f"there is no page to go {'back' if delta < 0 else 'forward'} to", "Use 'goto <url>' to open a page."
            )
        entry = history["entries"][index]["id"]
        await self._channel.call("Page.navigateToHistoryEntry", {"entryId": entry}, timeout=deadline.left)
        return await self._next(mark, "load", deadline)

    async def reload(self, hard: bool, timeout: float) -> Navigation:
        deadline = Deadline(timeout)
        mark = self._start()
        self._channel.session.send("Page.reload", {"ignoreCache": hard})
        return await self._next(mark, "load", deadline)

    def stop_loading(self) -> None:
        self._channel.session.send("Page.stopLoading")
