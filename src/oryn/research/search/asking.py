"""One request to a search provider, which is at an address that the user or Oryn has chosen, not a page: private
addresses are fine (one's own SearXNG), redirects are not followed, nothing is cached."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

import httpx

from oryn.records import Record
from oryn.research.failures import FetchFailed, SearchChanged, SearchRefused

LARGEST = 4_000_000
"""Bytes; a page of results has some 50,000."""

REFUSALS = {
    401: "the key is not accepted",
    402: "the account has no more searches",
    403: "it does not let us",
    429: "too many requests",
}


class Reply(Record):
    """What a provider said."""

    status: int
    text: str
    location: str = ""
    """Where it wants us to go instead."""


class Asker:
    """Asks providers, one request at a time for each host, with `throttle` seconds between two, by way of the proxies
    that the environment names."""

    def __init__(self, *, timeout: float, throttle: float, user_agent: str) -> None:
        self._throttle = throttle
        self._client = httpx.AsyncClient(timeout=timeout, headers={"user-agent": user_agent})
        self._turns: dict[str, asyncio.Lock] = {}
        self._free: dict[str, float] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        await self.close()

    async def close(self) -> None:
        await self._client.aclose()

    async def ask(
        self,
        provider: str,
        url: str,
        *,
        query: Mapping[str, str | int] | None = None,
        form: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """GET, or POST where there is a form. Raises `FetchFailed` where no answer comes."""
        host = urlsplit(url).netloc
        clock = asyncio.get_running_loop().time
        async with self._turns.setdefault(host, asyncio.Lock()):
            await asyncio.sleep(max(0.0, self._free.get(host, 0.0) - clock()))
            try:
                return await self._send(provider, url, query, form, headers)
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                said = str(error) or type(error).__name__
                raise FetchFailed(
                    f"no answer from {provider} at {host}: {said}", "Check the network.", again=True
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
    ) -> Reply:
        method = "GET" if form is None else "POST"
        async with self._client.stream(method, url, params=query, data=form, headers=headers) as response:
            body = bytearray()
            async for piece in response.aiter_bytes():
                body += piece
                if len(body) > LARGEST:
                    raise SearchChanged(f"{provider} answered with more than {LARGEST // 1_000_000} MB")
            text = body.decode(response.encoding or "utf-8", "replace")
            return Reply(response.status_code, text, response.headers.get("location", ""))


def json_of(provider: str, reply: Reply) -> dict[str, Any]:
    """The answer of an API. Raises `SearchRefused` and `SearchChanged` for what is none."""
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
    return SearchRefused(f"{provider} refused the search: {REFUSALS.get(status, 'no results')} ({status})", hint)


def text_of(value: object) -> str:
    """A title or snippet of an answer, on one line; empty where it is no text."""
    return " ".join(value.split()) if isinstance(value, str) else ""


def is_page(url: object) -> bool:
    """Whether an answer's URL is one of the web's."""
    return isinstance(url, str) and url.startswith(("http://", "https://"))


def too_long(provider: str, query: str, longest: int) -> SearchRefused:
    return SearchRefused(
        f"{provider} takes at most {longest} characters, this query has {len(query)}", "Ask in fewer words."
    )
