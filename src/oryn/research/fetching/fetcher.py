"""`Fetcher`: pages from servers, or from the cache where that knows that they have not changed.

A fetch is a walk: each step is looked at (scheme, the user's domains, the host) before anything is asked, and its
address when the connection is made (`connecting`). Redirects are steps of ours; httpx and httpcore follow none.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping
from types import TracebackType
from typing import Self

import httpcore
import httpx

from oryn.domains import Domains
from oryn.engine.escape import url as shown
from oryn.errors import DomainNotAllowed
from oryn.research.documents import Page
from oryn.research.failures import FetchFailed
from oryn.research.fetching.addresses import name_objection
from oryn.research.fetching.cache import PageCache
from oryn.research.fetching.connecting import Resolve, not_allowed, resolve
from oryn.research.fetching.entries import Entry
from oryn.research.fetching.failures import FOREIGN, failure
from oryn.research.fetching.options import FetchOptions
from oryn.research.fetching.steps import Step, host_of
from oryn.research.fetching.transport import Transport
from oryn.research.fetching.walking import Sent, Walk


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
        sent: Sent | None = None,
    ) -> Page:
        """The page at `url`. What fails is not tried again, save on a kept connection that had ended meanwhile.

        `fresh`: the server is asked also where the cache's page is still good. `conditional`: it is asked whether the
        page has changed, where the cache has one. `follow=False` returns a redirect (its `status`, its `headers` with
        `location`, no body) instead of following it. With `headers` of one's own, which are sent to the origin of `url`
        alone, nothing is taken from the cache nor put into it. `sent` is awaited when a request is about to leave, over
        a connection that stands: at each step, and no request leaves without it.

        Raises `FetchFailed` (with `status`, `again`, `wait`), `AddressNotAllowed`, `BodyTooLarge`,
        `DomainNotAllowed`."""
        step = Step.of(url, headers)
        cache = None if step.own else self.cache
        walk = Walk(self, step, cache, fresh=fresh, conditional=conditional, follow=follow, sent=sent)
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
        if url.scheme not in ("http", "https") or not url.raw_host:
            raise FetchFailed(f"{shown(str(url))} is no page of the web", "A URL begins with https:// or http://.")
        if (refused := self._domains.refusal(str(url))) is not None:
            raise DomainNotAllowed(str(refused))
        if not self.options.allow_private and (what := name_objection(host_of(url))):
            raise not_allowed(host_of(url), what)
