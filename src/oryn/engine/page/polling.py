"""Waits until a condition is satisfied on the page: checks it again at each sign of change."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from oryn.browsers.base import Frame
from oryn.engine.page.element_index import FRAME_GONE, query_scanner
from oryn.errors import Timeout

if TYPE_CHECKING:
    from oryn.engine.session import Session

MAX_CHANGE_WAIT_SECONDS = 1.0
"""Seconds after which a condition is checked again without a sign of change, because style and time alone may change
it."""


async def poll_until(session: Session, condition: Callable[[], Awaitable[bool]], what: Callable[[], str]) -> None:
    """Return once `condition` is true. Raises `Timeout` with the text of `what()` if the command's time is over.

    A navigation in progress is not an error: the condition is checked again in the next document. A check that times
    out is not an error either if an earlier one was answered."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + session.deadline.remaining()
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
        await wait_for_change(session, min(left, MAX_CHANGE_WAIT_SECONDS))


async def wait_for_change(session: Session, limit: float, *, since_report: bool = False) -> float:
    """Wait for the first sign of change in any frame, at most `limit` seconds. Return the elapsed seconds.

    since_report: what has changed since the last report of an action is a sign, too."""
    started = asyncio.get_running_loop().time()
    frames = session.page.roots(session.frame)
    waits = [asyncio.create_task(_wait_for_change_in(session, frame, limit, since_report)) for frame in frames]
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


async def _wait_for_change_in(session: Session, frame: Frame, limit: float, since_report: bool) -> None:
    request: dict[str, Any] = {"cmd": "wait_for", "condition": "change", "timeout": round(limit * 1000)}
    if since_report:
        request["since_report"] = True
    try:
        await query_scanner(session.page, request, frame, limit)
    except (Timeout, *FRAME_GONE):
        return
