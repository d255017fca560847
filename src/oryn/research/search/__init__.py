"""Searching: providers of the web's results, the index, both at once; seed 004, "Search Engines"."""

from __future__ import annotations

from oryn.research.search.client import SearchClient, SearchResponse
from oryn.research.search.pipeline import IndexSearch, rerank_hits, search
from oryn.research.search.provider import SearchProvider, SearchSources, provider_of, providers, registered, sources_for

__all__ = [
    "IndexSearch",
    "SearchClient",
    "SearchProvider",
    "SearchResponse",
    "SearchSources",
    "provider_of",
    "providers",
    "registered",
    "rerank_hits",
    "search",
    "sources_for",
]
