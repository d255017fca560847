"""How a crawl makes articles of pages: where workers are given, by them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol

from oryn.research.documents import Article, Page


class Reads(Protocol):
    """What makes articles: `oryn.research.workers.Workers`."""

    async def article(self, page: Page) -> Article: ...


def reader(workers: Reads | None) -> Callable[[Page], Awaitable[Article]]:
    """Of `workers`, or in threads of this process."""
    return _here if workers is None else workers.article


async def _here(page: Page) -> Article:
    from oryn.research.extracting import read  # it has what reads HTML and PDF

    return await asyncio.to_thread(read, page)
