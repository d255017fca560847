"""A crawl that begins when its first page is asked for: what it needs is made by then, and no sooner."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from oryn.research.crawling import Crawl, Crawled, Totals


class Crawling(AsyncIterator["Crawled"]):
    """An asynchronous iterator; `aclose` ends it wherever it is, as does its end."""

    def __init__(self, begin: Callable[[], Awaitable[Crawl]]) -> None:
        self._begin = begin
        self._crawl: Crawl | None = None

    @property
    def totals(self) -> Totals:
        """The crawl in figures, at any time."""
        from oryn.research.crawling import Totals

        return Totals() if self._crawl is None else self._crawl.totals

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Crawled:
        if self._crawl is None:
            self._crawl = await self._begin()
        return await anext(self._crawl)

    async def aclose(self) -> None:
        if self._crawl is not None:
            await self._crawl.aclose()
