"""`TabRenderer`: renders pages in a tab of the requester's browser, which is at the other end of the process's pipes.

A browser follows whatever its pages load. Unless private networks are allowed, it gets a proxy of this process as
its only way out, which connects to nothing that plain fetching would not connect to (`fetching.forward_proxy`)."""

from __future__ import annotations

from asyncio import Lock
from contextvars import ContextVar
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from oryn.core.urls import DomainPolicy
from oryn.errors import AddressNotAllowed, FetchFailed, OrynError
from oryn.research.fetching.address_policy import non_public_host_reason, non_public_reason, parse_ip_literal
from oryn.research.fetching.forward_proxy import ForwardProxy
from oryn.research.fetching.pinned_connect import not_allowed, resolve
from oryn.research.fetching.upstream_proxy import UpstreamProxy
from oryn.research.options import ResearchOptions
from oryn.research.process.request import ResearchRequest

CURRENT_REQUEST: ContextVar[ResearchRequest] = ContextVar("CURRENT_REQUEST")
"""The request of the current task."""


class TabRenderer:
    """Implements `Renderer` for the current request."""

    def __init__(self) -> None:
        self._proxies: WeakKeyDictionary[ResearchRequest, tuple[ForwardProxy, str]] = WeakKeyDictionary()
        """The proxy of each request, and its URL."""
        self._start_lock = Lock()

    async def render(self, url: str) -> tuple[str, str]:
        """The final URL and the HTML of a page in the requester's browser. Raises `AddressNotAllowed`, `FetchFailed`,
        and the errors of the browser."""
        request = CURRENT_REQUEST.get()
        if request.options.allow_private:
            return _require_web_url(url, *await request.render(url))
        await check_url(url)
        proxy, through = await self._proxy_for(request)
        before = dict(proxy.refused)
        try:
            found, html = _require_web_url(url, *await request.render(url, through))
        except OrynError as error:
            refused = [why for place, why in proxy.refused.items() if before.get(place) is not why]
            if refused and isinstance(refused[-1], AddressNotAllowed):
                raise refused[
                    -1
                ] from error  # what the page was to be is not to be had, whatever the browser made of it
            raise
        if found != url:
            await check_url(found)
        return found, html

    async def _proxy_for(self, request: ResearchRequest) -> tuple[ForwardProxy, str]:
        async with self._start_lock:
            if request not in self._proxies:
                proxy = forward_proxy(request.options)
                self._proxies[request] = proxy, await request.exit_stack.enter_async_context(proxy.serving())
            return self._proxies[request]


def forward_proxy(options: ResearchOptions) -> ForwardProxy:
    """The proxy for a browser, by the options of a request."""
    return ForwardProxy(
        allow_private=options.allow_private,
        domains=DomainPolicy.of(options.allowed_domains, options.denied_domains),
        upstream=UpstreamProxy(options.browser_proxy, options.browser_proxy_bypass),
    )


def _require_web_url(url: str, found: str, html: str) -> tuple[str, str]:
    if urlsplit(found).scheme not in ("http", "https"):
        raise FetchFailed(f"{url} led the browser to an address that is not a web page")
    return found, html


async def check_url(url: str) -> None:
    """Raise `AddressNotAllowed` if the host of `url` is not on the public internet. A host that can't be resolved
    passes: the browser reports it."""
    host = urlsplit(url).hostname or ""
    if what := non_public_host_reason(host):
        raise not_allowed(host, what)
    if parse_ip_literal(host) is None:
        try:
            addresses = await resolve(host, 443)
        except OSError:
            return
        if what := next(filter(None, map(non_public_reason, addresses)), ""):
            raise not_allowed(host, what)
