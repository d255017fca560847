"""`TabRenderer`: a tab in the browser of whoever has asked a worker, who is at the other end of its pipes.

A browser goes wherever its pages want. If private networks are not allowed, it gets a proxy of the worker's own as its
only way out, which connects it to nothing that plain fetching would not be connected to (`fetching.forward_proxy`)."""

from __future__ import annotations

from asyncio import Lock
from contextvars import ContextVar
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from oryn.domains import Domains
from oryn.errors import OrynError
from oryn.research.asked import Asked
from oryn.research.failures import AddressNotAllowed, FetchFailed
from oryn.research.fetching.addresses import literal, name_objection, objection
from oryn.research.fetching.connecting import not_allowed, resolve
from oryn.research.fetching.forward_proxy import ForwardProxy
from oryn.research.fetching.upstream import Upstream
from oryn.research.options import ResearchOptions

ASKED: ContextVar[Asked] = ContextVar("ASKED")
"""The request that the current task works for."""


class TabRenderer:
    """A `Renderer`."""

    def __init__(self) -> None:
        self._ways: WeakKeyDictionary[Asked, tuple[ForwardProxy, str]] = WeakKeyDictionary()
        """The proxy of each request, and its URL."""
        self._beginning = Lock()

    async def render(self, url: str) -> tuple[str, str]:
        """Raises `AddressNotAllowed`, `FetchFailed`, and what the browser can't do."""
        asked = ASKED.get()
        if asked.options.allow_private:
            return _of_the_web(url, *await asked.render(url))
        await check(url)
        proxy, through = await self._way(asked)
        before = dict(proxy.refused)
        try:
            found, html = _of_the_web(url, *await asked.render(url, through))
        except OrynError as error:
            refused = [why for place, why in proxy.refused.items() if before.get(place) is not why]
            if refused and isinstance(refused[-1], AddressNotAllowed):
                raise refused[
                    -1
                ] from error  # what the page was to be is not to be had, whatever the browser made of it
            raise
        if found != url:
            await check(found)
        return found, html

    async def _way(self, asked: Asked) -> tuple[ForwardProxy, str]:
        async with self._beginning:
            if asked not in self._ways:
                proxy = forward_proxy(asked.options)
                self._ways[asked] = proxy, await asked.until_done.enter_async_context(proxy.serving())
            return self._ways[asked]


def forward_proxy(options: ResearchOptions) -> ForwardProxy:
    """As a request's options want it."""
    return ForwardProxy(
        allow_private=options.allow_private,
        domains=Domains.of(options.allowed_domains, options.denied_domains),
        upstream=Upstream(options.browser_proxy, options.browser_proxy_bypass),
    )


def _of_the_web(url: str, found: str, html: str) -> tuple[str, str]:
    if urlsplit(found).scheme not in ("http", "https"):
        raise FetchFailed(f"{url} led the browser to what is no page of the web")
    return found, html


async def check(url: str) -> None:
    """Raises `AddressNotAllowed` for a URL that leads to what is not the public internet. One whose host nobody knows
    passes: the browser says so."""
    host = urlsplit(url).hostname or ""
    if what := name_objection(host):
        raise not_allowed(host, what)
    if literal(host) is None:
        try:
            addresses = await resolve(host, 443)
        except OSError:
            return
        if what := next(filter(None, map(objection, addresses)), ""):
            raise not_allowed(host, what)
