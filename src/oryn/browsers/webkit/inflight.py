"""Tracks requests in flight by the events of the Web Inspector.

https://github.com/WebKit/WebKit/blob/main/Source/JavaScriptCore/inspector/protocol/Network.json"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oryn.browsers.common import inflight
from oryn.browsers.common.inflight import InflightRequest

if TYPE_CHECKING:
    from oryn.browsers.common.protocol_session import ProtocolSession
    from oryn.browsers.webkit.channel import WebKitChannel
    from oryn.browsers.webkit.frames import WebKitFrameNode, WebKitFrameTree

KINDS = {"StyleSheet": "Stylesheet", "Beacon": "Ping"}
"""The DevTools protocol's names of kinds of resources that have another one here."""


def resource_kind(event: dict[str, Any]) -> str:
    """The kind of a request by its event, as one of the DevTools protocol's `Network.ResourceType`."""
    kind = event.get("type") or "Other"
    return KINDS.get(kind, kind)


class WebKitInflightTracker(inflight.InflightTracker[InflightRequest]):
    """Tracks the requests in flight of one tab."""

    def __init__(self, channel: WebKitChannel, frames: WebKitFrameTree) -> None:
        super().__init__(channel, lambda frame_id: frames.get(frame_id) is not None)
        self._channel = channel
        frames.on_commit.append(self._on_committed)

    def listen(self, session: ProtocolSession) -> None:
        session.on("Network.requestWillBeSent", lambda event: self._on_sent(session, event))
        session.on("Network.responseReceived", self._on_answered)
        session.on("Network.loadingFinished", self._on_ended)
        session.on("Network.loadingFailed", self._on_ended)

    def _on_sent(self, session: ProtocolSession, event: dict[str, Any]) -> None:
        if session is not self._channel.session:
            return  # the page is not shown yet, and its ids may be those of other requests
        kind = resource_kind(event)
        if kind in inflight.IGNORED_KINDS or event["request"]["url"].startswith(("data:", "blob:", "about:")):
            return
        request_id: str = event["requestId"]
        if request_id not in self._requests:  # else it is the next hop of a redirect
            self._requests[request_id] = InflightRequest(
                kind, event.get("frameId", ""), event.get("loaderId", ""), self._tab_state.moment
            )

    def _on_answered(self, event: dict[str, Any]) -> None:
        if event["response"].get("mimeType") in ("text/event-stream", "multipart/x-mixed-replace"):
            self.on_ended(event["requestId"])

    def _on_ended(self, event: dict[str, Any]) -> None:
        self.on_ended(event["requestId"])

    def _on_committed(self, node: WebKitFrameNode) -> None:
        self.on_committed(node.id, node.loader, top=node.parent is None)

    def on_session_ended(self) -> None:
        """The page has another process: the requests of the one before have ended."""
        self.drop(list(self._requests))
