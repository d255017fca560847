"""Waiting until a page is as wanted: ask, and when it is not, wait for the next sign of change and ask again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from oryn.browsers.base import Frame
from oryn.engine.view import FRAME_GONE, ask
from oryn.errors import Timeout

if TYPE_CHECKING:
    from oryn.engine.session import Session

CHANGE_LIMIT = 1.0
"""Seconds after which the page is asked again although it gave no sign: style and time alone may change it."""


async def until(session: Session, condition: Callable[[], Awaitable[bool]], what: Callable[[], str]) -> None:
    """Return once `condition` holds. Raises `Timeout` saying `what()` when the command's time is over.

    A navigation under way is no failure: the question is asked again of the next document. Nor is it one of the page
    that the last question came too late to be answered."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + session.remaining()
    has_answered = False
    while True:
        try:
            if await condition():
                return
            has_answered = True
        except FRAME_GONE:
            pass
        except Timeout:
            if not has_answered:
                raise
        left = deadline - loop.time()
        if left <= 0:
            raise Timeout(f"timeout: {what()}", "Give more time with --timeout, or run 'observe' to see what is there.")
        await next_change(session, min(left, CHANGE_LIMIT))


async def next_change(session: Session, limit: float) -> float:
    """Wait for the first sign of change in any frame, at most `limit` seconds; the seconds that it took."""
    started = asyncio.get_running_loop().time()
    frames = session.page.roots(session.frame)
    waits = [asyncio.create_task(_change_in(session, frame, limit)) for frame in frames]
    try:
        await asyncio.wait(waits, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in waits:
            task.cancel()
        results = await asyncio.gather(*waits, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException) and not isinstance(result, asyncio.CancelledError):
            raise result
    return asyncio.get_running_loop().time() - started


async def _change_in(session: Session, frame: Frame, limit: float) -> None:
    request = {"cmd": "wait_for", "condition": "change", "timeout": round(limit * 1000)}
    try:
        await ask(session.page, request, frame, limit)
    except (Timeout, *FRAME_GONE):
        return
