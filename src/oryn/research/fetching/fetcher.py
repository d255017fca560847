"""`Fetcher`: pages from servers, or from the cache if that knows that they have not changed.

A `FetchOperation` follows the redirects of one fetch: each URL is checked (scheme, the user's domains, the host)
before it is requested, and its address when the connection is made (`pinned_connect`). httpx and httpcore follow
no redirects."""

from __future__ import annotations

import asyncio
import hashlib
import ssl
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Self

import httpcore
import httpx

from oryn.core.text_safety import url as display_url
from oryn.core.urls import DomainPolicy
from oryn.errors import BodyTooLarge, DomainNotAllowed, FetchFailed
from oryn.research.documents import FetchedPage
from oryn.research.fetching import bodies
from oryn.research.fetching.address_policy import non_public_host_reason
from oryn.research.fetching.cache import PageCache
from oryn.research.fetching.cache_entry import CacheEntry, is_storable, lifetime
from oryn.research.fetching.charset import charset_of
from oryn.research.fetching.content_type import kind_of
from oryn.research.fetching.error_mapping import HTTP_ERRORS, map_error, status_error
from oryn.research.fetching.pinned_connect import Resolve, not_allowed, resolve
from oryn.research.fetching.request import USER_AGENT, FetchOptions, FetchStep, OnSend, host_of
from oryn.research.fetching.transport import HttpTransport
from oryn.research.options import ResearchOptions
from oryn.system import paths

ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,application/pdf;q=0.9,text/*;q=0.8,*/*;q=0.5"
REDIRECT_STATUSES = frozenset({301, 302, 303, 307, 308})
PERMANENT_REDIRECTS = frozenset({301, 308})
MAX_DRAIN_BYTES = 64 * 2**10
"""The size of a body that is read although it is not needed, to reuse the connection."""
DRAIN_SECONDS = 2.0
"""The time for that."""
MEGABYTE = 2**20


class FetchOperation:
    """One fetch with its redirects. Cookies live as long as it does: some pages redirect until they get theirs back."""

    def __init__(
        self,
        fetcher: Fetcher,
        step: FetchStep,
        cache: PageCache | None,
        *,
        fresh: bool,
        conditional: bool,
        follow: bool,
        sent: OnSend | None,
    ) -> None:
        self._fetcher = fetcher
        self._options = fetcher.options
        self._step = step
        self._requested_url = step.address
        self._cache = cache
        self._fresh = fresh
        self._conditional = conditional
        self._follow = follow
        self._sent = sent
        self._cookies = httpx.Cookies()
        self._connected = False
        """Whether the last request has opened a connection."""
        self._redirect_lifetime: float | None = None
        """The seconds for which the redirects until now are fresh; None if no redirect limits that."""

    @property
    def address(self) -> str:
        """The URL of the current step."""
        return self._step.address

    async def page(self) -> FetchedPage:
        """Fetch the page. Raises as `Fetcher.fetch`, and `HTTP_ERRORS`; `FetchFailed` also for redirects that repeat or
        are too many."""
        seen: set[tuple[str, str]] = set()
        for _ in range(self._options.redirects + 1):
            self._fetcher.permit(self._step.url)
            cached_entry = await self._cached_entry()
            if cached_entry is not None and cached_entry.is_fresh and not self._fresh:
                page = await self._fetcher.cached(self._requested_url, cached_entry, "it is still fresh")
                if page is not None:
                    return page
            request = self._request(cached_entry)
            this = (self.address, request.headers.get("cookie", ""))
            if this in seen:
                raise FetchFailed(
                    f"{display_url(self._requested_url)} leads back to {display_url(self.address)} again and again"
                )
            seen.add(this)
            response = await self._answer(request)
            try:
                self._cookies.extract_cookies(response)
                if not (self._follow and response.status_code in REDIRECT_STATUSES):
                    return await self._finish(response, cached_entry)
                await self._redirect(response)
            finally:
                await response.aclose()
        max_redirects = self._options.redirects
        raise FetchFailed(f"{display_url(self._requested_url)} leads on and on: more than {max_redirects} redirects")

    async def _cached_entry(self) -> CacheEntry | None:
        """The cache entry of the current step."""
        if self._cache is None:
            return None
        cached_entry = await asyncio.to_thread(self._cache.find, self.address)
        return cached_entry if cached_entry is not None and (self._follow or cached_entry.url == self.address) else None

    def _request(self, cached_entry: CacheEntry | None) -> httpx.Request:
        headers = {
            "User-Agent": self._options.user_agent,
            "Accept": ACCEPT,
            "Accept-Encoding": bodies.ACCEPT_ENCODING,
            "Connection": "keep-alive",
        }
        if cached_entry is not None and self._may_revalidate(cached_entry):
            validators = {"If-None-Match": cached_entry.etag, "If-Modified-Since": cached_entry.modified}
            headers |= {name: value for name, value in validators.items() if value}
        times = self._options
        limits = {"connect": times.connecting, "read": times.silence, "write": times.silence, "pool": times.timeout}
        extensions = {"timeout": limits, "trace": self._on_trace}
        request = httpx.Request("GET", self._step.url, headers=headers | dict(self._step.own), extensions=extensions)
        self._cookies.set_cookie_header(request)
        return request

    async def _answer(self, request: httpx.Request) -> httpx.Response:
        """The response without its body. A server may close an idle connection just when it is used again; as browsers
        do, the request is sent once more then (RFC 9112 §9.3.1), unless the caller counts requests (`sent`)."""
        self._connected = False
        try:
            return await self._fetcher.transport.handle_async_request(request)
        except (httpcore.RemoteProtocolError, httpcore.NetworkError):
            if self._connected or self._sent is not None:
                raise
        return await self._fetcher.transport.handle_async_request(request)

    async def _on_trace(self, event: str, info: Mapping[str, Any]) -> None:
        """An event of httpcore (https://www.encode.io/httpcore/extensions/#trace)."""
        if event == "connection.connect_tcp.started":
            self._connected = True
        if self._sent is not None and event.endswith("http11.send_request_headers.started"):
            await self._sent()

    def _may_revalidate(self, cached_entry: CacheEntry) -> bool:
        allowed = cached_entry.public or self._options.allow_private
        return self._conditional and allowed and cached_entry.url == self.address

    async def _redirect(self, response: httpx.Response) -> None:
        """Follow a redirect."""
        location = response.headers.get("location")
        if not location:
            status = response.status_code
            raise FetchFailed(
                f"{display_url(self.address)} answers HTTP {status} without saying where to", status=status
            )
        good = lifetime(response.headers, datetime.now(UTC)) if is_storable(response.headers) else 0.0
        if good is None and response.status_code not in PERMANENT_REDIRECTS:
            good = 0.0
        self._redirect_lifetime = min(
            (each for each in (self._redirect_lifetime, good) if each is not None), default=None
        )
        await _drain(response)
        self._step = self._step.to(location)

    async def _finish(self, response: httpx.Response, cached_entry: CacheEntry | None) -> FetchedPage:
        """The page of a response. Raises `FetchFailed` if its status is an error."""
        status = response.status_code
        if status == 304 and cached_entry is not None and self._cache is not None:
            return await self._unchanged(cached_entry, response)
        if status >= 400:
            await _drain(response)
            raise status_error(self.address, status, response.headers)
        if status in REDIRECT_STATUSES:
            await _drain(response)
            return self._entry(response, b"").page(b"", self._requested_url, source="http")
        if status >= 300:
            raise FetchFailed(f"{display_url(self.address)} answers HTTP {status}, which is not a page", status=status)
        body = await bodies.read_body(
            response.stream,  # type: ignore[arg-type]  # the bytes as they come
            encoding=response.headers.get("content-encoding", ""),
            length=_length(response),
            limit=self._options.max_body,
            url=display_url(self.address),
        )
        entry = await asyncio.to_thread(self._entry, response, body)  # guessing a charset takes its time
        if self._cache is not None and status == 200:
            if is_storable(response.headers):
                await asyncio.to_thread(self._cache.put, entry, body, self._requested_url, self._redirect_lifetime)
            else:
                await asyncio.to_thread(self._cache.forget, self.address)
        return entry.page(body, self._requested_url, source="http")

    async def _unchanged(self, cached_entry: CacheEntry, response: httpx.Response) -> FetchedPage:
        """The page after a 304. If its body was lost meanwhile, it is requested again."""
        assert self._cache is not None
        await _drain(response)
        entry = cached_entry.revalidated(response.headers)
        page = await self._fetcher.cached(self._requested_url, entry, "it has not changed")
        if page is None:
            self._conditional = False
            return await self._refetch(self._request(None))
        await asyncio.to_thread(self._cache.put, entry, page.body, self._requested_url, self._redirect_lifetime)
        return page

    async def _refetch(self, request: httpx.Request) -> FetchedPage:
        response = await self._answer(request)
        try:
            return await self._finish(response, None)
        finally:
            await response.aclose()

    def _entry(self, response: httpx.Response, body: bytes) -> CacheEntry:
        content_type = response.headers.get("content-type", "")
        kind = kind_of(content_type, body)
        text = kind in ("html", "text")
        return CacheEntry.of(
            self.address,
            response,
            sha256=hashlib.sha256(body).hexdigest(),
            charset=charset_of(body, content_type, html=kind == "html" or b"<?xml" in body[:100]) if text else "",
        )


def _length(response: httpx.Response) -> int | None:
    length = response.headers.get("content-length", "")
    return int(length) if length.isascii() and length.isdigit() else None


async def _drain(response: httpx.Response) -> None:
    """Read a body that is not needed if it is small and comes at once; otherwise the connection ends."""
    length = _length(response)
    with suppress(BodyTooLarge, TimeoutError, *HTTP_ERRORS):
        async with asyncio.timeout(DRAIN_SECONDS):
            await bodies.read_body(response.stream, encoding="", length=length, limit=MAX_DRAIN_BYTES, url="")  # type: ignore[arg-type]


class Fetcher:
    """Fetches pages with GET, many at a time. An asynchronous context manager; `close` ends its connections.

    `domains` are the user's rules for hosts. `proxies`, `resolve`, `network` and `tls` are those of `HttpTransport`."""

    def __init__(
        self,
        options: FetchOptions = FetchOptions(),  # noqa: B008 - frozen
        *,
        cache: PageCache | None = None,
        domains: DomainPolicy | None = None,
        proxies: Mapping[str, str] | None = None,
        resolve: Resolve = resolve,
        network: httpcore.AsyncNetworkBackend | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.options = options
        self.cache = cache
        self._domains = domains or DomainPolicy()
        self.transport = HttpTransport(options, proxies=proxies, resolve=resolve, network=network, tls=tls)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections and the cache."""
        await self.transport.aclose()
        if self.cache is not None:
            await asyncio.to_thread(self.cache.close)

    async def fetch(
        self,
        url: str,
        *,
        fresh: bool = False,
        conditional: bool = True,
        follow: bool = True,
        headers: Mapping[str, str] | None = None,
        sent: OnSend | None = None,
    ) -> FetchedPage:
        """The page at `url`. A failed request is not repeated, except on a reused connection that had ended meanwhile.

        `fresh`: request the page even if the cached one is still fresh. `conditional`: only ask whether the page has
        changed if the cache has it. `follow=False` returns a redirect (its `status`, its `headers` with `location`, no
        body) instead of following it. With `headers`, which are sent to the origin of `url` alone, the cache is not
        used. `sent` is awaited at each step when a request is about to leave, over an open connection; no request
        leaves before it returns.

        Raises `FetchFailed` (with `status`, `again`, `wait`), `AddressNotAllowed`, `BodyTooLarge`,
        `DomainNotAllowed`."""
        step = FetchStep.of(url, headers)
        cache = None if step.own else self.cache
        operation = FetchOperation(self, step, cache, fresh=fresh, conditional=conditional, follow=follow, sent=sent)
        try:
            async with asyncio.timeout(self.options.timeout):
                return await operation.page()
        except TimeoutError:
            late = f"{display_url(step.address)} has not come within {self.options.timeout:g} s"
            raise FetchFailed(late, again=True) from None
        except HTTP_ERRORS as error:
            raise map_error(error, operation.address) from error

    async def check(self, url: str) -> None:
        """Check whether `url` may be fetched, without requesting it: for what a browser fetches instead. Raises as
        `fetch` does."""
        step = FetchStep.of(url)
        self.permit(step.url)
        try:
            await self.transport.check(step.url)
        except HTTP_ERRORS as error:
            raise map_error(error, step.address) from error

    async def cached(self, requested: str, entry: CacheEntry, why: str) -> FetchedPage | None:
        """The page of a cache entry; None if the rules of this fetcher do not allow it (it may have been fetched under
        others), or if its body is lost."""
        allowed = (entry.public or self.options.allow_private) and self._domains.refusal(entry.url) is None
        if not allowed or self.cache is None:
            return None
        body = await asyncio.to_thread(self.cache.body, entry)
        return None if body is None else entry.page(body, requested, why)

    def permit(self, url: httpx.URL) -> None:
        """Raise `FetchFailed`, `DomainNotAllowed` or `AddressNotAllowed` if `url` must not be requested, as far as the
        URL shows."""
        if url.scheme not in ("http", "https") or not url.raw_host:
            raise FetchFailed(
                f"{display_url(str(url))} is not a page of the web", "A URL begins with https:// or http://."
            )
        if (refused := self._domains.refusal(str(url))) is not None:
            raise DomainNotAllowed(str(refused))
        if not self.options.allow_private and (what := non_public_host_reason(host_of(url))):
            raise not_allowed(host_of(url), what)


def open_fetcher(options: ResearchOptions) -> Fetcher:
    """A fetcher with the limits, the domain rules and the page cache of `options`. Creates the folder of the cache if
    it does not exist; this and the TLS context block for some milliseconds."""
    return Fetcher(
        FetchOptions(
            user_agent=options.user_agent or USER_AGENT,
            allow_private=options.allow_private,
            max_body=options.max_body * MEGABYTE,
            timeout=options.fetch_timeout,
        ),
        cache=PageCache(paths.private_folder(options.page_cache or paths.find().pages)),
        domains=DomainPolicy.of(options.allowed_domains, options.denied_domains),
    )
