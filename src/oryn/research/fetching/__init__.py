"""Fetches pages from the web, politely and safely, caches them, and determines their type and charset.

The classes are imported on first access: a process that only reads pages needs the parsers of this package, but
neither the HTTP client nor the cache."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oryn.research.fetching.cache import PageCache
    from oryn.research.fetching.fetcher import Fetcher, open_fetcher
    from oryn.research.fetching.request import USER_AGENT, FetchOptions, Renderer

__all__ = ["USER_AGENT", "FetchOptions", "Fetcher", "PageCache", "Renderer", "open_fetcher"]


def __getattr__(name: str) -> Any:
    if name == "PageCache":
        from oryn.research.fetching.cache import PageCache

        return PageCache
    if name in ("Fetcher", "open_fetcher"):
        from oryn.research.fetching import fetcher

        return getattr(fetcher, name)
    if name in ("USER_AGENT", "FetchOptions", "Renderer"):
        from oryn.research.fetching import request

        return getattr(request, name)
    raise AttributeError(name)
