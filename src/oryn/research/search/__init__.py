"""Searching: providers of the web's results, the index, both at once (docs/research.md#search)."""

from __future__ import annotations

from oryn.research.search.client import SearchClient, SearchResponse
from oryn.research.search.pipeline import IndexSearch, rerank_hits, search
from oryn.research.search.provider import (
    ALIASES,
    ProviderEntry,
    SearchProvider,
    SearchSources,
    provider_of,
    provider_table,
    providers,
    registered,
    sources_for,
)

__all__ = [
    "ALIASES",
    "IndexSearch",
    "ProviderEntry",
    "SearchClient",
    "SearchProvider",
    "SearchResponse",
    "SearchSources",
    "provider_of",
    "provider_table",
    "providers",
    "registered",
    "rerank_hits",
    "search",
    "sources_for",
]
