"""`TabRenderer`: a tab in the browser of whoever has asked a worker, who is at the other end of its pipes.

A browser goes wherever its pages want. Where private networks are not allowed, what it tells of one is not taken."""

from __future__ import annotations

from contextvars import ContextVar
from urllib.parse import urlsplit

from oryn.research.asked import Asked
from oryn.research.failures import FetchFailed
from oryn.research.fetching.addresses import literal, name_objection, objection
from oryn.research.fetching.connecting import not_allowed, resolve

ASKED: ContextVar[Asked] = ContextVar("ASKED")
"""The request that the current task works for."""


class TabRenderer:
    """A `Renderer`."""

    async def render(self, url: str) -> tuple[str, str]:
        """Raises `AddressNotAllowed`, `FetchFailed`, and what the browser can't do."""
        asked = ASKED.get()
        allow = asked.options.allow_private
        if not allow:
            await check(url)
        found, html = await asked.render(url)
        if urlsplit(found).scheme not in ("http", "https"):
            raise FetchFailed(f"{url} led the browser to what is no page of the web")
        if not allow and found != url:
            await check(found)
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
