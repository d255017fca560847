"""What the protocol tells about navigations of the top frame.

The loader id is that of the navigation, of its request and of the document that it becomes.
https://chromedevtools.github.io/devtools-protocol/tot/Page/#event-frameStartedNavigating
"""

from __future__ import annotations

from typing import Any

from oryn.browsers.cdp.channel import Channel
from oryn.browsers.cdp.connection import Session
from oryn.browsers.cdp.frames import Frames, Node
from oryn.browsers.common.attempts import Attempts

# How far a document is, in the words of Page.lifecycleEvent.
_LIFECYCLE = {"commit": "commit", "DOMContentLoaded": "ready", "load": "load"}


class Navigations(Attempts):
    """Listens to one tab."""

    def __init__(self, channel: Channel, frames: Frames) -> None:
        super().__init__(channel, lambda: frames.top)
        self._frames = frames
        frames.on_commit.append(self._committed)

    def listen(self, session: Session) -> None:
        session.on("Page.frameRequestedNavigation", self._requested)
        session.on("Page.frameStartedNavigating", self._started)
        session.on("Page.frameClearedScheduledNavigation", self._cleared)
        session.on("Page.frameStoppedLoading", self._cleared)
        session.on("Page.navigatedWithinDocument", self._navigated_within)
        session.on("Page.lifecycleEvent", self._lifecycle)
        session.on("Network.requestWillBeSent", self._sent)
        session.on("Network.responseReceived", self._answered)
        session.on("Network.loadingFailed", self._failed)

    def _is_top(self, event: dict[str, Any]) -> bool:
        return bool(event.get("frameId") == self._frames.top.id)

    def _requested(self, event: dict[str, Any]) -> None:
        # `javascript:` and a link to a fragment end without a navigation to another document.
        if self._is_top(event) and event.get("disposition") == "currentTab":
            self.requested = not event["url"].startswith("javascript:")

    def _cleared(self, event: dict[str, Any]) -> None:
        if self._is_top(event):
            self.requested = False
            self._life.signal.notify()

    def _started(self, event: dict[str, Any]) -> None:
        if not self._is_top(event):
            return
        self.requested = False
        if "Same" not in event["navigationType"] and "same" not in event["navigationType"]:
            self.begin(event["loaderId"], event["url"])
        self._life.signal.notify()

    def _sent(self, event: dict[str, Any]) -> None:
        loader = event.get("loaderId", "")
        if event["requestId"] != loader or not self._is_top(event) or event.get("type") != "Document":
            return
        attempt = self.begin(loader, event["request"]["url"])
        if redirect := event.get("redirectResponse"):
            attempt.redirects.append(redirect["url"])
            attempt.url = event["request"]["url"]
        self._life.signal.notify()

    def _answered(self, event: dict[str, Any]) -> None:
        attempt = self._attempts.get(event["requestId"])
        if attempt is not None and attempt.failed is None:
            attempt.answered = True
            response = event["response"]
            if response["url"].startswith("http"):  # not of data:, about:, chrome-error:
                attempt.url = response["url"]
                attempt.status, attempt.status_text = response["status"], response.get("statusText", "")
            self._life.signal.notify()

    def _failed(self, event: dict[str, Any]) -> None:
        attempt = self._attempts.get(event["requestId"])
        if attempt is not None and not attempt.over:
            self.failed(attempt, event["errorText"], canceled=bool(event.get("canceled")))

    def _committed(self, node: Node) -> None:
        if node.parent is None:
            self.committed(node.loader, node.url)

    def _lifecycle(self, event: dict[str, Any]) -> None:
        if self._is_top(event) and (state := _LIFECYCLE.get(event["name"])):
            self.advance(event["loaderId"], state)

    def _navigated_within(self, event: dict[str, Any]) -> None:
        if self._is_top(event):
            self.moved_within(event["url"])
