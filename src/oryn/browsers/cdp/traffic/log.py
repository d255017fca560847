"""The log of requests: what the browser tells of them, kept as it came and made readable when it is asked for.

The first page's requests belong to it, so this is loaded with the browser; all else here comes later.
https://chromedevtools.github.io/devtools-protocol/tot/Network/
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from oryn.browsers.cdp.features import Feature
from oryn.records import Record, field

if TYPE_CHECKING:
    from oryn.browsers.cdp.connection import Session
    from oryn.browsers.cdp.features import Target

MOST = 1000
"""Exchanges that are kept."""
MOST_TEXT = 4096
"""Characters of a request's body that are kept here; the browser is asked for a longer one."""
KEEP_BODIES = {"enableDurableMessages": True, "maxTotalBufferSize": 50_000_000, "maxResourceBufferSize": 10_000_000}
"""Of `Network.enable`: so many bytes of bodies are kept for `request` and `har`, also when the page moves on."""


class Chain(Record, frozen=False):
    """What one request of the browser's came to: hop after hop of redirects.

    The headers as they were on the wire come in events of their own, before or after those that they belong to, in the
    order of the hops that have any (`Hop.wired`)."""

    hops: list[Hop] = field(factory=list)
    sent: list[dict[str, Any]] = field(factory=list)
    received: list[dict[str, Any]] = field(factory=list)
    cached: bool = False


class Hop(Record, frozen=False):
    """One request and its answer, as the protocol has them."""

    number: int
    key: str
    """The browser's id of the request."""
    chain: Chain
    page: Target | None
    """The tab, and its or its frame's or worker's session; None once the tab has closed: the log shall not keep it."""
    session: Session | None
    request: dict[str, Any]
    kind: str
    document: str | None
    wall_time: float
    begun: float
    """By the browser's clock, as `ended`."""
    rule: str | None
    response: dict[str, Any] | None = None
    wired: bool | None = None
    ended: float | None = None
    failure: str | None = None
    size: int | None = None
    next: int | None = None

    @property
    def over(self) -> bool:
        return self.ended is not None


class Log(Feature):
    """Every request of a session's tabs, frames and workers, the latest `MOST` of them.

    `rule_of` gives the pattern of the rule that a URL fits, `on_begin` and `on_end` are told of each hop."""

    def __init__(self) -> None:
        self.rule_of: Callable[[str], str | None] = lambda _: None
        self.on_begin: Callable[[Hop], None] | None = None
        self.on_end: Callable[[Hop], None] | None = None
        self._hops: dict[int, Hop] = {}
        self._chains: dict[str, Chain] = {}
        self._last = 0

    def __iter__(self) -> Iterator[Hop]:
        return iter(self._hops.values())

    def get(self, number: int) -> Hop | None:
        return self._hops.get(number)

    def attach(self, page: Target, session: Session) -> None:
        session.on("Network.requestWillBeSent", lambda event: self._sent(page, session, event))
        session.on("Network.requestWillBeSentExtraInfo", self._sent_on_the_wire)
        session.on("Network.requestServedFromCache", self._from_cache)
        session.on("Network.responseReceived", lambda event: self._answered(session, event))
        session.on("Network.responseReceivedExtraInfo", self._answered_on_the_wire)
        session.on("Network.loadingFinished", self._finished)
        session.on("Network.loadingFailed", self._failed)
        session.on("Network.webSocketCreated", lambda event: self._socket_created(page, session, event))
        session.on("Network.webSocketWillSendHandshakeRequest", self._socket_sent)
        session.on("Network.webSocketHandshakeResponseReceived", self._socket_answered)
        session.on("Network.webSocketClosed", self._finished)

    attach_worker = attach

    def detach(self, page: Target, session: Session) -> None:
        """What a tab had under way ends with it. That of a frame goes on where the frame does."""
        if session is not page.channel.session:
            return
        for hop in self._hops.values():
            if hop.page is page:
                self._end(hop, hop.begun, "net::ERR_ABORTED")
                hop.page = hop.session = None

    # --- reacting ---

    def _sent(self, page: Target, session: Session, event: dict[str, Any]) -> None:
        request = event["request"]
        if request["url"].startswith("data:"):
            return
        chain = self._chain(event["requestId"])
        if chain.hops and (answer := event.get("redirectResponse")):
            hop = chain.hops[-1]
            hop.response, hop.wired = answer, event.get("redirectHasExtraInfo", False)
            hop.size, hop.next = round(answer.get("encodedDataLength", 0)), self._last + 1
            self._end(hop, event["timestamp"])
        elif chain.hops:
            return  # told twice: by a page and by the worker or frame that it hands the request to
        self._begin(page, session, event, request, chain, event.get("type", "Other"))

    def _begin(
        self,
        page: Target,
        session: Session,
        event: dict[str, Any],
        request: dict[str, Any],
        chain: Chain,
        kind: str,
    ) -> None:
        self._last = number = self._last + 1
        hop = Hop(
            number,
            event["requestId"],
            chain,
            page,
            session,
            _without_long_body(request),
            kind.lower(),
            _document(page, event, kind),
            event.get("wallTime") or time.time(),
            event.get("timestamp") or 0.0,
            self.rule_of(request["url"]),
        )
        chain.hops.append(hop)
        self._hops[number] = hop
        if len(self._hops) > MOST:
            self._forget(next(iter(self._hops.values())))
        if self.on_begin is not None:
            self.on_begin(hop)

    def _chain(self, key: str) -> Chain:
        chain = self._chains.get(key)
        if chain is None:
            chain = self._chains[key] = Chain()
            if len(self._chains) > 2 * MOST:  # of requests that are not logged, such as those of `data:`
                self._chains.pop(next(iter(self._chains)))
        return chain

    def _forget(self, hop: Hop) -> None:
        del self._hops[hop.number]
        if hop is hop.chain.hops[-1] and self._chains.get(hop.key) is hop.chain:
            del self._chains[hop.key]

    def _hop(self, event: dict[str, Any]) -> Hop | None:
        chain = self._chains.get(event["requestId"])
        return chain.hops[-1] if chain and chain.hops else None

    def _sent_on_the_wire(self, event: dict[str, Any]) -> None:
        self._chain(event["requestId"]).sent.append(event["headers"])

    def _answered_on_the_wire(self, event: dict[str, Any]) -> None:
        self._chain(event["requestId"]).received.append(event)

    def _from_cache(self, event: dict[str, Any]) -> None:
        self._chain(event["requestId"]).cached = True

    def _answered(self, session: Session, event: dict[str, Any]) -> None:
        if hop := self._hop(event):
            hop.session = session
            hop.response, hop.wired = event["response"], event.get("hasExtraInfo", False)
            hop.kind = event.get("type", hop.kind).lower()

    def _finished(self, event: dict[str, Any]) -> None:
        if hop := self._hop(event):
            if "encodedDataLength" in event:
                hop.size = round(event["encodedDataLength"])
            self._end(hop, event["timestamp"])

    def _failed(self, event: dict[str, Any]) -> None:
        if hop := self._hop(event):
            self._end(hop, event["timestamp"], _why(event))

    def _end(self, hop: Hop, at: float, failure: str | None = None) -> None:
        if hop.over:
            return
        hop.ended, hop.failure = at, failure
        if self.on_end is not None:
            self.on_end(hop)

    # --- web sockets: https://chromedevtools.github.io/devtools-protocol/tot/Network/#event-webSocketCreated ---

    def _socket_created(self, page: Target, session: Session, event: dict[str, Any]) -> None:
        request = {"url": event["url"], "method": "GET", "headers": {}}
        self._begin(page, session, event, request, self._chain(event["requestId"]), "WebSocket")

    def _socket_sent(self, event: dict[str, Any]) -> None:
        if hop := self._hop(event):
            hop.request = {**hop.request, "headers": event["request"]["headers"]}
            hop.wall_time, hop.begun = event["wallTime"], event["timestamp"]

    def _socket_answered(self, event: dict[str, Any]) -> None:
        if hop := self._hop(event):
            hop.response, hop.wired = event["response"], False


def _without_long_body(request: dict[str, Any]) -> dict[str, Any]:
    if len(request.get("postData", "")) <= MOST_TEXT and "postDataEntries" not in request:
        return request
    return {
        key: value
        for key, value in request.items()
        if key != "postDataEntries" and (key != "postData" or len(value) <= MOST_TEXT)
    }


def _document(page: Target, event: dict[str, Any], kind: str) -> str | None:
    """The loader of the top document that a request belongs to."""
    if kind == "Document" and event.get("frameId") == page.target_id:
        loader: str | None = event.get("loaderId")
        return loader
    return page.frame_tree.top.loader or None


def _why(event: dict[str, Any]) -> str:
    """`net::ERR_FAILED`, with what the browser says beyond it (`mixed-content`, `csp`, `PreflightMissing…`)."""
    text = (event["errorText"] or "net::ERR_FAILED").removesuffix(".Inspector")
    detail = event.get("blockedReason") or (event.get("corsErrorStatus") or {}).get("corsError")
    # Blocked by the inspector: by a rule of ours, which is said already.
    return f"{text} {detail}" if detail and detail != "inspector" else text
