"""As many hits as were asked for, of as many pages of results as that takes."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from oryn.research.documents import Hit
from oryn.research.failures import FetchFailed, SearchChanged, SearchRefused

MOST_PAGES = 5
"""More are not asked for: engines take that for a robot's doing, and show no more anyway."""


async def first(limit: int, pages: AsyncGenerator[list[Hit]]) -> list[Hit]:
    """The first hits of pages of results, numbered, each URL once. A page that only repeats is taken for the end; one
    that is refused, after others, too: what came before is an answer."""
    found: dict[str, Hit] = {}
    async with aclosing(pages):
        try:
            async for hits in pages:
                before = len(found)
                for hit in hits:
                    found.setdefault(hit.url, hit.replace(rank=len(found) + 1))
                if len(found) == before or len(found) >= limit:
                    break
        except (SearchRefused, SearchChanged, FetchFailed):
            if not found:
                raise
    return list(found.values())[:limit]
