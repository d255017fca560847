"""Ends what a request has started if its client disconnects."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from oryn.errors import Cancelled

if TYPE_CHECKING:
    from starlette.requests import Request

Outcome = TypeVar("Outcome")


async def unless_disconnected(request: Request, start: Callable[[], asyncio.Task[Outcome]]) -> Outcome:
    """Start a command, and cancel it if the client disconnects; returns its outcome. The request's body must have been
    read.

    Raises `Cancelled` if the client has disconnected already, and what `start` and its task raise."""

    async def disconnected() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    watching = asyncio.create_task(disconnected())
    try:
        await asyncio.sleep(0)  # lets `watching` notice a client that has gone while its request was parsed
        if watching.done():
            raise Cancelled
        task = start()
        await asyncio.wait((task, watching), return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            task.cancel()
        return await task
    finally:
        watching.cancel()
