"""Navigations of a tab: the commands that take it to another document, and the tracker of the top frame's navigations.

The events of `webNavigation` and `webRequest` share nothing but the tab, so a navigation has a number of our own; its
document's id comes when it is committed.
https://developer.chrome.com/docs/extensions/reference/api/webNavigation#event-order
https://developer.chrome.com/docs/extensions/reference/api/tabs"""

from __future__ import annotations

import itertools
from typing import Any
from urllib.parse import urldefrag

from oryn.browsers.base import Checkpoint, LoadState, Navigation
from oryn.browsers.common.events import Deadline
from oryn.browsers.common.navigation import NavigationAttempt, NavigationTracker, NavigationWaiter
from oryn.browsers.common.network_errors import ERROR_PAGE_URL
from oryn.browsers.extension.channel import ExtensionChannel
from oryn.browsers.extension.frames import NO_DOCUMENT, ExtensionFrameTree
from oryn.browsers.extension.scanner_client import ExtensionScannerClient
from oryn.browsers.extension.web_request import ExtensionInflightTracker
from oryn.errors import CannotAccessPage, NotSupported, ScannerNotReady

STOP_URL = "data:,"
"""Navigating here stops what is loading. Browsers refuse such URLs in the top frame, so the page stays.
https://blog.chromium.org/2017/03/from-chrome-58-data-urls.html"""

_numbers = itertools.count(1)


class ExtensionNavigationTracker(NavigationTracker):
    """Tracks the navigations of one tab. Its methods take events of the top frame."""

    def __init__(self, channel: ExtensionChannel, frames: ExtensionFrameTree) -> None:
        super().__init__(channel, lambda: frames.top)
        self._channel = channel
        self._frames = frames
        self._requests: dict[str, NavigationAttempt] = {}
        """Attempts by the browser's id of their request."""

    def adopt(self, state: str) -> None:
        """Take over a document that was there before its events were followed; `state` is its `readyState`."""
        self.advance(self._frames.top.loader, {"interactive": "ready", "complete": "load"}.get(state, "commit"))

    # --- webNavigation ---

    def on_before_navigate(self, event: dict[str, Any]) -> None:
        """A navigation begins."""
        if event["url"] != STOP_URL:  # the end of the stopped navigation has an event of its own
            self.requested = False
            self._start(event["url"])
            self._channel.signal.notify()

    def on_committed(self, event: dict[str, Any]) -> None:
        """A navigation has become a document."""
        attempt = self.pending or self._start(event["url"])
        self._commit(attempt, event["documentId"], event["url"])

    def on_error(self, event: dict[str, Any]) -> None:
        """A navigation has failed, or has become the browser's error page."""
        if event["url"] == STOP_URL:
            return
        document = event.get("documentId", NO_DOCUMENT)
        attempt = self.pending or self._of_document(document) or self._start(event["url"])
        self.record_failure(attempt, event["error"])
        if document != NO_DOCUMENT:
            self._commit(attempt, document, ERROR_PAGE_URL)
            self.advance(attempt.loader, "load")  # no further event reports it
        elif attempt.failed is not None:
            self.end_without_document(attempt)

    def _of_document(self, document: str) -> NavigationAttempt | None:
        """The navigation whose document this is, if the tab still shows it: what was taken for a page is an error
        page."""
        top, newest = self._frames.top, self.newest
        return newest if newest is not None and (newest.loader, document) == (top.loader, top.document) else None

    def on_progress(self, event: dict[str, Any], state: str) -> None:
        """The document has reached a state."""
        if event["documentId"] == self._frames.top.document:
            self.advance(self._frames.top.loader, state)

    def on_history_changed(self, event: dict[str, Any]) -> None:
        """The document has another URL."""
        self._frames.top.url = event["url"]
        self.on_same_document(event["url"])

    # --- webRequest ---

    def on_request(self, event: dict[str, Any]) -> None:
        """A navigation sends a request."""
        if event["requestId"] not in self._requests:  # else it is the next hop of a redirect
            self._requests[event["requestId"]] = self.pending or self._start(event["url"])
            while len(self._requests) > 20:
                self._requests.pop(next(iter(self._requests)))

    def on_redirect(self, event: dict[str, Any]) -> None:
        """A navigation was redirected."""
        if attempt := self._requests.get(event["requestId"]):
            attempt.redirects.append(event["url"])
            attempt.url = event["redirectUrl"]

    def on_response(self, event: dict[str, Any]) -> None:
        """The response to a navigation begins."""
        attempt = self._requests.get(event["requestId"])
        if attempt is not None and attempt.failed is None:
            attempt.answered = True
            attempt.url = event["url"]
            attempt.status = event["statusCode"]
            # `HTTP/1.1 404 Not Found`: https://www.rfc-editor.org/rfc/rfc9112#section-4
            attempt.status_text = event["statusLine"].partition(" ")[2].partition(" ")[2]
            self._channel.signal.notify()

    # --- attempts ---

    def _start(self, url: str) -> NavigationAttempt:
        return self.begin(f"{self._channel.tab}.{next(_numbers)}", url)

    def _commit(self, attempt: NavigationAttempt, document: str, url: str) -> None:
        self._frames.on_top_committed(attempt.loader, document, url)
        self.record_commit(attempt.loader, url)
        self._channel.signal.notify()


class ExtensionNavigator(NavigationWaiter):
    """Navigates one tab, and waits for its documents."""

    def __init__(
        self,
        channel: ExtensionChannel,
        frames: ExtensionFrameTree,
        navigations: ExtensionNavigationTracker,
        requests: ExtensionInflightTracker,
        scanner_client: ExtensionScannerClient,
    ) -> None:
        super().__init__(channel, frames, navigations, requests)
        self._channel = channel
        self._tree = frames
        self._scanner_client = scanner_client

    async def goto(self, url: str, until: LoadState, timeout: float) -> Navigation:
        if url.startswith("data:"):
            raise NotSupported(hint="An extension can't open data: URLs: serve the page over http.")
        return await super().goto(url, until, timeout)

    async def _begin(self, url: str, checkpoint: Checkpoint, deadline: Deadline) -> NavigationAttempt | None:
        # https://html.spec.whatwg.org/multipage/browsing-the-web.html#navigate-fragid
        within = "#" in url and urldefrag(self._frames.top.url).url == urldefrag(url).url

        def has_started() -> bool:
            # One within the document counts only for a URL within it: the page may start such navigations itself.
            if self._navigations.latest(checkpoint) is not None:
                return True
            return within and bool(self._navigations.same_document_log.since(checkpoint))

        await self._channel.call("tabs.update", self._channel.tab, {"url": url}, timeout=deadline.left)
        await self._until(has_started, deadline, "begin to load")
        return self._navigations.latest(checkpoint)

    async def history(self, delta: int, timeout: float) -> Navigation:
        deadline = Deadline(timeout)
        checkpoint = self._start()
        await self._traverse(delta, deadline)
        return await self._wait_for_entry(delta, checkpoint, deadline)

    async def _traverse(self, delta: int, deadline: Deadline) -> None:
        """Go back or forward by the page's `history.go`, which visits each entry. `tabs.goBack`, which is used if no
        script can run, skips pages without user activation, as the browser's button does.
        https://chromium.googlesource.com/chromium/src/+/main/docs/history_manipulation_intervention.md"""
        try:
            await self._scanner_client.send_message(self._tree.top, {"oryn": "history", "delta": delta}, deadline.left)
        except (CannotAccessPage, ScannerNotReady):
            call = "tabs.goBack" if delta < 0 else "tabs.goForward"
            await self._channel.call(call, self._channel.tab, timeout=deadline.left)

    async def reload(self, hard: bool, timeout: float) -> Navigation:
        deadline = Deadline(timeout)
        checkpoint = self._start()
        self._channel.call_in_background("tabs.reload", self._channel.tab, {"bypassCache": hard})
        return await self._wait_for_next(checkpoint, "load", deadline)

    def stop_loading(self) -> None:
        # There is no API for it; the page's own `stop` does not end a navigation without a document.
        self._channel.call_in_background("tabs.update", self._channel.tab, {"url": STOP_URL})
        self._channel.call_in_background("tabs.sendMessage", self._channel.tab, {"oryn": "stop"}, {"frameId": 0})
