"""Tracks requests in flight by the protocol's events.

https://chromedevtools.github.io/devtools-protocol/tot/Network/"""

from __future__ import annotations

import asyncio
from typing import Any

from oryn.browsers.cdp.channel import CdpChannel
from oryn.browsers.cdp.connection import CdpSession
from oryn.browsers.cdp.frames import CdpFrameNode, CdpFrameTree
from oryn.browsers.common import inflight

SILENT_SECONDS = 0.5
"""After so long without another byte a response to `fetch` counts as complete: if a page does not read the body, the
browser reports the request as unfinished for as long as the page exists."""


class CdpRequest(inflight.InflightRequest, frozen=False):
    session: CdpSession
    received_at: float = 0.0
    """When the last part of the response came, in seconds of the event loop's clock."""


class CdpInflightTracker(inflight.InflightTracker[CdpRequest]):
    """Tracks the requests in flight of one tab."""

    def __init__(self, channel: CdpChannel, frames: CdpFrameTree) -> None:
        super().__init__(channel, lambda frame_id: frames.get(frame_id) is not None)
        frames.on_commit.append(self._on_committed)

    def listen(self, session: CdpSession) -> None:
        session.on("Network.requestWillBeSent", lambda event: self._on_sent(session, event))
        session.on("Network.responseReceived", self._on_answered)
        session.on("Network.dataReceived", self._on_received)
        session.on("Network.loadingFinished", self._on_ended)
        session.on("Network.loadingFailed", self._on_ended)

    def listen_worker(self, session: CdpSession) -> None:
        """Follow the events of a worker. The page requests the worker's script, but the worker gets the response."""
        session.on("Network.responseReceived", self._on_ended)
        session.on("Network.loadingFinished", self._on_ended)
        session.on("Network.loadingFailed", self._on_ended)

    def _on_sent(self, session: CdpSession, event: dict[str, Any]) -> None:
        kind = event.get("type", "Other")
        if kind in inflight.IGNORED_KINDS or event["request"]["url"].startswith(("data:", "blob:")):
            return
        request_id: str = event["requestId"]
        if request_id not in self._requests:  # else it is the next hop of a redirect
            self._requests[request_id] = CdpRequest(
                session=session,
                kind=kind,
                frame_id=event.get("frameId", ""),
                loader_id=event.get("loaderId", ""),
                moment=self._tab_state.moment,
            )

    def _on_answered(self, event: dict[str, Any]) -> None:
        if event["response"].get("mimeType") == "text/event-stream":
            self._on_ended(event)
        elif event.get("type") == "Fetch":
            self._on_received(event)
            self._end_if_silent(event["requestId"])

    def _on_received(self, event: dict[str, Any]) -> None:
        if (request := self._requests.get(event["requestId"])) is not None:
            request.received_at = asyncio.get_running_loop().time()

    def _end_if_silent(self, request_id: str) -> None:
        """End the request if no byte came for `SILENT_SECONDS`; otherwise check again when that may be so."""
        request = self._requests.get(request_id)
        if request is None:
            return
        loop = asyncio.get_running_loop()
        rest = request.received_at + SILENT_SECONDS - loop.time()
        if rest > 0:
            loop.call_later(rest, self._end_if_silent, request_id)
        else:
            self.on_ended(request_id)

    def _on_ended(self, event: dict[str, Any]) -> None:
        self.on_ended(event["requestId"])

    def _on_committed(self, node: CdpFrameNode) -> None:
        self.on_committed(node.id, node.loader, top=node.parent is None)

    def on_session_ended(self, session: CdpSession) -> None:
        self.drop([request_id for request_id, request in self._requests.items() if request.session is session])
