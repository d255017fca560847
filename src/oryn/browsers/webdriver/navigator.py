"""Navigations of a tab: the commands that take it to another document, and the trackers of the top frame's documents
and of the requests of their scripts.

WebDriver reports no navigation. `page.js` reports that a document is about to be left; another token means that another
document is there. A load that has failed leaves an empty document of `about:blank` behind."""

from __future__ import annotations

import asyncio
import itertools
from typing import Any
from urllib.parse import urldefrag

from oryn.browsers.base import NO_CONTENT_STATUSES, Checkpoint, Navigation
from oryn.browsers.common.events import Deadline
from oryn.browsers.common.inflight import InflightRequest, InflightTracker
from oryn.browsers.common.navigation import (
    NavigationAttempt,
    NavigationTracker,
    NavigationWaiter,
)
from oryn.browsers.common.network_errors import ERROR_PAGE_URL
from oryn.browsers.common.tab_state import TabState
from oryn.browsers.webdriver.channel import WebDriverChannel
from oryn.browsers.webdriver.error_mapping import DriverLost
from oryn.browsers.webdriver.frames import TOP, WebDriverFrameTree
from oryn.browsers.webdriver.load_failure import UNKNOWN, diagnose, reason_of
from oryn.errors import DialogOpen, NavigationError, OrynError

LEAVE_SECONDS = 10.0
"""A document that is about to be left, and stays longer, stays for good: the response was a download, or empty."""
BLANK = "about:blank"
ERROR_DOCUMENTS = ("about:neterror", "about:certerror")
"""The error pages of Firefox."""
IGNORED_SCHEMES = ("data:", "blob:")

_numbers = itertools.count(1)


class WebDriverNavigationTracker(NavigationTracker):
    """Tracks the navigations of one tab, by what its documents report."""

    def __init__(self, channel: WebDriverChannel, frames: WebDriverFrameTree) -> None:
        super().__init__(channel, lambda: frames.top)
        self._channel = channel
        self._frames = frames
        self._diagnoses: set[asyncio.Task[None]] = set()
        self.token = ""
        """The token of the top document, which `page.js` has given it."""
        self._left = 0
        """The driver's number of the document that a command is leaving; 0 if it is not known."""
        self._reported_leave: NavigationAttempt | None = None
        """The navigation for which the document has reported last that it is about to be left."""

    def start(self, url: str) -> NavigationAttempt:
        """A command navigates to `url`, or the page does (empty: it is not known where to)."""
        document = self._channel.driver_document
        self._left = 0 if document is None else document.number
        attempt = self.begin(f"{self._channel.window}.{next(_numbers)}", url)
        self._channel.signal.notify()
        return attempt

    def on_leaving(self, url: str) -> None:
        """The document is about to be left."""
        self.requested = False
        attempt = self.pending or self._unreported_empty()
        if attempt is None:
            attempt = self.start(url)
            self._left = 0  # the next document may be there before this is reported
            asyncio.get_running_loop().call_later(LEAVE_SECONDS, self._stayed, attempt)
        self._reported_leave = attempt

    def on_empty_response(self, url: str, status: int, status_text: str) -> None:
        """The response to a navigation has no content, so the document stays. It may yet report that it is about to be
        left."""
        attempt = self.pending or self.start(url)
        attempt.status, attempt.status_text, attempt.stopped = status, status_text, True
        self._channel.signal.notify()

    def _unreported_empty(self) -> NavigationAttempt | None:
        """The last navigation, if its response was empty and the document has not reported it."""
        newest = self.newest
        is_empty = newest is not None and newest.stopped and newest.status in NO_CONTENT_STATUSES
        return newest if is_empty and newest is not self._reported_leave else None

    def _stayed(self, attempt: NavigationAttempt) -> None:
        if not attempt.finished:
            attempt.stopped = True
            self._channel.signal.notify()

    def has_left(self) -> bool:
        """Whether the document that a command is leaving is gone, as far as the driver reports that."""
        document = self._channel.driver_document
        return document is None or document.number != self._left

    def on_document(self, token: str, url: str) -> bool:
        """There is another document. False if the driver has not reported yet that the one before is gone: then this is
        the one that the navigation leaves, which reports itself late, or the next, which was quicker than the driver.
        """
        if self.pending is not None and not self.has_left():
            return False
        self.token = token
        attempt = self.pending or self.start(url)
        wanted = attempt.url
        if url.startswith(ERROR_DOCUMENTS) or (url == BLANK and wanted and urldefrag(wanted).url != BLANK):
            attempt.ended = 0
            task = asyncio.ensure_future(self._fail(attempt, url))
            self._diagnoses.add(task)
            task.add_done_callback(self._diagnoses.discard)
            return True
        attempt.url = url
        document = self._channel.driver_document
        if document is not None and document.url == url:
            attempt.status, attempt.status_text = document.status, document.status_text
            attempt.redirects[:] = document.redirects
        self._frames.on_top_committed(attempt.loader, url, failed=False)
        self.record_commit(attempt.loader, url)
        self._channel.signal.notify()
        return True

    async def _fail(self, attempt: NavigationAttempt, error_document: str) -> None:
        """The document is the browser's error page."""
        token = self.token
        reason = reason_of(error_document) or await diagnose(attempt.url) or UNKNOWN
        if self.token != token:
            return  # another document has come meanwhile
        attempt.failed = reason
        self._frames.on_top_committed(attempt.loader, ERROR_PAGE_URL, failed=True)
        self.record_commit(attempt.loader, ERROR_PAGE_URL)
        self.advance(attempt.loader, "load")
        self._channel.signal.notify()

    def on_progress(self, state: str) -> None:
        """The document has reached a state."""
        self.advance(self._frames.top.loader, state)

    def on_moved(self, url: str) -> None:
        """The document has another URL."""
        if self._frames.top.url != url:
            self._frames.top.url = url
            self.on_same_document(url)


class WebDriverInflightTracker(InflightTracker[InflightRequest]):
    """Counts the requests in flight of one tab's top document."""

    def __init__(self, tab_state: TabState, frames: WebDriverFrameTree) -> None:
        super().__init__(tab_state, lambda frame_id: frame_id == TOP)
        self._frames = frames

    def on_request(self, event: dict[str, Any]) -> None:
        """A script sends a request."""
        if str(event.get("url", "")).startswith(IGNORED_SCHEMES):
            return
        loader = self._frames.top.loader
        key = self._key(event)
        self._requests[key] = InflightRequest("Fetch", TOP, loader, self._tab_state.moment)

    def on_answered(self, event: dict[str, Any]) -> None:
        """It has ended."""
        self.on_ended(self._key(event))

    def on_document(self) -> None:
        """There is another document: the requests of the old one are cancelled."""
        self.on_committed(TOP, self._frames.top.loader, top=True)

    def _key(self, event: dict[str, Any]) -> str:
        return f"{self._frames.top.loader}/{event.get('id')}"


class WebDriverNavigator(NavigationWaiter):
    """Navigates one tab, and waits for its documents."""

    def __init__(
        self,
        channel: WebDriverChannel,
        frames: WebDriverFrameTree,
        navigations: WebDriverNavigationTracker,
        requests: InflightTracker[Any],
    ) -> None:
        super().__init__(channel, frames, navigations, requests)
        self._channel = channel
        self._tracker = navigations

    async def _begin(self, url: str, checkpoint: Checkpoint, deadline: Deadline) -> NavigationAttempt | None:
        if "#" in url and urldefrag(self._frames.top.url).url == urldefrag(url).url:
            await self._channel.post("/url", {"url": url}, timeout=deadline.left)
            self._frames.top.url = url
            self._tracker.on_same_document(url)
            return None
        attempt = self._tracker.start(url)
        try:
            await self._channel.post("/url", {"url": url}, timeout=deadline.left)
        except OrynError as error:
            attempt.stopped = True
            if isinstance(error, DialogOpen | NavigationError | DriverLost):
                raise
            raise NavigationError(f"{url} did not load: {error.message}", "Check the address.") from None
        return attempt

    async def history(self, delta: int, timeout: float) -> Navigation:
        deadline = Deadline(timeout)
        checkpoint = self._start()
        await self._channel.post("/back" if delta < 0 else "/forward", timeout=deadline.left)
        return await self._wait_for_entry(delta, checkpoint, deadline)

    async def reload(self, hard: bool, timeout: float) -> Navigation:
        deadline = Deadline(timeout)
        checkpoint = self._start()
        top = self._frames.top
        newest = self._tracker.newest
        again = newest.url if newest is not None and newest.failed is not None else top.url
        if again != top.url and not again.startswith(("http:", "https:")):
            # A page may have chosen it, and the browser would load it as if a command had.
            raise NavigationError(f"{again} did not load, and is not tried again", "'goto' another page.")
        self._tracker.start(again)
        if again == top.url:
            await self._channel.post("/refresh", timeout=deadline.left)
        else:
            await self._channel.post("/url", {"url": again}, timeout=deadline.left)
        return await self.finish(checkpoint, "load", deadline)

    def stop_loading(self) -> None:
        pending = self._tracker.pending
        if pending is not None:
            pending.stopped = True
        task = asyncio.ensure_future(self._stop())
        self._channel.on_background(task)

    async def _stop(self) -> None:
        try:
            await self._channel.execute("window.stop();", timeout=2)
        except OrynError:
            pass  # the next command meets the same failure
