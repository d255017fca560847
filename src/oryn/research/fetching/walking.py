"""One fetch, step by step: from what was asked for over its redirects to the page."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import httpcore
import httpx

from oryn.engine.escape import url as shown
from oryn.research.documents import Page
from oryn.research.failures import BodyTooLarge, FetchFailed
from oryn.research.fetching import bodies
from oryn.research.fetching.cache import PageCache
from oryn.research.fetching.decoding import charset_of
from oryn.research.fetching.entries import Entry
from oryn.research.fetching.failures import FOREIGN, refusal
from oryn.research.fetching.freshness import lifetime, may_be_kept
from oryn.research.fetching.media import kind_of
from oryn.research.fetching.steps import Step

if TYPE_CHECKING:
    from oryn.research.fetching.fetcher import Fetcher

Sent = Callable[[], Awaitable[None]]

ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,application/pdf;q=0.9,text/*;q=0.8,*/*;q=0.5"
REDIRECTS = frozenset({301, 302, 303, 307, 308})
LASTING = frozenset({301, 308})
PASSED_OVER = 64 * 2**10
"""Bytes of a body that nobody wants which are read nevertheless, to keep the connection."""
PASSING = 2.0
"""Seconds for that."""


class Walk:
    """One fetch. Cookies live as long as it does: some pages redirect until they get theirs back."""

    def __init__(
        self,
        fetcher: Fetcher,
        step: Step,
        cache: PageCache | None,
        *,
        fresh: bool,
        conditional: bool,
        follow: bool,
        sent: Sent | None,
    ) -> None:
        self._fetcher = fetcher
        self._options = fetcher.options
        self._step = step
        self._asked = step.address
        self._cache = cache
        self._fresh = fresh
        self._conditional = conditional
        self._follow = follow
        self._sent = sent
        self._cookies = httpx.Cookies()
        self._connected = False
        """Whether the last request made a connection of its own."""
        self._lasts: float | None = None
        """Seconds for which the redirects so far are good; None where nothing says less than the page itself."""

    @property
    def address(self) -> str:
        """Where the walk is."""
        return self._step.address

    async def page(self) -> Page:
        seen: set[tuple[str, str]] = set()
        for _ in range(self._options.redirects + 1):
            self._fetcher.permit(self._step.url)
            known = await self._known()
            if known is not None and known.is_fresh and not self._fresh:
                page = await self._fetcher.cached(self._asked, known, "it is still fresh")
                if page is not None:
                    return page
            request = self._request(known)
            this = (self.address, request.headers.get("cookie", ""))
            if this in seen:
                raise FetchFailed(f"{shown(self._asked)} leads back to {shown(self.address)} again and again")
            seen.add(this)
            response = await self._answer(request)
            try:
                self._cookies.extract_cookies(response)
                if not (self._follow and response.status_code in REDIRECTS):
                    return await self._ended(response, known)
                await self._turn(response)
            finally:
                await response.aclose()
        most = self._options.redirects
        raise FetchFailed(f"{shown(self._asked)} leads on and on: more than {most} redirects")

    async def _known(self) -> Entry | None:
        """What the cache has of this step."""
        if self._cache is None:
            return None
        known = await asyncio.to_thread(self._cache.find, self.address)
        return known if known is not None and (self._follow or known.url == self.address) else None

    def _request(self, known: Entry | None) -> httpx.Request:
        headers = {
            "User-Agent": self._options.user_agent,
            "Accept": ACCEPT,
            "Accept-Encoding": bodies.ACCEPTED,
            "Connection": "keep-alive",
        }
        if known is not None and self._may_ask_about(known):
            validators = {"If-None-Match": known.etag, "If-Modified-Since": known.modified}
            headers |= {name: value for name, value in validators.items() if value}
        times = self._options
        limits = {"connect": times.connecting, "read": times.silence, "write": times.silence, "pool": times.timeout}
        told = {"timeout": limits, "trace": self._traced}
        request = httpx.Request("GET", self._step.url, headers=headers | dict(self._step.own), extensions=told)
        self._cookies.set_cookie_header(request)
        return request

    async def _answer(self, request: httpx.Request) -> httpx.Response:
        """The head of the answer. A server may end an idle connection just when it is used again; as browsers do, we
        ask once more then (RFC 9112 §9.3.1), unless somebody watches when requests leave."""
        self._connected = False
        try:
            return await self._fetcher.transport.handle_async_request(request)
        except (httpcore.RemoteProtocolError, httpcore.NetworkError):
            if self._connected or self._sent is not None:
                raise
        return await self._fetcher.transport.handle_async_request(request)

    async def _traced(self, event: str, told: Mapping[str, Any]) -> None:
        """What httpcore tells while it works (https://www.encode.io/httpcore/extensions/#trace)."""
        if event == "connection.connect_tcp.started":
            self._connected = True
        if self._sent is not None and event.endswith("http11.send_request_headers.started"):
            await self._sent()

    def _may_ask_about(self, known: Entry) -> bool:
        allowed = known.public or self._options.allow_private
        return self._conditional and allowed and known.url == self.address

    async def _turn(self, response: httpx.Response) -> None:
        """Go where a redirect leads."""
        location = response.headers.get("location")
        if not location:
            status = response.status_code
            raise FetchFailed(f"{shown(self.address)} answers HTTP {status} without saying where to", status=status)
        good = lifetime(response.headers, datetime.now(UTC)) if may_be_kept(response.headers) else 0.0
        if good is None and response.status_code not in LASTING:
            good = 0.0
        self._lasts = min((each for each in (self._lasts, good) if each is not None), default=None)
        await _pass_over(response)
        self._step = self._step.to(location)

    async def _ended(self, response: httpx.Response, known: Entry | None) -> Page:
        """The page that an answer is. Raises `FetchFailed` of a status that is an error."""
        status = response.status_code
        if status == 304 and known is not None and self._cache is not None:
            return await self._unchanged(known, response)
        if status >= 400:
            await _pass_over(response)
            raise refusal(self.address, status, response.headers)
        if status in REDIRECTS:
            await _pass_over(response)
            return self._entry(response, b"").page(b"", self._asked, source="http")
        if status >= 300:
            raise FetchFailed(f"{shown(self.address)} answers HTTP {status}, which is no page", status=status)
        body = await bodies.read(
            response.stream,  # type: ignore[arg-type]  # the bytes as they come
            encoding=response.headers.get("content-encoding", ""),
            length=_length(response),
            most=self._options.max_body,
            url=shown(self.address),
        )
        entry = await asyncio.to_thread(self._entry, response, body)  # guessing a charset takes its time
        if self._cache is not None and status == 200:
            if may_be_kept(response.headers):
                await asyncio.to_thread(self._cache.put, entry, body, self._asked, self._lasts)
            else:
                await asyncio.to_thread(self._cache.forget, self.address)
        return entry.page(body, self._asked, source="http")

    async def _unchanged(self, known: Entry, response: httpx.Response) -> Page:
        """After a 304. A body that was lost meanwhile is asked for again."""
        assert self._cache is not None
        await _pass_over(response)
        entry = known.confirmed(response.headers)
        page = await self._fetcher.cached(self._asked, entry, "it has not changed")
        if page is None:
            self._conditional = False
            return await self._again(self._request(None))
        await asyncio.to_thread(self._cache.put, entry, page.body, self._asked, self._lasts)
        return page

    async def _again(self, request: httpx.Request) -> Page:
        response = await self._answer(request)
        try:
            return await self._ended(response, None)
        finally:
            await response.aclose()

    def _entry(self, response: httpx.Response, body: bytes) -> Entry:
        content_type = response.headers.get("content-type", "")
        kind = kind_of(content_type, body)
        text = kind in ("html", "text")
        return Entry.of(
            self.address,
            response,
            sha256=hashlib.sha256(body).hexdigest(),
            charset=charset_of(body, content_type, html=kind == "html" or b"<?xml" in body[:100]) if text else "",
        )


def _length(response: httpx.Response) -> int | None:
    length = response.headers.get("content-length", "")
    return int(length) if length.isascii() and length.isdigit() else None


async def _pass_over(response: httpx.Response) -> None:
    """Read what nobody wants, where that is little and comes at once; else the connection ends."""
    length = _length(response)
    with suppress(BodyTooLarge, TimeoutError, *FOREIGN):
        async with asyncio.timeout(PASSING):
            await bodies.read(response.stream, encoding="", length=length, most=PASSED_OVER, url="")  # type: ignore[arg-type]
