"""Requests to search providers, and pages of results until there are enough hits.

A provider is at an address that the user or Oryn has chosen, not a page: private addresses are fine (one's own
SearXNG), redirects are not followed, nothing is cached."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

import httpx

from oryn.core.records import Record
from oryn.errors import FetchFailed, SearchChanged, SearchRefused
from oryn.research.documents import Hit
from oryn.system.tls import client_ssl_context

MAX_RESPONSE_BYTES = 4_000_000
"""The maximum size of a response; a page of results has some 50,000 bytes."""

REFUSALS = {
    401: "the key is not accepted",
    402: "the account has no more searches",
    403: "access is forbidden",
    429: "too many requests",
}


class SearchResponse(Record):
    """The response of a provider."""

    status: int
    text: str
    location: str = ""
    """The target of a redirect."""


class SearchClient:
    """The HTTP client for providers: one request at a time for each host, with `throttle` seconds between two, through
    the proxies of the environment. `timeout` is in seconds, for each step of a request."""

    def __init__(self, *, timeout: float, throttle: float, user_agent: str) -> None:
        self._throttle = throttle
        self._client = httpx.AsyncClient(
            timeout=timeout, headers={"user-agent": user_agent}, verify=client_ssl_context()
        )
        self._turns: dict[str, asyncio.Lock] = {}
        self._free: dict[str, float] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def ask(
        self,
        provider: str,
        url: str,
        *,
        query: Mapping[str, str | int] | None = None,
        form: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> SearchResponse:
        """Send a GET, or a POST if there is a `form`. Raises `FetchFailed` if there is no answer."""
        host = urlsplit(url).netloc
        clock = asyncio.get_running_loop().time
        async with self._turns.setdefault(host, asyncio.Lock()):
            await asyncio.sleep(max(0.0, self._free.get(host, 0.0) - clock()))
            try:
                return await self._send(provider, url, query, form, headers)
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                reason = str(error) or type(error).__name__
                raise FetchFailed(
                    f"no answer from {provider} at {host}: {reason}", "Check the network.", again=True
                ) from error
            finally:
                self._free[host] = clock() + self._throttle

    async def _send(
        self,
        provider: str,
        url: str,
        query: Mapping[str, str | int] | None,
        form: Mapping[str, str] | None,
        headers: Mapping[str, str] | None,
    ) -> SearchResponse:
        method = "GET" if form is None else "POST"
        async with self._client.stream(method, url, params=query, data=form, headers=headers) as response:
            body = bytearray()
            async for piece in response.aiter_bytes():
                body += piece
                if len(body) > MAX_RESPONSE_BYTES:
                    raise SearchChanged(f"{provider} answered with more than {MAX_RESPONSE_BYTES // 1_000_000} MB")
            text = body.decode(response.encoding or "utf-8", "replace")
            return SearchResponse(response.status_code, text, response.headers.get("location", ""))


def json_of(provider: str, reply: SearchResponse) -> dict[str, Any]:
    """The JSON object in the answer of an API. Raises `SearchRefused` and `SearchChanged` if it is none."""
    if reply.status in REFUSALS:
        raise refused(provider, reply.status)
    if reply.status != 200:
        raise SearchChanged(f"{provider} answered with status {reply.status}")
    try:
        value = json.loads(reply.text)
    except ValueError as error:
        raise SearchChanged(f"{provider} answered with something other than JSON") from error
    if not isinstance(value, dict):
        raise SearchChanged(f"{provider} answered with JSON of another form")
    return value


def refused(provider: str, status: int, hint: str | None = None) -> SearchRefused:
    """The error for a search that was refused with this status."""
    return SearchRefused(f"{provider} refused the search: {REFUSALS.get(status, 'no results')} ({status})", hint)


def text_of(value: object) -> str:
    """A title or snippet of an answer, on one line; empty if it is no text."""
    return " ".join(value.split()) if isinstance(value, str) else ""


def is_page(url: object) -> bool:
    """Whether the URL in an answer is one of the web."""
    return isinstance(url, str) and url.startswith(("http://", "https://"))


def too_long(provider: str, query: str, longest: int) -> SearchRefused:
    """The error for a query of more than `longest` characters."""
    return SearchRefused(
        f"{provider} takes at most {longest} characters, this query has {len(query)}", "Ask in fewer words."
    )


MAX_PAGES = 5
"""The maximum number of pages of results: engines take more requests for those of a robot, and have no more results
anyway."""


async def first_hits(limit: int, pages: AsyncGenerator[list[Hit]]) -> list[Hit]:
    """The first hits of pages of results, numbered, each URL once; no more pages are read when there are `limit` hits.
    A page that only repeats hits ends the search; so does one that fails after others, since the hits before are an
    answer."""
    found: dict[str, Hit] = {}
    async with aclosing(pages):
        try:
            async for hits in pages:
                before = len(found)
                for hit in hits:
                    found.setdefault(hit.url, hit.replace(rank=len(found) + 1))
                if len(found) == before or len(found) >= limit:
                    break
        except (SearchRefused, SearchChanged, FetchFailed):
            if not found:
                raise
    return list(found.values())[:limit]
