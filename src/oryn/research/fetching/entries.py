"""What the cache knows of a page besides its body."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from typing import Any

import httpx

from oryn.records import Record
from oryn.research.documents import Page, Source
from oryn.research.fetching.addresses import objection
from oryn.research.fetching.freshness import lifetime


class Entry(Record):
    """`url` is where the page was found. `fetched_at` and `expires` are UTC in ISO 8601: when the server said last that
    this is the page, and until when that is good. `public`: it came from an address of the public internet."""

    url: str
    sha256: str
    status: int
    content_type: str
    charset: str
    fetched_at: str
    expires: str
    etag: str = ""
    modified: str = ""
    public: bool = True
    headers: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, url: str, response: httpx.Response, *, sha256: str, charset: str) -> Entry:
        headers = response.headers
        return cls(
            url=url,
            sha256=sha256,
            status=response.status_code,
            content_type=headers.get("content-type", ""),
            charset=charset,
            etag=headers.get("etag", ""),
            modified=headers.get("last-modified", ""),
            public=_is_public(response),
            headers=tuple((name, value) for name, value in headers.multi_items() if name != "set-cookie"),
            **_times(headers),
        )

    @property
    def is_fresh(self) -> bool:
        return datetime.fromisoformat(self.expires) > datetime.now(UTC)

    def confirmed(self, headers: Mapping[str, str]) -> Entry:
        """After a 304, whose headers take the place of those that were known (RFC 9111 §3.2)."""
        told = {name: value for name, value in headers.items() if name not in ("content-length", "content-encoding")}
        merged = dict(self.headers) | {name: value for name, value in told.items() if name != "set-cookie"}
        return self.replace(
            etag=merged.get("etag", ""),
            modified=merged.get("last-modified", ""),
            headers=tuple(merged.items()),
            **_times(merged),
        )

    def until(self, seconds: float) -> Entry:
        """Good for no longer than so many seconds from now."""
        latest = (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat(timespec="seconds")
        return self.replace(expires=min(self.expires, latest))

    def page(self, body: bytes, requested: str, why: str = "", *, source: Source = "cache") -> Page:
        return Page(
            url=self.url,
            requested=requested,
            status=self.status,
            content_type=self.content_type,
            body=body,
            sha256=self.sha256,
            fetched_at=self.fetched_at,
            charset=self.charset,
            source=source,
            why=why,
            headers=self.headers,
        )


def _times(headers: Mapping[str, str]) -> dict[str, Any]:
    now = datetime.now(UTC)
    expires = now + timedelta(seconds=lifetime(headers, now) or 0.0)
    return {"fetched_at": now.isoformat(timespec="seconds"), "expires": expires.isoformat(timespec="seconds")}


def _is_public(response: httpx.Response) -> bool:
    """Where the connection of an answer went. To the user's proxy it tells nothing: names were looked at before."""
    if response.extensions.get("oryn_proxied"):
        return True
    stream = response.extensions.get("network_stream")
    address: Any = stream.get_extra_info("server_addr") if stream is not None else None
    return bool(address) and not objection(ip_address(str(address[0]).partition("%")[0]))
