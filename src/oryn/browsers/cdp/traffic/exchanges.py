"""What the log keeps, as the values of the contract. Pure.

https://chromedevtools.github.io/devtools-protocol/tot/Network/#type-Response
"""

from __future__ import annotations

from typing import Any

from oryn.browsers.base.network import Exchange, Fields, Phases
from oryn.browsers.cdp.traffic.log import Chain, Hop
from oryn.browsers.common.net_errors import reason


def exchange(hop: Hop) -> Exchange:
    """A hop as it stands now."""
    answer = hop.response or {}
    sent, received = _wire(hop.chain).get(hop.number, (None, None))
    return Exchange(
        number=hop.number,
        method=hop.request["method"],
        url=hop.request["url"] + hop.request.get("urlFragment", ""),
        kind=hop.kind,
        started=hop.wall_time,
        seconds=None if hop.ended is None else max(0.0, hop.ended - hop.begun),
        status=_status(answer, received),
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
        phases=_phases(answer.get("timing"), hop),
        document=hop.document,
    )


def _wire(chain: Chain) -> dict[int, tuple[dict[str, Any] | None, dict[str, Any] | None]]:
    """The headers on the wire of each hop of a chain that has any, by its number."""
    wired = [hop for hop in chain.hops if hop.wired is not False]
    return {
        hop.number: (
            chain.sent[index] if index < len(chain.sent) else None,
            chain.received[index] if index < len(chain.received) and hop.response is not None else None,
        )
        for index, hop in enumerate(wired)
    }


def _status(answer: dict[str, Any], received: dict[str, Any] | None) -> int | None:
    # The answer to a conditional request is told as that of the cache; only on the wire it is a 304.
    status: int | None = (received or {}).get("statusCode") or answer.get("status")
    return status or None


def _failure(why: str) -> str:
    text, _, detail = why.partition(" ")
    return f"{reason(text)}{detail and f', {detail}'}"


def _fields(headers: dict[str, str]) -> Fields:
    """Several headers of one name come as one, with line breaks."""
    return tuple((name, value) for name, values in headers.items() for value in str(values).split("\n"))


def _server(answer: dict[str, Any]) -> str:
    address = answer.get("remoteIPAddress")
    if not address:
        return ""
    host = f"[{address}]" if ":" in address and not address.startswith("[") else address
    return f"{host}:{answer.get('remotePort', 0)}"


def _phases(timing: dict[str, Any] | None, hop: Hop) -> Phases:
    """https://chromedevtools.github.io/devtools-protocol/tot/Network/#type-ResourceTiming (milliseconds from
    `requestTime`, which is in seconds; -1 where there is none)."""
    if not timing:
        return Phases()
    starts = [timing[name] for name in ("dnsStart", "connectStart", "sendStart") if timing[name] >= 0]
    blocked = (timing["requestTime"] - hop.begun) + (min(starts) / 1000 if starts else 0)
    end = None if hop.ended is None else hop.ended - timing["requestTime"] - timing["receiveHeadersEnd"] / 1000
    return Phases(
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
