"""Requests in flight: what a tab is still loading.

https://chromedevtools.github.io/devtools-protocol/tot/Network/
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

from oryn.browsers.base import Mark
from oryn.browsers.cdp.channel import Channel
from oryn.browsers.cdp.connection import Session
from oryn.browsers.cdp.frames import Frames, Node
from oryn.records import Record

KEEP_BODIES = {"enableDurableMessages": True, "maxTotalBufferSize": 50_000_000, "maxResourceBufferSize": 10_000_000}
"""Of `Network.enable`: so many bytes of bodies are kept for `request` and `har`, also when the page moves on."""

QUIET_SECONDS = 0.5

# What a person would not wait for: it lasts as long as the page, or nothing in the page depends on it.
_ENDLESS = frozenset(
    {"WebSocket", "EventSource", "Ping", "Media", "Prefetch", "Preflight", "CSPViolationReport", "Manifest"}
)
# What an action may have started in order to change the page.
_CHANGES_PAGE = frozenset({"Document", "Script", "XHR", "Fetch", "Stylesheet"})


class Request(Record, frozen=False):
    kind: str
    frame_id: str
    loader_id: str
    session: Session
    moment: int


class Requests:
    """The requests of one tab that have begun and not ended."""

    def __init__(self, channel: Channel, frames: Frames) -> None:
        self._channel = channel
        self._frames = frames
        self._requests: dict[str, Request] = {}
        self._quiet_since = 0.0
        frames.on_commit.append(self._committed)

    def listen(self, session: Session) -> None:
        session.on("Network.requestWillBeSent", lambda event: self._sent(session, event))
        session.on("Network.responseReceived", self._answered)
        session.on("Network.loadingFinished", self._ended)
        session.on("Network.loadingFailed", self._ended)

    def listen_worker(self, session: Session) -> None:
        """A worker's script is asked for by the page, and its answer is told to the worker."""
        session.on("Network.responseReceived", self._ended)
        session.on("Network.loadingFinished", self._ended)
        session.on("Network.loadingFailed", self._ended)

    # --- looking ---

    def in_flight(self, since: Mark | None = None) -> int:
        """How many are under way; with `since`, how many of them began then and may change the page."""
        return sum(
            since is None or (request.moment >= since.serial and request.kind in _CHANGES_PAGE)
            for request in self._alive()
        )

    async def quiet(self, timeout: float) -> bool:
        """Wait until nothing has been in flight for `QUIET_SECONDS`, at most `timeout` seconds. Whether it was so."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + timeout
        signal = self._channel.signal
        while await signal.until(lambda: not self.in_flight(), deadline - loop.time()):
            rest = self._quiet_since + QUIET_SECONDS - loop.time()
            if rest <= 0:
                return True
            if loop.time() + rest > deadline:
                return False
            await signal.until(lambda: self.in_flight() > 0 or self._channel.failure is not None, rest)
            if self._channel.failure is not None:
                raise self._channel.failure
        return False

    def _alive(self) -> Iterator[Request]:
        # A frame that leaves the page takes its requests along without a word.
        return (request for request in self._requests.values() if self._frames.get(request.frame_id) is not None)

    # --- reacting ---

    def _sent(self, session: Session, event: dict[str, Any]) -> None:
        kind = event.get("type", "Other")
        if kind in _ENDLESS or event["request"]["url"].startswith(("data:", "blob:")):
            return
        request_id: str = event["requestId"]
        if request_id not in self._requests:  # else it is the next hop of a redirect
            self._requests[request_id] = Request(
                kind, event.get("frameId", ""), event.get("loaderId", ""), session, self._channel.moment
            )

    def _answered(self, event: dict[str, Any]) -> None:
        if event["response"].get("mimeType") == "text/event-stream":
            self._ended(event)

    def _ended(self, event: dict[str, Any]) -> None:
        if self._requests.pop(event["requestId"], None) is not None:
            self._look()

    def _committed(self, node: Node) -> None:
        """The old document's requests are cancelled; the browser does not always say so."""
        gone = [
            request_id
            for request_id, request in self._requests.items()
            if (request.frame_id == node.id or node.parent is None) and request.loader_id != node.loader
        ]
        self._drop(gone)

    def session_ended(self, session: Session) -> None:
        self._drop([request_id for request_id, request in self._requests.items() if request.session is session])

    def _drop(self, request_ids: list[str]) -> None:
        for request_id in request_ids:
            del self._requests[request_id]
        self._look()

    def _look(self) -> None:
        if not self.in_flight():
            self._quiet_since = asyncio.get_running_loop().time()
        self._channel.signal.notify()
