"""The events of WebKit's domain `Network` in the shape that `browsers.cdp.network` stores: that of DevTools. Pure.

https://github.com/WebKit/WebKit/blob/main/Source/JavaScriptCore/inspector/protocol/Network.json"""

from __future__ import annotations

from typing import Any

from oryn.browsers.webkit.inflight import resource_kind

Event = dict[str, Any]
_CACHES = ("memory-cache", "disk-cache")
OVERRIDDEN = "inspector-override"
"""The source of a response that is ours."""
_PHASES = (
    ("dnsStart", "domainLookupStart"),
    ("dnsEnd", "domainLookupEnd"),
    ("connectStart", "connectStart"),
    ("connectEnd", "connectEnd"),
    ("sslStart", "secureConnectionStart"),
    ("sslEnd", "connectEnd"),
    ("sendStart", "requestStart"),
    ("sendEnd", "requestStart"),
    ("receiveHeadersEnd", "responseStart"),
)
"""The moments of a load, by their names there and here. Here they are 0 if there was no such phase."""


def sent(event: Event, key: str) -> Event:
    """`requestWillBeSent`. `key` is the id of the request in the log, in this and the following functions."""
    request = event["request"]
    found = {
        **event,
        "requestId": key,
        "request": {**request, "hasPostData": "postData" in request},
        "type": resource_kind(event),
        "wallTime": event["walltime"],
    }
    if "redirectResponse" in event:
        found["redirectResponse"] = _response(event["redirectResponse"])
    return found


def answered(event: Event, key: str) -> Event:
    """`responseReceived`."""
    return {**event, "requestId": key, "type": resource_kind(event), "response": _response(event["response"])}


def finished(event: Event, key: str) -> Event:
    """`loadingFinished`, with the bytes on the wire if they are known."""
    metrics = event.get("metrics") or {}
    found = {"requestId": key, "timestamp": event["timestamp"]}
    sizes = [metrics.get(name, -1) for name in ("responseHeaderBytesReceived", "responseBodyBytesReceived")]
    if max(sizes) >= 0:
        found["encodedDataLength"] = sum(max(0, size) for size in sizes)
    return found


def connection(event: Event) -> dict[str, Any]:
    """What `loadingFinished` adds to a response: the connection, and the request's headers on the wire."""
    metrics = event.get("metrics") or {}
    found: dict[str, Any] = {}
    if protocol := metrics.get("protocol"):
        found["protocol"] = protocol
    address, _, port = str(metrics.get("remoteAddress", "")).rpartition(":")
    if address and port.isdigit() and not metrics.get("isProxyConnection"):
        found["remoteIPAddress"], found["remotePort"] = address, int(port)
    if headers := metrics.get("requestHeaders"):
        found["requestHeaders"] = headers
    return found


def failed(event: Event, key: str, error: str) -> Event:
    """`loadingFailed`, with the `net::ERR_…` of it."""
    return {"requestId": key, "timestamp": event["timestamp"], "errorText": error}


def from_memory(event: Event, key: str, wall_time: float) -> tuple[Event, Event, Event]:
    """`requestServedFromMemoryCache`, the only event of its request, as those of one that was sent and answered."""
    resource = event["resource"]
    response = {**resource.get("response", {"status": 200, "headers": {}}), "source": "memory-cache"}
    kind = {"type": resource.get("type", "Other")}
    request = {"url": resource["url"], "method": "GET", "headers": response.get("requestHeaders", {})}
    return (
        sent({**event, **kind, "request": request, "walltime": wall_time}, key),
        answered({**event, **kind, "response": response}, key),
        {"requestId": key, "timestamp": event["timestamp"], "encodedDataLength": 0},
    )


def socket(event: Event, key: str) -> Event:
    """An event of a web socket."""
    found = {**event, "requestId": key}
    if "walltime" in event:
        found["wallTime"] = event["walltime"]
    return found


def _response(response: dict[str, Any]) -> dict[str, Any]:
    return {
        **response,
        "fromDiskCache": response.get("source") in _CACHES,
        "timing": _timing(response.get("timing")),
    }


def _timing(timing: dict[str, Any] | None) -> dict[str, Any] | None:
    """https://chromedevtools.github.io/devtools-protocol/tot/Network/#type-ResourceTiming"""
    if not timing or "fetchStart" not in timing:
        return None
    return {
        "requestTime": timing["fetchStart"],
        **{name: timing.get(ours) or -1 for name, ours in _PHASES},
    }
