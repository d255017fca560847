from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from oryn.research.search import SearchClient


@asynccontextmanager
async def search_client() -> AsyncIterator[SearchClient]:
    async with SearchClient(timeout=30, throttle=0, user_agent="oryn-test") as client:
        yield client
