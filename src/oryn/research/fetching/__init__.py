"""Pages from the web: asked for politely and safely, kept, and known for what they are."""

from __future__ import annotations

from oryn.research.fetching.cache import PageCache
from oryn.research.fetching.fetcher import Fetcher
from oryn.research.fetching.options import USER_AGENT, FetchOptions, Renderer

__all__ = ["USER_AGENT", "FetchOptions", "Fetcher", "PageCache", "Renderer"]
