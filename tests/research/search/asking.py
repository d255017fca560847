from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from oryn.research.search import Asker


@asynccontextmanager
async def asking() -> AsyncIterator[Asker]:
    async with Asker(timeout=30, throttle=0, user_agent="oryn-test") as asker:
        yield asker
