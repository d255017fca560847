"""How far a call has come, for clients that ask: seconds of the command's time, and what it does meanwhile.

https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/progress: the number only grows, so it is the
time; a share that the engine tells (`encoding demo.webm`) stands in the message."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from oryn.host.progress import LISTENER

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

BEAT = 1.0
"""Seconds between two notifications: what is done sooner tells nothing in between."""


@asynccontextmanager
async def reported(context: ServerRequestContext[Any, Any], doing: str) -> AsyncIterator[None]:
    """Tell the client how a call goes on while the block runs, if its request has a token for that."""
    if not context.meta or context.meta.get("progress_token") is None:
        yield
        return
    news: asyncio.Queue[str] = asyncio.Queue()
    token = LISTENER.set(lambda what, share: news.put_nowait(f"{what} {share:.0%}"))
    telling = asyncio.create_task(_tell(context, doing, news))
    try:
        yield
    finally:
        LISTENER.reset(token)
        telling.cancel()
        await asyncio.wait([telling])


async def _tell(context: ServerRequestContext[Any, Any], doing: str, news: asyncio.Queue[str]) -> None:
    begun = time.monotonic()
    while True:
        try:
            doing = await asyncio.wait_for(news.get(), BEAT)
        except TimeoutError:
            pass
        while not news.empty():
            doing = news.get_nowait()
        await context.session.report_progress(round(time.monotonic() - begun, 3), None, doing)
