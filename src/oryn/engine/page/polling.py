"""Waits until a condition is satisfied on the page: checks it again at each sign of change."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from oryn.browsers.base import Frame
from oryn.engine.page.scanner import FRAME_GONE, query_scanner
from oryn.errors import CannotAccessPage, Timeout

if TYPE_CHECKING:
    from oryn.engine.page.context import PageContext
    from oryn.scanner.protocol import WaitForRequest

MAX_CHANGE_WAIT_SECONDS = 1.0
"""Seconds after which a condition is checked again without a sign of change, because style and time alone may change
it."""
QUERY_SLACK_SECONDS = 10.0
"""How much later than its limit a wait's query would time out. The wait cancels it before, because a backend takes a
query that times out as the sign of a page that does not respond."""
NOTHING_YET = "the page shows nothing to act on or to read yet: wait visible <target>"
"""The note on a page that is still empty."""


async def poll_until(context: PageContext, condition: Callable[[], Awaitable[bool]], what: Callable[[], str]) -> None:
    """Return once `condition` is true. Raises `Timeout` with the text of `what()` if the command's time is over.

    A navigation in progress is not an error: the condition is checked again in the next document. A check that times
    out is not an error either if an earlier one was answered."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + context.deadline.remaining()
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
        await wait_for_change(context, min(left, MAX_CHANGE_WAIT_SECONDS))


async def wait_for_change(context: PageContext, limit: float, *, since_report: bool = False, late: float = 0) -> bool:
    """Wait for the first sign of change in any frame, at most `limit` seconds. Return whether there was one.

    since_report: what has changed since the last report of an action is a sign, too.
    late: how many seconds more a page has that is too busy to tell that the time is over. Its own timers are as late.
    """
    loop = asyncio.get_running_loop()
    end = loop.time() + limit + late
    frames = context.page.roots(context.frame)
    waits = [asyncio.create_task(_has_changed(context, frame, limit, since_report)) for frame in frames]
    pending = set(waits)
    try:
        while not waits[0].done() and (left := end - loop.time()) > 0:
            done, pending = await asyncio.wait(pending, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            if any(wait.result() for wait in done):
                return True
        return False
    finally:
        for wait in pending:
            wait.cancel()
        await asyncio.gather(*waits, return_exceptions=True)


async def _has_changed(context: PageContext, frame: Frame, limit: float, since_report: bool) -> bool:
    request: WaitForRequest = {"cmd": "wait_for", "condition": "change", "timeout": round(limit * 1000)}
    if since_report:
        request["since_report"] = True
    try:
        await query_scanner(context.page, request, frame, limit + QUERY_SLACK_SECONDS)
    except Timeout:
        return False
    except FRAME_GONE:
        pass
    return True


async def wait_for_content(context: PageContext) -> bool:
    """Wait while the page is a splash screen: at most `Options.settle_grace`, and as long again once its requests have
    ended, within `Options.settle_limit`. Return whether it shows anything."""
    options, page = context.options, context.page
    limit = min(options.settle_limit, context.deadline.remaining())
    for _ in range(2):
        grace = round(options.settle_grace * 1000)
        request: WaitForRequest = {"cmd": "wait_for", "condition": "content", "timeout": grace}
        with suppress(Timeout, *FRAME_GONE):
            with suppress(CannotAccessPage):  # an error page or an empty tab: no script is about to fill it
                await query_scanner(page, request, None, context.deadline.remaining())
            return True
        if page.dialog is not None:
            return True
        with suppress(Timeout):
            await page.wait_for("idle", timeout=limit)
    return page.error_page is not None
