"""Navigates a tab (goto, history, reload) and tracks navigations of its top frame by the protocol's events.

The loader id is that of the navigation, of its request and of the document that it becomes.
https://chromedevtools.github.io/devtools-protocol/tot/Page/#method-navigate
https://chromedevtools.github.io/devtools-protocol/tot/Page/#event-frameStartedNavigating"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any

from oryn.browsers.base import Checkpoint, LoadState, Navigation
from oryn.browsers.cdp.channel import CdpChannel
from oryn.browsers.cdp.connection import CdpSession
from oryn.browsers.cdp.frames import CdpFrameNode, CdpFrameTree
from oryn.browsers.cdp.network.inflight import CdpInflightTracker
from oryn.browsers.common.events import Deadline
from oryn.browsers.common.navigation import (
    ERROR_PAGE_SECONDS,
    NavigationAttempt,
    NavigationTracker,
    NavigationWaiter,
    no_entry_error,
)
from oryn.browsers.common.network_errors import load_error
from oryn.browsers.common.protocol_session import Answer
from oryn.browsers.common.tab_state import DocumentGone
from oryn.errors import NavigationError, PageCrashed

# The load states of the names in Page.lifecycleEvent.
_LIFECYCLE = {"commit": "commit", "DOMContentLoaded": "ready", "load": "load"}


class CdpNavigationTracker(NavigationTracker):
    """Tracks the navigations of the top frame of one tab."""

    def __init__(self, channel: CdpChannel, frames: CdpFrameTree) -> None:
        super().__init__(channel, lambda: frames.top)
        self._frames = frames
        frames.on_commit.append(self._on_committed)

    def listen(self, session: CdpSession) -> None:
        session.on("Page.frameRequestedNavigation", self._on_requested)
        session.on("Page.frameStartedNavigating", self._on_started)
        session.on("Page.frameClearedScheduledNavigation", self._on_cleared)
        session.on("Page.frameStoppedLoading", self._on_cleared)
        session.on("Page.navigatedWithinDocument", self._on_same_document)
        session.on("Page.lifecycleEvent", self._on_lifecycle)
        session.on("Network.requestWillBeSent", self._on_sent)
        session.on("Network.responseReceived", self._on_answered)
        session.on("Network.loadingFailed", self._on_failed)

    def _is_top(self, event: dict[str, Any]) -> bool:
        return bool(event.get("frameId") == self._frames.top.id)

    def _on_requested(self, event: dict[str, Any]) -> None:
        # `javascript:` and a link to a fragment end without a navigation to another document.
        if self._is_top(event) and event.get("disposition") == "currentTab":
            self.requested = not event["url"].startswith("javascript:")

    def _on_cleared(self, event: dict[str, Any]) -> None:
        if self._is_top(event):
            self.requested = False
            self._tab_state.signal.notify()

    def _on_started(self, event: dict[str, Any]) -> None:
        if not self._is_top(event):
            return
        self.requested = False
        if "Same" not in event["navigationType"] and "same" not in event["navigationType"]:
            self.begin(event["loaderId"], event["url"])
        self._tab_state.signal.notify()

    def _on_sent(self, event: dict[str, Any]) -> None:
        loader = event.get("loaderId", "")
        if event["requestId"] != loader or not self._is_top(event) or event.get("type") != "Document":
            return
        attempt = self.begin(loader, event["request"]["url"])
        attempt.sent = True
        if redirect := event.get("redirectResponse"):
            attempt.redirects.append(redirect["url"])
            attempt.url = event["request"]["url"]
        self._tab_state.signal.notify()

    def _on_answered(self, event: dict[str, Any]) -> None:
        attempt = self._attempts.get(event["requestId"])
        if attempt is not None and attempt.failed is None:
            attempt.answered = True
            response = event["response"]
            if response["url"].startswith("http"):  # not of data:, about:, chrome-error:
                attempt.url = response["url"]
                attempt.status, attempt.status_text = response["status"], response.get("statusText", "")
            self._tab_state.signal.notify()

    def _on_failed(self, event: dict[str, Any]) -> None:
        attempt = self._attempts.get(event["requestId"])
        if attempt is not None and not attempt.finished:
            self.record_failure(attempt, event["errorText"], canceled=bool(event.get("canceled")))

    def _on_committed(self, node: CdpFrameNode) -> None:
        if node.parent is None:
            self.record_commit(node.loader, node.url)

    def _on_lifecycle(self, event: dict[str, Any]) -> None:
        if self._is_top(event) and (state := _LIFECYCLE.get(event["name"])):
            self.advance(event["loaderId"], state)

    def _on_same_document(self, event: dict[str, Any]) -> None:
        if self._is_top(event):
            self.on_same_document(event["url"])


ERR_ABORTED = "net::ERR_ABORTED"
CRASH_SECONDS = 1.0
"""The delay after a failed load in which the browser may report that the renderer has crashed."""


UNLOAD_SECONDS = 1.0
"""Seconds that scripts of a page get when it is left. Between two processes, browsers give them half a second."""
PROBE_SECONDS = 0.5
"""Seconds within which a page whose scripts do not block it answers."""
_LONG = 3600.0


class CdpNavigator(NavigationWaiter):
    """Navigates one tab and waits for its navigations."""

    def __init__(
        self,
        channel: CdpChannel,
        frames: CdpFrameTree,
        navigations: CdpNavigationTracker,
        requests: CdpInflightTracker,
    ) -> None:
        super().__init__(channel, frames, navigations, requests)
        self._channel = channel
        self._tree = frames
        self.preparation: list[asyncio.Future[Answer]] = []
        """The answers to the commands that set the tab up."""

    async def goto(self, url: str, until: LoadState, timeout: float) -> Navigation:
        deadline = Deadline(timeout)
        try:
            return await self._explain_crash(self._goto(url, until, deadline))
        except NavigationError as error:
            # The process for the new document has died before it was displayed, but the tab is alive: try again.
            if not self._is_lost(error):
                raise
        return await self._explain_crash(self._goto(url, until, deadline))

    def _is_lost(self, error: NavigationError) -> bool:
        """Whether a load was aborted before its document was committed, and not by the page or the policy."""
        newest = self._navigations.newest
        aborted = isinstance(error, DocumentGone) or ERR_ABORTED in error.message
        return aborted and newest is not None and not newest.committed and newest.refusal is None

    async def history(self, delta: int, timeout: float) -> Navigation:
        return await self._explain_crash(self._history(delta, Deadline(timeout)))

    async def reload(self, hard: bool, timeout: float) -> Navigation:
        return await self._explain_crash(self._reload(hard, Deadline(timeout)))

    async def _explain_crash(self, navigation: Awaitable[Navigation]) -> Navigation:
        leaving = asyncio.create_task(self._end_blocking_scripts())
        try:
            return await navigation
        except NavigationError as error:
            raise await self.explain(error) from error.__cause__
        finally:
            leaving.cancel()

    async def _end_blocking_scripts(self) -> None:
        """End scripts of the page that is left (`beforeunload`, `pagehide`, `unload`), if they keep the browser from
        leaving it. The next document is not touched.

        The method ends a script that runs, but if none runs, the next one; so the page is probed first.
        https://chromedevtools.github.io/devtools-protocol/tot/Runtime/#method-terminateExecution"""
        loader, signal = self._tree.top.loader, self._channel.signal
        while await signal.until(self._is_to_be_left, _LONG):
            if await signal.until(lambda: self._tree.top.loader != loader, UNLOAD_SECONDS):
                return
            probe = self._channel.session.send("Runtime.evaluate", {"expression": "0"})
            await asyncio.wait([probe], timeout=PROBE_SECONDS)
            is_old = self._tree.top.loader == loader and self._is_to_be_left()
            if not probe.done() and is_old and self._channel.blocked is None:
                self._channel.session.send("Runtime.terminateExecution")

    def _is_to_be_left(self) -> bool:
        """Whether the page's scripts alone keep the browser from leaving it: before it requests another document, or
        when that has arrived."""
        pending = self._navigations.pending
        return pending is None or not pending.sent or pending.answered

    async def explain(self, error: NavigationError) -> NavigationError | PageCrashed:
        """`PageCrashed` if the page has crashed, else `error`. When a renderer crashes, the browser may report first
        that its document is gone or its load aborted."""
        if isinstance(error, DocumentGone) or ERR_ABORTED in error.message:
            await self._channel.signal.until(lambda: self._channel.failure is not None, CRASH_SECONDS)
        return self._channel.failure if isinstance(self._channel.failure, PageCrashed) else error

    async def _begin(self, url: str, checkpoint: Checkpoint, deadline: Deadline) -> NavigationAttempt | None:
        # The initial navigation of a new tab, to about:blank, would abort another one.
        await self._until(lambda: self._tree.is_initialized, deadline, "begin to load")
        await self._await_preparation(deadline)
        sent = self._channel.session.send("Page.navigate", {"url": url})
        sent.add_done_callback(lambda _: self._channel.signal.notify())
        await self._until(sent.done, deadline, "begin to load")
        answer = sent.result()
        loader = answer.get("loaderId", "")
        if not loader:
            if answer.get("errorText"):
                raise load_error(url, answer["errorText"])
            return None
        await self._until(lambda: self._navigations.attempt(loader) is not None, deadline, "begin to load")
        return self._navigations.attempt(loader)

    async def _await_preparation(self, deadline: Deadline) -> None:
        """Wait until the tab is set up. If the document comes into another process, the browser repeats there what was
        not answered yet, but only after the document has begun to run: its first requests would not be reported."""
        for answer in self.preparation:
            answer.add_done_callback(lambda _: self._channel.signal.notify())
        await self._until(lambda: all(answer.done() for answer in self.preparation), deadline, "begin to load")
        self.preparation = []

    async def _history(self, delta: int, deadline: Deadline) -> Navigation:
        checkpoint = self._start()
        history = await self._entries(deadline)
        index = history["currentIndex"] + delta
        if not 0 <= index < len(history["entries"]):
            raise no_entry_error(delta)
        entry = history["entries"][index]["id"]
        await self._channel.call("Page.navigateToHistoryEntry", {"entryId": entry}, timeout=deadline.left)
        return await self._wait_for_next(checkpoint, "load", deadline)

    async def _entries(self, deadline: Deadline) -> Answer:
        """The tab's history. The browser does not return it while one document replaces another, so this waits then."""
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
        checkpoint = self._start()
        self._channel.session.send("Page.reload", {"ignoreCache": hard})
        return await self._wait_for_next(checkpoint, "load", deadline)

    def stop_loading(self) -> None:
        self._channel.session.send("Page.stopLoading")
