"""Navigates a tab (goto, history, reload) and tracks navigations of its top frame by the browser's events.

The loader id is that of the request of a document and of the document that it becomes. The domain `Automation`
navigates, as `Page.navigate` sends the address of the present page as the referrer. No event has the URL of a
navigation within the document: the browser tells that one took place or that a load has ended
(`Automation.browsingContextCleared`), and the URL is read from the frame tree.
https://github.com/WebKit/WebKit/blob/main/Source/JavaScriptCore/inspector/protocol/Page.json
https://github.com/WebKit/WebKit/blob/main/Source/WebKit/UIProcess/Automation/Automation.json"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any
from urllib.parse import urldefrag

from oryn.browsers.base import Navigation
from oryn.browsers.common.events import Deadline
from oryn.browsers.common.navigation import NavigationAttempt, NavigationTracker, NavigationWaiter
from oryn.browsers.common.network_errors import ERROR_PAGE_URL
from oryn.browsers.webkit.inflight import resource_kind
from oryn.browsers.webkit.load_errors import network_error, unsent_error
from oryn.errors import OrynError

if TYPE_CHECKING:
    from oryn.browsers.base import Checkpoint
    from oryn.browsers.common.protocol_session import ProtocolSession
    from oryn.browsers.webkit.channel import WebKitChannel
    from oryn.browsers.webkit.frames import WebKitFrameNode, WebKitFrameTree
    from oryn.browsers.webkit.inflight import WebKitInflightTracker

BLANK = "about:blank"
REQUEST_SECONDS = 0.5
"""Longest time between the end of a page's wait for a navigation and the events of that navigation."""
MOVE_SECONDS = 2.0
"""Longest time until another process begins a request anew that was cancelled."""
POLL_SECONDS = 0.02
_READY_STATE = {"expression": "document.readyState", "returnByValue": True}
NO_WAIT = {"pageLoadStrategy": "None", "pageLoadTimeout": 300_000}
"""The browser answers a command that navigates at once."""


class WebKitNavigationTracker(NavigationTracker):
    """Tracks the navigations of the top frame of one tab."""

    def __init__(self, channel: WebKitChannel, frames: WebKitFrameTree) -> None:
        super().__init__(channel, lambda: frames.top)
        self._channel = channel
        self._frames = frames
        self._requests: dict[tuple[ProtocolSession, str], NavigationAttempt] = {}
        """The navigations by the session and the id of their request."""
        self._commanded: str | None = None
        """The URL that a command navigates to, until the navigation has begun."""
        self.begun: NavigationAttempt | None = None
        """The navigation that the last command has begun; None if it has taken place within the document."""
        self._error_document = ""
        """The loader of the browser's error page, which is about to be shown."""
        self._moving: NavigationAttempt | None = None
        """The navigation whose request another process begins anew."""
        self._has_other_process = False
        """Whether another process has taken the page over, whose document is reported next."""
        self._loaded = ""
        """The loader of a document that has loaded and leads on to another one."""
        self._tasks: set[asyncio.Task[None]] = set()
        frames.on_commit.append(self._on_committed)
        frames.on_same_document.append(self.on_same_document)

    def listen(self, session: ProtocolSession) -> None:
        session.on("Page.frameScheduledNavigation", self._on_scheduled)
        session.on("Page.frameClearedScheduledNavigation", self._on_cleared)
        session.on("Page.frameStartedLoading", self._on_started_loading)
        session.on("Page.frameStoppedLoading", self._on_stopped_loading)
        session.on("Page.domContentEventFired", lambda _: self._on_progress(session, "ready"))
        session.on("Page.loadEventFired", lambda _: self._on_progress(session, "load"))
        session.on("Network.requestWillBeSent", lambda event: self._on_sent(session, event))
        session.on("Network.responseReceived", lambda event: self._on_answered(session, event))
        session.on("Network.loadingFailed", lambda event: self._on_failed(session, event))

    def _is_top(self, event: dict[str, Any]) -> bool:
        # Another process begins with the request of the top document, before the frame is known.
        return self._frames.top.id in ("", event.get("frameId"))

    # --- before a navigation ---

    def command(self, url: str) -> None:
        """A command navigates to `url`."""
        self._commanded, self.begun = url, None

    def _on_begun(self, attempt: NavigationAttempt | None) -> None:
        """A navigation has begun: that of the command, if there is one that waits for it."""
        if self._commanded is not None:
            self._commanded, self.begun = None, attempt

    @property
    def has_begun(self) -> bool:
        """Whether the navigation of the last command has begun, or has taken place within the document."""
        return self._commanded is None

    def _on_scheduled(self, event: dict[str, Any]) -> None:
        if self._is_top(event) and event["delay"] == 0:
            self.requested = True

    def _on_cleared(self, event: dict[str, Any]) -> None:
        if self._is_top(event) and self.requested:
            asyncio.get_running_loop().call_later(REQUEST_SECONDS, self._end_request, self._events)

    def _end_request(self, events: int) -> None:
        if self.requested and self._events == events:
            self.requested = False
            self._release_load()
            self._tab_state.signal.notify()

    def _release_load(self) -> None:
        """No other document takes the place of the present one, which has loaded."""
        if self._loaded == self._frames.top.loader:
            self.advance(self._loaded, "load")

    def _on_started_loading(self, event: dict[str, Any]) -> None:
        if self._is_top(event):
            self.requested = True

    # --- another process ---

    def on_provisional_session(self) -> None:
        """The response of the pending navigation belongs into another process, which begins the request anew; the
        present one reports it as cancelled. The ids there may be the same as those of the present process."""
        self._moving = self.pending
        for attempt in list(self._attempts.values()):
            self._rename(attempt, f"{attempt.loader} before")

    def on_session_committed(self) -> None:
        """The page has another process, whose ids may be those of the one before."""
        self._progress.clear()
        self._has_other_process = True

    def _rename(self, attempt: NavigationAttempt, loader: str) -> None:
        self._attempts = {loader if each is attempt else former: each for former, each in self._attempts.items()}
        attempt.loader = loader

    # --- the request of a document ---

    def _on_sent(self, session: ProtocolSession, event: dict[str, Any]) -> None:
        is_current = session is self._channel.session
        if resource_kind(event) != "Document" or (is_current and not self._is_top(event)):
            return
        loader, url = event["loaderId"], event["request"]["url"]
        request = session, event["requestId"]
        attempt = self._requests.get(request)
        if attempt is None and not is_current and self._moving is not None:
            attempt = self._requests[request] = self._moving
            self._rename(attempt, loader)
            self._moving = None
        if attempt is None:
            if is_current and loader == self._frames.top.loader:
                return  # a part of the present document
            if url == BLANK:
                self._error_document = loader  # only the browser's own pages are requested so
                return
            self.requested = False
            attempt = self._requests[request] = self.begin(loader, url)
            self._on_begun(attempt)
            while len(self._requests) > 20:
                self._requests.pop(next(iter(self._requests)))
        attempt.sent = True
        if redirect := event.get("redirectResponse"):
            attempt.redirects.append(redirect["url"])
            attempt.url = url
        self._tab_state.signal.notify()

    def _on_answered(self, session: ProtocolSession, event: dict[str, Any]) -> None:
        attempt = self._requests.get((session, event["requestId"]))
        if attempt is not None and attempt.failed is None:
            attempt.answered = True
            response = event["response"]
            if response["url"].startswith("http"):
                attempt.url = response["url"]
                attempt.status, attempt.status_text = response["status"], response.get("statusText", "")
            self._tab_state.signal.notify()

    def _on_failed(self, session: ProtocolSession, event: dict[str, Any]) -> None:
        attempt = self._requests.pop((session, event["requestId"]), None)
        if attempt is None or attempt.finished or attempt is self._moving:
            return
        if event.get("canceled") and not attempt.answered:  # another process may begin it anew
            self._start(self._end_unless_moved(attempt))
        else:
            error = network_error(event["errorText"], attempt.url)
            self.record_failure(attempt, error, canceled=bool(event.get("canceled")))

    async def _end_unless_moved(self, attempt: NavigationAttempt) -> None:
        """The request of an attempt was cancelled. The browser shows its URL as long as it goes on elsewhere."""
        deadline = Deadline(MOVE_SECONDS)
        while deadline.left:
            try:
                answer = await self._channel.automate("getBrowsingContext", timeout=MOVE_SECONDS)
            except OrynError:
                break
            if self._has_moved(attempt) or attempt.finished:
                return
            if answer["context"]["url"] != attempt.url:
                break
            await self._tab_state.signal.until(lambda: self._has_moved(attempt) or attempt.finished, POLL_SECONDS)
        if not self._has_moved(attempt) and not attempt.finished:
            self.record_failure(attempt, "net::ERR_ABORTED")

    def _has_moved(self, attempt: NavigationAttempt) -> bool:
        return attempt is self._moving or attempt in self._requests.values()

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # --- the document ---

    def _on_committed(self, node: WebKitFrameNode) -> None:
        if node.parent is not None:
            return
        if not self._frames.is_initialized:  # it was there before we listened
            self.advance(node.loader, "load" if node.url == BLANK else "commit")
            self._start(self._finish_first_load(node.loader))
            return
        if self._moving is not None and self._has_other_process:
            if self.attempt(node.loader) is None:  # a document of the history, which is not requested
                self._rename(self._moving, node.loader)
            self._moving = None
        self._has_other_process = False
        failed = self._failed_load(node)
        self._error_document = ""
        if failed is None:
            self.record_commit(node.loader, node.url)
            self._on_begun(self.attempt(node.loader))
        else:
            self._frames.show_error_page(failed.loader, failed.url)
            self.record_commit(failed.loader, ERROR_PAGE_URL)

    def _failed_load(self, node: WebKitFrameNode) -> NavigationAttempt | None:
        """The navigation whose error page a new top document is, or None."""
        if node.url != BLANK:
            return None
        newest = self.newest
        if self._error_document == node.loader and newest is not None and newest.failed and not newest.ended:
            return newest
        if self._commanded is not None and urldefrag(self._commanded).url != BLANK:
            attempt = self.begin(node.loader, self._commanded)
            attempt.failed = unsent_error(self._commanded)
            self._on_begun(attempt)
            return attempt
        return None

    def _on_progress(self, session: ProtocolSession, state: str) -> None:
        if session is not self._channel.session:
            return
        if state == "load" and self.requested and self.pending is None:
            self._loaded = self._frames.top.loader  # a script of the page leads on, which begins after this event
            state = "ready"
        self.advance(self._frames.top.loader, state)

    def _on_stopped_loading(self, event: dict[str, Any]) -> None:
        if not self._is_top(event):
            return
        if self._frames.top.context is None:
            self._start(self._finish_load())
        elif self.pending is None:
            self._on_progress(self._channel.session, "load")

    async def _finish_load(self) -> None:
        """A load has ended of which no event has told that the document has loaded."""
        top = self._frames.top
        loader, deadline = top.loader, Deadline(MOVE_SECONDS)
        if top.context is None or self._is_restored_later():
            await self._frames.restore()
            while self._is_restored_later() and top.loader == loader and deadline.left:
                await asyncio.sleep(POLL_SECONDS)
                await self._frames.restore()
            if top.loader == loader and self._is_restored_later():
                # WebKit 2.48 may lose a document of the history that belongs into another process.
                self._channel.send_automation("reloadBrowsingContext", NO_WAIT)
                return
        elif not await self._is_complete():
            return
        if top.loader == loader and self.pending is None:
            self._on_progress(self._channel.session, "load")

    def _is_restored_later(self) -> bool:
        """Whether a document of the history is still to take the place of the empty one that was committed."""
        attempt = self.attempt(self._frames.top.loader)
        return self._frames.top.url == BLANK and attempt is not None and urldefrag(attempt.url).url != BLANK

    async def _finish_first_load(self, loader: str) -> None:
        """The first document that we see may have loaded before we listened."""
        if not self.reached("load") and await self._is_complete() and self._frames.top.loader == loader:
            self._on_progress(self._channel.session, "load")

    async def _is_complete(self) -> bool:
        try:
            answer = await self._channel.session.call("Runtime.evaluate", _READY_STATE, timeout=MOVE_SECONDS)
        except OrynError:
            return False
        return bool(answer["result"].get("value") == "complete")

    # --- within the document ---

    def on_browser_report(self) -> None:
        """The browser reports a load that has ended, or a navigation within the document."""
        if self._frames.is_initialized and self.pending is None and not self.reached("load"):
            self._start(self._finish_load())
        self._frames.fetch().add_done_callback(self._on_tree)

    def _on_tree(self, _: asyncio.Task[None]) -> None:
        url = self._frames.top.url
        if self._commanded is not None and self.pending is None and "#" in self._commanded and url == self._commanded:
            self.on_same_document(url)  # to where it is already

    def on_same_document(self, url: str) -> None:
        if self._commanded is not None and urldefrag(self._commanded).url == urldefrag(url).url:
            self._commanded = None
        super().on_same_document(url)
        self._release_load()


class WebKitNavigator(NavigationWaiter):
    """Navigates one tab and waits for its navigations."""

    def __init__(
        self,
        channel: WebKitChannel,
        frames: WebKitFrameTree,
        navigations: WebKitNavigationTracker,
        requests: WebKitInflightTracker,
    ) -> None:
        super().__init__(channel, frames, navigations, requests)
        self._channel = channel
        self._tree = frames
        self._tracker = navigations

    async def _begin(self, url: str, checkpoint: Checkpoint, deadline: Deadline) -> NavigationAttempt | None:
        # The initial document of a new tab would be taken for that of the navigation.
        await self._until(lambda: self._tree.is_initialized, deadline, "begin to load")
        self._tracker.command(url)
        if "#" in url and url == self._tree.top.url:
            # The browser's command would load the document again.
            params = {"expression": "location.href = location.href", "contextId": self._tree.top.context}
            await self._channel.call("Runtime.evaluate", params, timeout=deadline.left)
        else:
            await self._channel.automate("navigateBrowsingContext", {"url": url, **NO_WAIT}, timeout=deadline.left)
        await self._until(lambda: self._tracker.has_begun, deadline, "begin to load")
        return self._tracker.begun

    async def history(self, delta: int, timeout: float) -> Navigation:
        deadline = Deadline(timeout)
        checkpoint = self._start()
        method = "goBackInBrowsingContext" if delta < 0 else "goForwardInBrowsingContext"
        await self._channel.automate(method, NO_WAIT, timeout=deadline.left)
        return await self._wait_for_entry(delta, checkpoint, deadline)

    async def reload(self, hard: bool, timeout: float) -> Navigation:
        deadline = Deadline(timeout)
        checkpoint = self._start()
        if hard and not self._tree.top.is_error_page:
            await self._channel.call("Page.reload", {"ignoreCache": True}, timeout=deadline.left)
        else:
            await self._channel.automate("reloadBrowsingContext", NO_WAIT, timeout=deadline.left)
        return await self._wait_for_next(checkpoint, "load", deadline)

    def stop_loading(self) -> None:
        if (pending := self._navigations.pending) is not None:
            pending.stopped = True
        top = self._tree.top
        if top.context is not None:
            self._channel.session.send("Runtime.evaluate", {"expression": "stop()", "contextId": top.context})
