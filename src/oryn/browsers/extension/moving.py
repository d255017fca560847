"""The commands that take a tab to another document.

https://developer.chrome.com/docs/extensions/reference/api/tabs
"""

from __future__ import annotations

from urllib.parse import urldefrag

from oryn.browsers.base import LoadState, Mark, Navigation
from oryn.browsers.common.deadline import Deadline
from oryn.browsers.common.following import Following
from oryn.browsers.extension.channel import Channel
from oryn.browsers.extension.frames import Frames
from oryn.browsers.extension.navigation import STOP, Navigations
from oryn.browsers.extension.requests import Requests
from oryn.browsers.extension.scanning import Scanning
from oryn.errors import CannotAccessPage, NavigationError, NotSupported, ScannerNotReady

ATTEMPTS = 3
# No event tells that there is nothing to go to.
HISTORY_SECONDS = 1.0


class Moving(Following):
    """Moves one tab, and waits for it."""

    def __init__(
        self, channel: Channel, frames: Frames, navigations: Navigations, requests: Requests, scanning: Scanning
    ) -> None:
        super().__init__(channel, frames, navigations, requests)
        self._channel = channel
        self._tree = frames
        self._scanning = scanning

    async def goto(self, url: str, until: LoadState, timeout: float) -> Navigation:
        if url.startswith("data:"):
            raise NotSupported(hint="An extension can't open data: URLs: serve the page over http.")
        deadline = Deadline(timeout)
        mark = self._start()
        for _ in range(ATTEMPTS):
            await self._begin(url, mark, deadline)
            ours = self._navigations.latest(mark)
            if ours is None:
                return Navigation(self._frames.top.url, same_document=True)
            navigation = await self.finish(mark, until, deadline)
            if not self._navigations.thwarted(ours):
                break
        return navigation

    async def _begin(self, url: str, mark: Mark, deadline: Deadline) -> None:
        within = _within(self._frames.top.url, url)
        await self._channel.call("tabs.update", self._channel.tab, {"url": url}, timeout=deadline.left)
        await self._until(lambda: self._has_begun(mark, within), deadline, "begin to load")

    def _has_begun(self, mark: Mark, within: bool) -> bool:
        """Whether what a `goto` asked for is under way: a navigation within the document only where that is meant, for
        the page may make some of its own."""
        if self._navigations.latest(mark) is not None:
            return True
        return within and bool(self._navigations.within.since(mark))

    async def history(self, delta: int, timeout: float) -> Navigation:
        deadline = Deadline(timeout)
        mark = self._start()
        await self._traverse(delta, deadline)
        if not await self._channel.signal.until(
            lambda: self._begun(mark) or self._channel.failure is not None or self._channel.blocked is not None,
            min(HISTORY_SECONDS, deadline.left),
        ):
            raise NavigationError(
                f"there is no page to go {'back' if delta < 0 else 'forward'} to", "Use 'goto <url>' to open a page."
            )
        return await self._next(mark, "load", deadline)

    async def _traverse(self, delta: int, deadline: Deadline) -> None:
        """`tabs.goBack` passes by the pages that no person has touched since they came, as the browser's own button
        does; `history.go` of the page takes each. Where no script runs, the button must do.
        https://chromium.googlesource.com/chromium/src/+/main/docs/history_manipulation_intervention.md"""
        try:
            await self._scanning.tell(self._tree.top, {"oryn": "history", "delta": delta}, deadline.left)
        except (CannotAccessPage, ScannerNotReady):
            call = "tabs.goBack" if delta < 0 else "tabs.goForward"
            await self._channel.call(call, self._channel.tab, timeout=deadline.left)

    async def reload(self, hard: bool, timeout: float) -> Navigation:
        deadline = Deadline(timeout)
        mark = self._start()
        self._channel.tell("tabs.reload", self._channel.tab, {"bypassCache": hard})
        return await self._next(mark, "load", deadline)

    def stop_loading(self) -> None:
        # There is no call for it; the page's own `stop` ends no navigation that has no document yet.
        self._channel.tell("tabs.update", self._channel.tab, {"url": STOP})
        self._channel.tell("tabs.sendMessage", self._channel.tab, {"oryn": "stop"}, {"frameId": 0})


def _within(here: str, url: str) -> bool:
    """Whether going from `here` to `url` stays in the document.
    https://html.spec.whatwg.org/multipage/browsing-the-web.html#navigate-fragid"""
    return "#" in url and urldefrag(here).url == urldefrag(url).url
