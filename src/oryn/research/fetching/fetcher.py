"""`Fetcher`: pages from servers, or from the cache where that knows that they have not changed.

A fetch is a walk: each step is looked at (scheme, the user's domains, the host) before anything is asked, and its
address when the connection is made (`connecting`). Redirects are steps of ours; httpx and httpcore follow none.
"""

from __future__ import annotations

import asyncio
import hashlib
import ssl
from base64 import b64encode
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from types import TracebackType
from typing import Self

import httpcore
import httpx

from oryn.domains import Domains
from oryn.engine.escape import url as shown
from oryn.errors import DomainNotAllowed
from oryn.records import Record
from oryn.research.documents import Page
from oryn.research.failures import BodyTooLarge, FetchFailed
from oryn.research.fetching import bodies
from oryn.research.fetching.addresses import name_objection
from oryn.research.fetching.cache import PageCache
from oryn.research.fetching.connecting import Resolve, not_allowed, resolve
from oryn.research.fetching.decoding import charset_of
from oryn.research.fetching.entries import Entry
from oryn.research.fetching.failures import FOREIGN, failure, refusal
from oryn.research.fetching.freshness import lifetime, may_be_kept
from oryn.research.fetching.media import kind_of
from oryn.research.fetching.options import FetchOptions
from oryn.research.fetching.transport import Transport

ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,application/pdf;q=0.9,text/*;q=0.8,*/*;q=0.5"
REDIRECTS = frozenset({301, 302, 303, 307, 308})
LASTING = frozenset({301, 308})
PASSED_OVER = 64 * 2**10
"""Bytes of a body that nobody wants which are read nevertheless, to keep the connection."""


class Fetcher:
    """Fetches pages with GET, many at a time. An asynchronous context manager; `close` ends its connections.

    `domains` are the user's rules over hosts. `proxies`, `resolve`, `network` and `tls` are those of `Transport`."""

    def __init__(
        self,
        options: FetchOptions = FetchOptions(),  # noqa: B008 - frozen
        *,
        cache: PageCache | None = None,
        domains: Domains | None = None,
        proxies: Mapping[str, str] | None = None,
        resolve: Resolve = resolve,
        network: httpcore.AsyncNetworkBackend | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.options = options
        self.cache = cache
        self._domains = domains or Domains()
        self.transport = Transport(options, proxies=proxies, resolve=resolve, network=network, tls=tls)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """End its connections, and let go of the cache."""
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
    ) -> Page:
        """The page at `url`, at most once asked for from its server and never tried again.

        `fresh`: the server is asked also where the cache's page is still good. `conditional`: it is asked whether the
        page has changed, where the cache has one. `follow=False` returns a redirect (its `status`, its `headers` with
        `location`, no body) instead of following it. With `headers` of one's own, which are sent to the origin of `url`
        alone, nothing is taken from the cache nor put into it.

        Raises `FetchFailed` (with `status`, `again`, `wait`), `AddressNotAllowed`, `BodyTooLarge`,
        `DomainNotAllowed`."""
        step = Step.of(url, headers)
        cache = None if step.own else self.cache
        walk = Walk(self, step, cache, fresh=fresh, conditional=conditional, follow=follow)
        try:
            async with asyncio.timeout(self.options.timeout):
                return await walk.page()
        except TimeoutError:
            late = f"{shown(step.address)} has not come within {self.options.timeout:g} s"
            raise FetchFailed(late, again=True) from None
        except FOREIGN as error:
            raise failure(error, walk.address) from error

    async def look(self, url: str) -> None:
        """Whether `url` might be fetched, without asking its server: for what a browser fetches instead. Raises as
        `fetch` does."""
        step = Step.of(url)
        self.permit(step.url)
        try:
            await self.transport.look(step.url)
        except FOREIGN as error:
            raise failure(error, step.address) from error

    async def cached(self, asked: str, entry: Entry, why: str) -> Page | None:
        """The page of an entry, where it may be shown: what was fetched under other rules may be what these don't let
        us have; and where its body is still whole."""
        allowed = (entry.public or self.options.allow_private) and self._domains.refusal(entry.url) is None
        if not allowed or self.cache is None:
            return None
        body = await asyncio.to_thread(self.cache.body, entry)
        return None if body is None else entry.page(body, asked, why)

    def permit(self, url: httpx.URL) -> None:
        """Raises where nothing may be asked of `url`, as far as it shows."""
        if url.scheme not in ("http", "https") or not url.host:
            raise FetchFailed(f"{shown(str(url))} is no page of the web", "A URL begins with https:// or http://.")
        if (refused := self._domains.refusal(str(url))) is not None:
            raise DomainNotAllowed(str(refused))
        if not self.options.allow_private and (what := name_objection(url.host)):
            raise not_allowed(url.host, what)


class Step(Record):
    """One request of a walk. `own` are headers that only this origin may see."""

    url: httpx.URL
    own: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, text: str, headers: Mapping[str, str] | None = None) -> Step:
        """Of a URL as somebody wrote it. What it has for a login becomes a header; neither it nor the fragment is in
        `url`. Raises `FetchFailed`."""
        try:
            url = _checked(httpx.URL(text.strip()))
        except httpx.InvalidURL as error:
            raise FetchFailed(f"{shown(text)} is no URL: {error}", "A URL begins with https:// or http://.") from error
        own = dict(headers or {})
        if url.userinfo:
            own["Authorization"] = f"Basic {b64encode(f'{url.username}:{url.password}'.encode()).decode()}"
        return cls(url.copy_with(userinfo=b"", fragment=None), tuple(own.items()))

    @property
    def address(self) -> str:
        return str(self.url)

    def to(self, location: str) -> Step:
        """Where a redirect leads: nothing is taken there that is another origin's. Raises `FetchFailed`."""
        try:
            url = _checked(self.url.join(location))
        except httpx.InvalidURL as error:
            raise FetchFailed(f"{shown(self.address)} leads to {shown(location)}, which is no URL") from error
        url = url.copy_with(userinfo=b"", fragment=None)
        stays = (url.scheme, url.host, url.port) == (self.url.scheme, self.url.host, self.url.port)
        return Step(url, self.own if stays else ())


class Walk:
    """One fetch. Cookies live as long as it does: some pages redirect until they get theirs back."""

    def __init__(
        self, fetcher: Fetcher, step: Step, cache: PageCache | None, *, fresh: bool, conditional: bool, follow: bool
    ) -> None:
        self._fetcher = fetcher
        self._options = fetcher.options
        self._step = step
        self._asked = step.address
        self._cache = cache
        self._fresh = fresh
        self._conditional = conditional
        self._follow = follow
        self._cookies = httpx.Cookies()
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
            response = await self._fetcher.transport.handle_async_request(request)
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
        request = httpx.Request(
            "GET", self._step.url, headers=headers | dict(self._step.own), extensions={"timeout": limits}
        )
        self._cookies.set_cookie_header(request)
        return request

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
        entry = self._entry(response, body)
        if self._cache is not None and status == 200:
            if may_be_kept(response.headers):
                await asyncio.to_thread(self._cache.put, entry, body, self._asked, self._lasts)
            else:
                await asyncio.to_thread(self._cache.forget, self.address)
        return entry.page(body, self._asked, source="http")

    async def _unchanged(self, known: Entry, response: httpx.Response) -> Page:
        """After a 304. A body that was lost meanwhile is asked for again."""
        assert self._cache is not None
        entry = known.confirmed(response.headers)
        page = await self._fetcher.cached(self._asked, entry, "it has not changed")
        if page is None:
            self._conditional = False
            return await self._again(self._request(None))
        await asyncio.to_thread(self._cache.put, entry, page.body, self._asked, self._lasts)
        return page

    async def _again(self, request: httpx.Request) -> Page:
        response = await self._fetcher.transport.handle_async_request(request)
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


def _checked(url: httpx.URL) -> httpx.URL:
    """httpx takes hosts and ports that no URL has (https://url.spec.whatwg.org/#forbidden-domain-code-point)."""
    if b"%" in url.raw_host or not 0 <= (url.port or 0) < 65_536:
        raise httpx.InvalidURL("its host or its port can't be one")
    return url


def _length(response: httpx.Response) -> int | None:
    length = response.headers.get("content-length", "")
    return int(length) if length.isascii() and length.isdigit() else None


async def _pass_over(response: httpx.Response) -> None:
    with suppress(BodyTooLarge):
        length = _length(response)
        await bodies.read(response.stream, encoding="", length=length, most=PASSED_OVER, url="")  # type: ignore[arg-type]
