"""Converts entries of the request log to the exchanges of `browsers.base.network`, with bodies, and feeds a recorder.

The browser keeps bodies (`KEEP_BODIES`) when the page navigates and when the frame that requested them goes away; they
are fetched on request, and for a recorder as soon as an exchange has ended.
https://chromedevtools.github.io/devtools-protocol/tot/Network/#type-Response
https://chromedevtools.github.io/devtools-protocol/tot/Network/#method-getResponseBody"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from oryn.browsers.base.network import Body, Exchange, ExchangeRecorder, ExchangeWithBodies, Headers, Timings
from oryn.browsers.cdp.network.log import STREAMS, RedirectChain, RequestHop, request_body
from oryn.browsers.common.network_errors import describe_error
from oryn.errors import OrynError

if TYPE_CHECKING:
    from oryn.browsers.cdp.network.log import RequestLog
    from oryn.browsers.common.protocol_session import ProtocolSession


def exchange(hop: RequestHop) -> Exchange:
    """The exchange of a hop in its present state."""
    answer = hop.response or {}
    sent, received = _wire_headers(hop.chain).get(hop.number, (None, None))
    return Exchange(
        number=hop.number,
        method=hop.request["method"],
        url=hop.request["url"] + hop.request.get("urlFragment", ""),
        kind=hop.kind,
        started=hop.wall_time,
        seconds=None if hop.ended is None else max(0.0, hop.ended - hop.started),
        # The response to a conditional request is reported as that from the cache; only on the wire it is a 304.
        status=(received or {}).get("statusCode") or answer.get("status") or None,
        status_text=answer.get("statusText", ""),
        failure=_failure(hop.failure) if hop.failure else None,
        size=hop.size,
        cached=hop.chain.cached or bool(answer.get("fromDiskCache") or answer.get("fromPrefetchCache")),
        rule=hop.rule,
        next=hop.next,
        protocol=answer.get("protocol", ""),
        server=_server(answer),
        mime=answer.get("mimeType", ""),
        request_fields=_fields(sent or answer.get("requestHeaders") or hop.request["headers"]),
        response_fields=_fields((received or {}).get("headers") or answer.get("headers") or {}),
        phases=_timings(answer.get("timing"), hop),
        document=hop.document,
    )


def _wire_headers(chain: RedirectChain) -> dict[int, tuple[dict[str, Any] | None, dict[str, Any] | None]]:
    """The request and response headers on the wire, by the number of each hop that has any."""
    hops = [hop for hop in chain.hops if hop.has_wire_headers is not False]
    return {
        hop.number: (
            chain.sent[index] if index < len(chain.sent) else None,
            chain.received[index] if index < len(chain.received) and hop.response is not None else None,
        )
        for index, hop in enumerate(hops)
    }


def _failure(reason: str) -> str:
    text, _, detail = reason.partition(" ")
    return f"{describe_error(text)}{detail and f', {detail}'}"


def _fields(headers: dict[str, str]) -> Headers:
    """Name-value pairs. The protocol joins several headers of one name with line breaks."""
    return tuple((name, value) for name, values in headers.items() for value in str(values).split("\n"))


def _server(answer: dict[str, Any]) -> str:
    address = answer.get("remoteIPAddress")
    if not address:
        return ""
    host = f"[{address}]" if ":" in address and not address.startswith("[") else address
    return f"{host}:{answer.get('remotePort', 0)}"


def _timings(timing: dict[str, Any] | None, hop: RequestHop) -> Timings:
    """https://chromedevtools.github.io/devtools-protocol/tot/Network/#type-ResourceTiming (milliseconds from
    `requestTime`, which is in seconds; -1 if there is none)."""
    if not timing:
        return Timings()
    starts = [timing[name] for name in ("dnsStart", "connectStart", "sendStart") if timing[name] >= 0]
    blocked = (timing["requestTime"] - hop.started) + (min(starts) / 1000 if starts else 0)
    end = None if hop.ended is None else hop.ended - timing["requestTime"] - timing["receiveHeadersEnd"] / 1000
    return Timings(
        blocked=max(0.0, blocked),
        dns=_between(timing, "dnsStart", "dnsEnd"),
        connect=_between(timing, "connectStart", "connectEnd"),
        ssl=_between(timing, "sslStart", "sslEnd"),
        send=_between(timing, "sendStart", "sendEnd"),
        wait=_between(timing, "sendEnd", "receiveHeadersEnd"),
        receive=None if end is None else max(0.0, end),
    )


def _between(timing: dict[str, Any], start: str, end: str) -> float | None:
    first, last = timing[start], timing[end]
    return max(0.0, last - first) / 1000 if first >= 0 and last >= 0 else None


BODY_GONE = "the browser did not keep it"
_WITHOUT_BODY = frozenset({204, 205, 304})


async def exchange_with_bodies(hop: RequestHop, timeout: float) -> ExchangeWithBodies:
    """The exchange of a hop with its bodies, which are fetched now; `timeout` is in seconds for each."""
    return ExchangeWithBodies(exchange(hop), await _request_body(hop, timeout), await _response_body(hop, timeout))


async def _request_body(hop: RequestHop, timeout: float) -> Body | None:
    if not hop.request.get("hasPostData"):
        return None
    if (content := request_body(hop.request)) is not None:
        return Body(content)
    return await _fetch_body(hop, "Network.getRequestPostData", "postData", timeout)


async def _response_body(hop: RequestHop, timeout: float) -> Body | None:
    if hop.response is None or hop.request["method"] == "HEAD" or hop.response["status"] in _WITHOUT_BODY:
        return None
    if hop.next is not None:
        return Body(None, "the answer is a redirect")
    if hop.stream is not None:
        return await hop.stream.body(timeout)
    if hop.kind in STREAMS:
        return Body(None, "the answer is a stream")
    if not hop.finished:
        return Body(None, "the answer is still coming")
    return await _fetch_body(hop, "Network.getResponseBody", "body", timeout)


async def _fetch_body(hop: RequestHop, method: str, field: str, timeout: float) -> Body:
    try:
        answer: dict[str, Any]
        if hop.body is not None and field == "body":
            answer = await asyncio.wait_for(asyncio.shield(hop.body), timeout)
        elif (session := hop.body_session) is not None:
            answer = await session.call(method, {"requestId": hop.request_id}, timeout=timeout)
        else:
            return Body(None, BODY_GONE)
    except (OrynError, TimeoutError):  # the target is gone or the body was dropped, which makes no difference here
        return Body(None, BODY_GONE)
    text: str = answer[field]
    encoded = answer.get("base64Encoded", False)
    return Body(base64.b64decode(text) if encoded else text.encode("utf-8", "surrogatepass"))


BODY_SECONDS = 10.0
MAX_STREAM_BYTES = 10_000_000
"""The longest body of a stream that is recorded: as long as those that the browser stores (`KEEP_BODIES`)."""
_EVENT_STREAM = "text/event-stream"


class EventStreamBody:
    """The body of server-sent events, as far as it has come. The browser stores it only if it ends.
    https://chromedevtools.github.io/devtools-protocol/tot/Network/#method-streamResourceContent"""

    def __init__(self, hop: RequestHop, session: ProtocolSession) -> None:
        self._ids = hop.key, hop.request_id
        self._session = session
        self._earlier = session.send("Network.streamResourceContent", {"requestId": hop.request_id})
        self._later: list[bytes] = []
        self._length = 0
        session.on("Network.dataReceived", self._on_data)

    def _on_data(self, event: dict[str, Any]) -> None:
        if event["requestId"] in self._ids and self._length <= MAX_STREAM_BYTES:
            self._later.append(base64.b64decode(event.get("data", "")))
            self._length += len(self._later[-1])

    def end(self) -> None:
        self._session.off("Network.dataReceived", self._on_data)

    async def body(self, timeout: float) -> Body:
        try:
            answer = await asyncio.wait_for(asyncio.shield(self._earlier), timeout)
        except (OrynError, TimeoutError):
            return Body(None, "the answer is a stream")
        content = b"".join((base64.b64decode(answer["bufferedData"]), *self._later))
        return Body(content) if len(content) <= MAX_STREAM_BYTES else Body(None, "it is too long a stream")


class ExchangeFeed:
    """Passes the exchanges that start while there is a `recorder` (`browsers.base.Network.record`) on to it.

    transform: applied to each exchange before it is recorded."""

    def __init__(
        self,
        log: RequestLog,
        transform: Callable[[ExchangeWithBodies], ExchangeWithBodies] = lambda exchange: exchange,
    ) -> None:
        self._log = log
        self._transform = transform
        self.recorder: ExchangeRecorder | None = None
        self._in_flight: dict[int, RequestHop] = {}
        """Hops that are not recorded yet, by number."""
        self._fetching: set[asyncio.Task[None]] = set()

    async def record(self, recorder: ExchangeRecorder | None, timeout: float) -> None:
        if self.recorder is not None:
            await self._finish(timeout)
        self.recorder = recorder
        self._log.on_begin = self._on_started if recorder else None
        self._log.on_answer = self._on_answered if recorder else None
        self._log.on_end = self._on_ended if recorder else None

    def _on_started(self, hop: RequestHop) -> None:
        self._in_flight[hop.number] = hop

    def _on_answered(self, hop: RequestHop) -> None:
        is_stream = hop.response is not None and hop.response.get("mimeType") == _EVENT_STREAM
        if is_stream and hop.number in self._in_flight and hop.session is not None:
            hop.stream = EventStreamBody(hop, hop.session)

    def _on_ended(self, hop: RequestHop) -> None:
        if hop.number in self._in_flight:
            self._publish(hop)

    def _publish(self, hop: RequestHop) -> None:
        """Fetch the bodies while the browser has them, then call the recorder."""
        del self._in_flight[hop.number]
        if hop.stream is not None:
            hop.stream.end()
        recorder = self.recorder

        async def fetch() -> None:
            fetched = await exchange_with_bodies(hop, BODY_SECONDS)
            if recorder is not None:
                recorder(self._transform(fetched))

        task = asyncio.create_task(fetch())
        self._fetching.add(task)
        task.add_done_callback(self._fetching.discard)

    async def _finish(self, timeout: float) -> None:
        for hop in list(self._in_flight.values()):
            self._publish(hop)
        if self._fetching:
            await asyncio.wait(self._fetching, timeout=timeout)
