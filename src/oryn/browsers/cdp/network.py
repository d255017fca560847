"""What the protocol tells about requests in flight.

https://chromedevtools.github.io/devtools-protocol/tot/Network/
"""

from __future__ import annotations

import asyncio
from typing import Any

from oryn.browsers.cdp.channel import Channel
from oryn.browsers.cdp.connection import Session
from oryn.browsers.cdp.frames import Frames, Node
from oryn.browsers.common import in_flight

SILENT_SECONDS = 0.5
"""After so long without another byte a response to `fetch` counts as there: a page that wants no more than its status
does not read the body, and the browser calls such a request unfinished for as long as the page lasts."""


class Request(in_flight.Request, frozen=False):
    session: Session
    heard: float = 0.0
    """When the last of its answer came, in the event loop's time."""


class Requests(in_flight.InFlight[Request]):
    """Listens to one tab."""

    def __init__(self, channel: Channel, frames: Frames) -> None:
        super().__init__(channel, lambda frame_id: frames.get(frame_id) is not None)
        frames.on_commit.append(self._committed)

    def listen(self, session: Session) -> None:
        session.on("Network.requestWillBeSent", lambda event: self._sent(session, event))
        session.on("Network.responseReceived", self._answered)
        session.on("Network.dataReceived", self._received)
        session.on("Network.loadingFinished", self._ended)
        session.on("Network.loadingFailed", self._ended)

    def listen_worker(self, session: Session) -> None:
        """A worker's script is asked for by the page, and its answer is told to the worker."""
        session.on("Network.responseReceived", self._ended)
        session.on("Network.loadingFinished", self._ended)
        session.on("Network.loadingFailed", self._ended)

    def _sent(self, session: Session, event: dict[str, Any]) -> None:
        kind = event.get("type", "Other")
        if kind in in_flight.ENDLESS or event["request"]["url"].startswith(("data:", "blob:")):
            return
        request_id: str = event["requestId"]
        if request_id not in self._requests:  # else it is the next hop of a redirect
            self._requests[request_id] = Request(
                session=session,
                kind=kind,
                frame_id=event.get("frameId", ""),
                loader_id=event.get("loaderId", ""),
                moment=self._life.moment,
            )

    def _answered(self, event: dict[str, Any]) -> None:
        if event["response"].get("mimeType") == "text/event-stream":
            self._ended(event)
        elif event.get("type") == "Fetch":
            self._received(event)
            self._end_if_silent(event["requestId"])

    def _received(self, event: dict[str, Any]) -> None:
        if (request := self._requests.get(event["requestId"])) is not None:
            request.heard = asyncio.get_running_loop().time()

    def _end_if_silent(self, request_id: str) -> None:
        """Look again whenever it may have been silent for long enough."""
        request = self._requests.get(request_id)
        if request is None:
            return
        loop = asyncio.get_running_loop()
        rest = request.heard + SILENT_SECONDS - loop.time()
        if rest > 0:
            loop.call_later(rest, self._end_if_silent, request_id)
        else:
            self.ended(request_id)

    def _ended(self, event: dict[str, Any]) -> None:
        self.ended(event["requestId"])

    def _committed(self, node: Node) -> None:
        self.committed(node.id, node.loader, top=node.parent is None)

    def session_ended(self, session: Session) -> None:
        self.drop([request_id for request_id, request in self._requests.items() if request.session is session])
