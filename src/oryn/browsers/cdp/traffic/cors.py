"""What the browser asks other origins' leave for (CORS), where we have changed a request or answer it ourselves. Pure.

https://fetch.spec.whatwg.org/#http-cors-protocol
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

Pairs = list[tuple[str, str]]
_SIMPLE = frozenset({"GET", "HEAD", "POST"})


def _folded(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def is_preflight(request: Mapping[str, Any]) -> bool:
    return request["method"] == "OPTIONS" and "access-control-request-method" in _folded(request["headers"])


def readable(request: Mapping[str, Any]) -> Pairs:
    """Headers of an answer that let the page read it, from whatever origin it asks."""
    origin = _folded(request["headers"]).get("origin")
    if origin is None:
        return [("Access-Control-Allow-Origin", "*")]
    return [
        ("Access-Control-Allow-Origin", origin),
        ("Access-Control-Allow-Credentials", "true"),
        ("Vary", "Origin"),
    ]


def granted(request: Mapping[str, Any]) -> Pairs:
    """Headers of the answer to a preflight that allows what it asks for."""
    asked = _folded(request["headers"])
    return [
        *readable(request),
        ("Access-Control-Allow-Methods", asked["access-control-request-method"]),
        ("Access-Control-Allow-Headers", asked.get("access-control-request-headers", "*")),
    ]


def _asked(request: Mapping[str, Any]) -> set[str]:
    names = _folded(request["headers"]).get("access-control-request-headers", "").lower()
    return {name.strip() for name in names.split(",") if name.strip()}


def asks_for(request: Mapping[str, Any], ours: Collection[str]) -> bool:
    """Whether a preflight asks for headers that the page has not set, but we have."""
    return bool(_asked(request) & {name.lower() for name in ours})


def only_ours(request: Mapping[str, Any], ours: Collection[str]) -> bool:
    """Whether without our headers there would have been no preflight."""
    method = _folded(request["headers"])["access-control-request-method"]
    return method in _SIMPLE and _asked(request) <= {name.lower() for name in ours}


def with_ours(answer: Collection[tuple[str, str]], ours: Collection[str]) -> Pairs:
    """The server's answer to a preflight, which has not heard of our headers, with leave for them."""
    name = "Access-Control-Allow-Headers"
    theirs = [value for each, value in answer if each.lower() == name.lower()]
    return [
        *((each, value) for each, value in answer if each.lower() != name.lower()),
        (name, ", ".join([*theirs, *ours])),
    ]
