"""The log of requests, which stores the protocol's events; `exchanges.py` converts them on request.

This module is loaded with the browser, because the log includes the requests of the first page; the other modules of
the package are loaded later. https://chromedevtools.github.io/devtools-protocol/tot/Network/"""

from __future__ import annotations

import asyncio
import base64
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Protocol

from oryn.browsers.cdp.network.messages import MessageLog
from oryn.browsers.common.protocol_session import ProtocolSession
from oryn.browsers.common.target_feature import FeatureTarget, TargetFeature
from oryn.core.records import Record, field

if TYPE_CHECKING:
    from typing import TypeAlias

    from oryn.browsers.base.network import Body

    LoggedTarget: TypeAlias = FeatureTarget[ProtocolSession]

MAX_EXCHANGES = 1000
"""The number of exchanges that are stored."""
STREAMS = frozenset({"websocket", "eventsource"})
"""The kinds of requests whose answers are messages."""
MAX_BODY_CHARACTERS = 4096
"""The longest request body, in characters, that is stored here; a longer one is fetched from the browser."""
KEEP_BODIES = {"enableDurableMessages": True, "maxTotalBufferSize": 50_000_000, "maxResourceBufferSize": 10_000_000}
"""Parameters of `Network.enable`: the browser stores so many bytes of bodies for `request` and `har`, also after a
navigation."""


class RedirectChain(Record, frozen=False):
    """One request of the browser with all its redirects.

    The headers on the wire come in events of their own, before or after the events of their hop, in the order of the
    hops that have any (`RequestHop.has_wire_headers`)."""

    hops: list[RequestHop] = field(factory=list)
    sent: list[dict[str, Any]] = field(factory=list)
    received: list[dict[str, Any]] = field(factory=list)
    cached: bool = False


class StreamedBody(Protocol):
    """What has come of a body that the browser itself does not store."""

    def end(self) -> None:
        """Nothing more comes."""

    async def body(self, timeout: float) -> Body:
        """Return what has come."""


class RequestHop(Record, frozen=False):
    """One request and its response, as the protocol reports them."""

    number: int
    key: str
    """The id of the request, the same for all hops of a chain; in front of the browser's own id, a name and a slash may
    tell apart browsers' processes that count anew."""
    chain: RedirectChain
    page: LoggedTarget | None
    """The tab and the session of the tab, frame or worker. None after the tab has closed, so that it can be freed."""
    session: ProtocolSession | None
    request: dict[str, Any]
    kind: str
    document: str | None
    wall_time: float
    started: float
    """Seconds of the browser's monotonic clock, like `ended`."""
    rule: str | None
    response: dict[str, Any] | None = None
    has_wire_headers: bool | None = None
    ended: float | None = None
    failure: str | None = None
    size: int | None = None
    body: asyncio.Future[dict[str, Any]] | None = None
    """The answer with the body, if it was fetched early because the browser is about to drop it."""
    next: int | None = None
    stream: StreamedBody | None = None
    """What has come of its body, if that is a stream which is recorded."""

    @property
    def request_id(self) -> str:
        """The browser's id of the request."""
        return self.key.rpartition("/")[2]

    @property
    def body_session(self) -> ProtocolSession | None:
        """The session whose browser may have the bodies, or None."""
        if self.page is None or self.session is None or self.session.ended is None:
            return self.session
        return self.page.channel.session if self.request_id == self.key else None

    @property
    def finished(self) -> bool:
        return self.ended is not None

    def wall_time_of(self, event: dict[str, Any]) -> float:
        """The Unix time of one of its events."""
        moment: float = event["timestamp"]
        return self.wall_time + moment - self.started


class RequestLog(TargetFeature[ProtocolSession]):
    """The latest `MAX_EXCHANGES` requests of a session's tabs, frames and workers.

    `rule_of` returns the pattern of the rule that matches a URL and a kind. `on_begin`, `on_answer` and `on_end` are
    called with each hop.

    body_characters: the longest request body that is stored."""

    def __init__(self, body_characters: int = MAX_BODY_CHARACTERS) -> None:
        self._body_characters = body_characters
        self.rule_of: Callable[[str, str], str | None] = lambda url, kind: None
        self.on_begin: Callable[[RequestHop], None] | None = None
        self.on_answer: Callable[[RequestHop], None] | None = None
        self.on_end: Callable[[RequestHop], None] | None = None
        self.messages = MessageLog()
        self.silent_kinds: frozenset[str] = frozenset()
        """The kinds of requests whose messages the browser does not report."""
        self._hops: dict[int, RequestHop] = {}
        self._chains: dict[str, RedirectChain] = {}
        self._last = 0

    def __iter__(self) -> Iterator[RequestHop]:
        return iter(self._hops.values())

    def get(self, number: int) -> RequestHop | None:
        return self._hops.get(number)

    def attach(self, page: LoggedTarget, session: ProtocolSession) -> None:
        session.on("Network.requestWillBeSent", lambda event: self._on_sent(page, session, event))
        session.on("Network.requestWillBeSentExtraInfo", self._sent_on_the_wire)
        session.on("Network.requestServedFromCache", self._on_served_from_cache)
        session.on("Network.responseReceived", lambda event: self._on_answered(session, event))
        session.on("Network.responseReceivedExtraInfo", self._answered_on_the_wire)
        session.on("Network.loadingFinished", self._on_finished)
        session.on("Network.loadingFailed", self._on_failed)
        session.on("Network.webSocketCreated", lambda event: self._on_socket_created(page, session, event))
        session.on("Network.webSocketWillSendHandshakeRequest", self._on_socket_sent)
        session.on("Network.webSocketHandshakeResponseReceived", self._on_socket_answered)
        session.on("Network.webSocketClosed", self._on_finished)
        session.on("Network.webSocketFrameSent", self._on_frame_sent)
        session.on("Network.webSocketFrameReceived", self._on_frame_received)
        session.on("Network.eventSourceMessageReceived", self._on_server_sent)

    attach_worker = attach

    def detach(self, page: LoggedTarget, session: ProtocolSession) -> None:
        """End the requests of a tab that has closed. Those of a frame continue with the frame, in another process."""
        if session is not page.channel.session:
            return
        for hop in self._hops.values():
            if hop.page is page:
                self._end(hop, hop.started, "net::ERR_ABORTED")
                hop.page = hop.session = None

    # --- events ---

    def _on_sent(self, page: LoggedTarget, session: ProtocolSession, event: dict[str, Any]) -> None:
        request = event["request"]
        if request["url"].startswith("data:"):
            return
        chain = self._chain(event["requestId"])
        if chain.hops and (answer := event.get("redirectResponse")):
            hop = chain.hops[-1]
            hop.response, hop.has_wire_headers = answer, event.get("redirectHasExtraInfo", False)
            hop.size, hop.next = round(answer.get("encodedDataLength", 0)), self._last + 1
            self._end(hop, event["timestamp"])
        elif chain.hops:
            return  # reported twice: by a page and by the worker or frame that the request belongs to
        self._begin(page, session, event, request, chain, event.get("type", "Other"))

    def _begin(
        self,
        page: LoggedTarget,
        session: ProtocolSession,
        event: dict[str, Any],
        request: dict[str, Any],
        chain: RedirectChain,
        kind: str,
    ) -> None:
        self._last = number = self._last + 1
        hop = RequestHop(
            number,
            event["requestId"],
            chain,
            page,
            session,
            _without_long_body(request, self._body_characters),
            kind.lower(),
            self._document(page, event, kind),
            event.get("wallTime") or time.time(),
            event.get("timestamp") or 0.0,
            self.rule_of(request["url"], kind.lower()),
        )
        chain.hops.append(hop)
        self._hops[number] = hop
        if len(self._hops) > MAX_EXCHANGES:
            self._drop_oldest()
        if self.on_begin is not None:
            self.on_begin(hop)

    def _drop_oldest(self) -> None:
        """Drop the oldest request, but none whose messages go on while there is another."""
        hops = self._hops.values()
        oldest = next((hop for hop in hops if hop.finished or hop.kind not in STREAMS), None) or next(iter(hops))
        del self._hops[oldest.number]
        self.messages.forget(oldest.number)
        if oldest is oldest.chain.hops[-1] and self._chains.get(oldest.key) is oldest.chain:
            del self._chains[oldest.key]

    def _document(self, page: LoggedTarget, event: dict[str, Any], kind: str) -> str | None:
        """The loader id of the top document that a request belongs to, or None."""
        if kind == "Document" and event.get("frameId") == page.target_id:
            loader: str | None = event.get("loaderId")
            return loader
        return page.frame_tree.top.loader or None

    def _chain(self, key: str) -> RedirectChain:
        chain = self._chains.get(key)
        if chain is None:
            chain = self._chains[key] = RedirectChain()
            if len(self._chains) > 2 * MAX_EXCHANGES:  # of requests that are not logged, such as those of `data:`
                self._chains.pop(next(iter(self._chains)))
        return chain

    def _hop(self, event: dict[str, Any]) -> RequestHop | None:
        chain = self._chains.get(event["requestId"])
        return chain.hops[-1] if chain and chain.hops else None

    def _sent_on_the_wire(self, event: dict[str, Any]) -> None:
        self._chain(event["requestId"]).sent.append(event["headers"])

    def _answered_on_the_wire(self, event: dict[str, Any]) -> None:
        self._chain(event["requestId"]).received.append(event)

    def _on_served_from_cache(self, event: dict[str, Any]) -> None:
        self._chain(event["requestId"]).cached = True

    def _on_answered(self, session: ProtocolSession, event: dict[str, Any]) -> None:
        if (hop := self._hop(event)) and hop.failure is None:
            hop.session = session
            hop.response, hop.has_wire_headers = event["response"], event.get("hasExtraInfo", False)
            hop.kind = event.get("type", hop.kind).lower()
            if self.on_answer is not None:
                self.on_answer(hop)

    def _on_finished(self, event: dict[str, Any]) -> None:
        # After a failure come the events of the browser's own error page, under the same id.
        if (hop := self._hop(event)) and hop.failure is None:
            if "encodedDataLength" in event:
                hop.size = round(event["encodedDataLength"])
            self._end(hop, event["timestamp"])

    def _on_failed(self, event: dict[str, Any]) -> None:
        if hop := self._hop(event):
            self._end(hop, event["timestamp"], _failure_text(event))

    def _end(self, hop: RequestHop, at: float, failure: str | None = None) -> None:
        if hop.finished:
            return
        hop.started = hop.started or at  # of a web socket whose handshake was never sent
        hop.ended, hop.failure = at, failure
        if self.on_end is not None:
            self.on_end(hop)

    # --- web sockets: https://chromedevtools.github.io/devtools-protocol/tot/Network/#event-webSocketCreated ---

    def _on_socket_created(self, page: LoggedTarget, session: ProtocolSession, event: dict[str, Any]) -> None:
        request = {"url": event["url"], "method": "GET", "headers": {}}
        self._begin(page, session, event, request, self._chain(event["requestId"]), "WebSocket")

    def _on_socket_sent(self, event: dict[str, Any]) -> None:
        if hop := self._hop(event):
            hop.request = {**hop.request, "headers": event["request"]["headers"]}
            hop.wall_time, hop.started = event["wallTime"], event["timestamp"]

    def _on_socket_answered(self, event: dict[str, Any]) -> None:
        if hop := self._hop(event):
            hop.response, hop.has_wire_headers = event["response"], False

    # --- messages ---

    def _on_frame_sent(self, event: dict[str, Any]) -> None:
        if hop := self._hop(event):
            self.messages.add_frame(hop.number, hop.wall_time_of(event), event["response"], sent=True)

    def _on_frame_received(self, event: dict[str, Any]) -> None:
        if hop := self._hop(event):
            self.messages.add_frame(hop.number, hop.wall_time_of(event), event["response"], sent=False)

    def _on_server_sent(self, event: dict[str, Any]) -> None:
        if hop := self._hop(event):
            self.messages.add_event(hop.number, hop.wall_time_of(event), event)


def _without_long_body(request: dict[str, Any], limit: int) -> dict[str, Any]:
    if len(request.get("postData", "")) <= limit:
        return request
    return {key: value for key, value in request.items() if key not in ("postData", "postDataEntries")}


def request_body(request: dict[str, Any]) -> bytes | None:
    """The body of a request as an event reports it; None if it is not there. In the text of `postData`, bytes that are
    not UTF-8 are lost. https://chromedevtools.github.io/devtools-protocol/tot/Network/#type-Request"""
    entries = [each.get("bytes") for each in request.get("postDataEntries", ())]
    if entries and None not in entries:
        return b"".join(map(base64.b64decode, entries))
    return request["postData"].encode("utf-8", "surrogatepass") if "postData" in request else None


def _failure_text(event: dict[str, Any]) -> str:
    """`net::ERR_FAILED`, with what the browser says beyond it (`mixed-content`, `csp`, `PreflightMissing…`)."""
    text = (event["errorText"] or "net::ERR_FAILED").removesuffix(".Inspector")
    detail = event.get("blockedReason") or (event.get("corsErrorStatus") or {}).get("corsError")
    # "inspector" means one of our rules, which is reported separately.
    return f"{text} {detail}" if detail and detail != "inspector" else text
