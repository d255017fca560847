"""The log of requests: `cdp.network.log` with the events of WebKit."""

from __future__ import annotations

import itertools
import time
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from oryn.browsers.cdp.network.log import RequestLog
from oryn.browsers.webkit.inflight import resource_kind
from oryn.browsers.webkit.load_errors import network_error
from oryn.browsers.webkit.network import events

if TYPE_CHECKING:
    from collections.abc import Callable

    from oryn.browsers.cdp.network.log import LoggedTarget, RequestHop
    from oryn.browsers.common.protocol_session import ProtocolSession
    from oryn.browsers.webkit.network.loaded_page import LoadedPage

_FETCHED_KINDS = ("document", "xhr", "fetch")
_CORS_HEADER = "Access-Control-Allow-Origin"
_MAX_BODIES = 100
_MAX_BODY_BYTES = 500_000
MAX_BODY_CHARACTERS = 1_000_000
"""The longest body of a request that is stored: the browser reports it with the request, and never again."""


class WebKitRequestLog(RequestLog):
    """The latest requests of a session's tabs and of their workers.

    `reason_of` returns the `net::ERR_…` with which we have failed a request of a session, by its id, or None."""

    def __init__(self) -> None:
        super().__init__(MAX_BODY_CHARACTERS)
        self.silent_kinds = frozenset({"eventsource"})
        self.reason_of: Callable[[ProtocolSession, str], str | None] = lambda session, request_id: None
        self._names = itertools.count(1)
        self._fetched: deque[RequestHop] = deque()
        """The hops whose bodies were fetched early."""

    def attach(self, page: LoggedTarget, session: ProtocolSession) -> None:
        cast("LoadedPage", page).navigator.on_start.append(lambda: self._fetch_bodies(session))
        name = f"{next(self._names)}"  # each process counts its requests anew, and its sockets too

        def on(event: str, handler: Callable[[dict[str, Any], str], object], kind: str = "") -> None:
            session.on(f"Network.{event}", lambda params: handler(params, f"{name}{kind}/{params['requestId']}"))

        on("requestWillBeSent", lambda event, key: self._on_request(page, session, event, key))
        on("requestServedFromMemoryCache", lambda event, key: self._on_from_memory(page, session, event, key))
        on("responseReceived", lambda event, key: self._on_response(session, event, key))
        on("loadingFinished", self._on_loaded)
        on("loadingFailed", lambda event, key: self._on_load_failed(session, event, key))
        sockets: dict[str, Callable[[dict[str, Any]], None]] = {
            "webSocketCreated": lambda event: self._on_socket_created(page, session, event),
            "webSocketWillSendHandshakeRequest": self._on_socket_sent,
            "webSocketHandshakeResponseReceived": self._on_handshake,
            "webSocketFrameError": self._on_socket_error,
            "webSocketClosed": self._on_finished,
            "webSocketFrameSent": self._on_frame_sent,
            "webSocketFrameReceived": self._on_frame_received,
        }
        for event, handle in sockets.items():
            on(event, partial(_pass_socket_event, handle), "socket")

    def _on_request(self, page: LoggedTarget, session: ProtocolSession, event: dict[str, Any], key: str) -> None:
        if event["request"]["url"].startswith("about:"):
            return
        if self._is_top(page, event):
            self._fetch_bodies(session)  # which comes too late if the server is quick
        self._on_sent(page, session, events.sent(event, key))

    def _fetch_bodies(self, session: ProtocolSession) -> None:
        """A navigation begins: fetch the bodies that the browser drops when its document comes."""
        for hop in list(self)[-_MAX_BODIES:]:
            if hop.session is not session or session.ended or hop.body is not None or not hop.finished or hop.failure:
                continue
            if hop.kind in _FETCHED_KINDS and hop.next is None and (hop.size or 0) <= _MAX_BODY_BYTES:
                hop.body = session.send("Network.getResponseBody", {"requestId": hop.request_id})
                self._fetched.append(hop)
        while len(self._fetched) > _MAX_BODIES:
            self._fetched.popleft().body = None

    def _on_from_memory(self, page: LoggedTarget, session: ProtocolSession, event: dict[str, Any], key: str) -> None:
        sent, answered, finished = events.from_memory(event, key, time.time())
        self._on_sent(page, session, sent)
        self._on_answered(session, answered)
        self._on_finished(finished)

    def _on_response(self, session: ProtocolSession, event: dict[str, Any], key: str) -> None:
        if self.reason_of(session, event["requestId"]) is None:  # else it is the answer that ends a refused navigation
            self._on_answered(session, events.answered(event, key))

    def _on_loaded(self, event: dict[str, Any], key: str) -> None:
        finished = events.finished(event, key)
        if (hop := self._hop(finished)) and hop.response is not None:
            hop.response = {**hop.response, **events.connection(event)}
        self._on_finished(finished)

    def _on_handshake(self, event: dict[str, Any]) -> None:
        if event["response"]["status"]:  # else there was no connection
            self._on_socket_answered(event)

    def _on_socket_error(self, event: dict[str, Any]) -> None:
        hop = self._hop(event)
        if hop is not None and hop.response is None:  # else the connection was there, and its end is reported
            error = network_error(event["errorMessage"], hop.request["url"])
            self._on_failed({**event, "errorText": error})

    def _on_load_failed(self, session: ProtocolSession, event: dict[str, Any], key: str) -> None:
        hop = self._hop({"requestId": key})
        reason = self.reason_of(session, event["requestId"])
        error = reason or network_error(event["errorText"], hop.request["url"] if hop else "")
        failed = events.failed(event, key, error)
        if _CORS_HEADER in event["errorText"]:
            failed["corsErrorStatus"] = {"corsError": "MissingAllowOriginHeader"}
        self._on_failed(failed)

    def _document(self, page: LoggedTarget, event: dict[str, Any], kind: str) -> str | None:
        if self._is_top(page, event):
            loader: str = event["loaderId"]
            return loader
        return page.frame_tree.top.loader or None

    @staticmethod
    def _is_top(page: LoggedTarget, event: dict[str, Any]) -> bool:
        """Whether a request is that of a top document."""
        return resource_kind(event) == "Document" and event.get("frameId") == cast("LoadedPage", page).frame_tree.top.id


def _pass_socket_event(handle: Callable[[dict[str, Any]], None], event: dict[str, Any], key: str) -> None:
    handle(events.socket(event, key))
