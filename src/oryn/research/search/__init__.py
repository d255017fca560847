"""Searching: providers of the web's results, the index, both at once; seed 004, "Search Engines"."""

from __future__ import annotations

from oryn.research.search.asking import Asker, Reply
from oryn.research.search.pipeline import Indexed, reranked, search
from oryn.research.search.provider import Asked, Provider, asked_for, provider_of, providers, registered

__all__ = [
    "Asked",
    "Asker",
    "Indexed",
    "Provider",
    "Reply",
    "asked_for",
    "provider_of",
    "providers",
    "registered",
    "reranked",
    "search",
]
