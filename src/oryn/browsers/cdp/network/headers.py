"""Extra headers of requests to a domain or of one navigation, and the CORS headers that they make necessary. Pure.

Headers of every request are set by the browser itself (`Network.setExtraHTTPHeaders`); for the others each request is
paused and continued with them. CORS matters if we have changed a request or answer it ourselves.
https://fetch.spec.whatwg.org/#http-cors-protocol"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from oryn.core.urls import has_port

Origin = tuple[str, str]


def fetch_patterns(domain: str) -> Iterator[str]:
    """Patterns for the Fetch domain that cover all URLs that `matches_domain` accepts."""
    for host in (domain, f"*.{domain}"):
        yield f"*://{host}/*"
        if not has_port(domain):
            yield f"*://{host}:*"


def origin_of(url: str) -> Origin:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc


def merge_headers(headers: Mapping[str, str], *overrides: Mapping[str, str]) -> dict[str, str]:
    """Headers with overrides applied in order, so that the last one wins. Names are case-insensitive."""
    merged = dict(headers)
    for override in overrides:
        replaced = {name.lower() for name in override}
        merged = {name: value for name, value in merged.items() if name.lower() not in replaced} | dict(override)
    return merged


HeaderPairs = list[tuple[str, str]]
_SIMPLE = frozenset({"GET", "HEAD", "POST"})


def _lowercase_names(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def is_preflight(request: Mapping[str, Any]) -> bool:
    return request["method"] == "OPTIONS" and "access-control-request-method" in _lowercase_names(request["headers"])


def allow_origin_headers(request: Mapping[str, Any]) -> HeaderPairs:
    """Response headers that let the page read the response, whatever the page's origin."""
    origin = _lowercase_names(request["headers"]).get("origin")
    if origin is None:
        return [("Access-Control-Allow-Origin", "*")]
    return [
        ("Access-Control-Allow-Origin", origin),
        ("Access-Control-Allow-Credentials", "true"),
        ("Vary", "Origin"),
    ]


def allow_preflight_headers(request: Mapping[str, Any]) -> HeaderPairs:
    """Response headers that allow everything that a preflight asks for."""
    requested = _lowercase_names(request["headers"])
    return [
        *allow_origin_headers(request),
        ("Access-Control-Allow-Methods", requested["access-control-request-method"]),
        ("Access-Control-Allow-Headers", requested.get("access-control-request-headers", "*")),
    ]


def _requested_headers(request: Mapping[str, Any]) -> set[str]:
    names = _lowercase_names(request["headers"]).get("access-control-request-headers", "").lower()
    return {name.strip() for name in names.split(",") if name.strip()}


def requests_any(request: Mapping[str, Any], added: Collection[str]) -> bool:
    """Whether a preflight asks for any of the added headers, which the page has not set."""
    return bool(_requested_headers(request) & {name.lower() for name in added})


def requests_only(request: Mapping[str, Any], added: Collection[str]) -> bool:
    """Whether a preflight asks for nothing but the added headers, so that without them it would not have been sent."""
    method = _lowercase_names(request["headers"])["access-control-request-method"]
    return method in _SIMPLE and _requested_headers(request) <= {name.lower() for name in added}


def add_allowed_headers(answer: Collection[tuple[str, str]], added: Collection[str]) -> HeaderPairs:
    """The headers of the server's response to a preflight, with the headers `added` to the allowed ones."""
    name = "Access-Control-Allow-Headers"
    allowed = [value for each, value in answer if each.lower() == name.lower()]
    return [
        *((each, value) for each, value in answer if each.lower() != name.lower()),
        (name, ", ".join([*allowed, *added])),
    ]
