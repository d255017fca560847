"""Waits for what an action needs: the target's presence, and its state.

A page that is about to show, enable or uncover an element does so a moment later. An action waits for that as a person
would, and is refused only then."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from oryn.browsers.base import Frame
from oryn.engine.page.polling import wait_for_change
from oryn.engine.page.scanner import FRAME_GONE, query_scanner
from oryn.errors import (
    CannotAccessPage,
    ElementDisabled,
    ElementNotFound,
    ElementNotInteractable,
    ElementNotVisible,
    OrynError,
)

if TYPE_CHECKING:
    from oryn.engine.page.context import PageContext
    from oryn.scanner.protocol import ActivityResponse, PageResponse

Outcome = TypeVar("Outcome")

RECHECK_SECONDS = 0.25
"""Seconds after which a state is checked again without a sign of change, because style and time alone may change it."""
NOT_ACCEPTED = (ElementNotVisible, ElementDisabled, ElementNotInteractable)
"""Refusals that may end when the page changes."""
STILL_SECONDS = 0.8
"""Seconds that an element may be refused on a page on which nothing is on its way."""
REPORT_SECONDS = 0.2
"""Seconds of a command's time that a wait leaves for the report of the refusal."""


async def wait_until_accepted(
    context: PageContext,
    frame: Frame | None,
    act: Callable[[], Awaitable[Outcome]],
    *,
    reveal: Callable[[], Awaitable[None]] | None = None,
) -> Outcome:
    """Repeat an action on an element of `frame` while the element is hidden, disabled or covered.

    reveal: called once if the element is hidden, and the action is repeated at once.
    Raises the last `ElementNotVisible`, `ElementDisabled` or `ElementNotInteractable` after `Options.action_wait`, or
    after a second if nothing is on its way that could mend it; the page is scrolled back then."""
    wait = ChangeWait(context, context.options.action_wait)
    still = ChangeWait(context, STILL_SECONDS)
    while True:
        try:
            return await act()
        except NOT_ACCEPTED as refusal:
            if reveal is not None and isinstance(refusal, ElementNotVisible):
                show, reveal = reveal, None
                with suppress(*NOT_ACCEPTED):
                    await show()
                    continue
            is_waiting = still.is_open or await _may_mend(context, frame, refusal)
            if not (is_waiting and await wait.for_change()):
                await restore_scroll(context, frame)
                raise


async def _may_mend(context: PageContext, frame: Frame | None, refusal: OrynError) -> bool:
    """Return whether something is on its way: the document or a request, what moves or turns, what has just changed (a
    countdown), or a timer that was set not long ago, unless a dialog waits for a person."""
    if context.page.is_requesting():
        return True
    try:
        found: ActivityResponse = await query_scanner(
            context.page, {"cmd": "activity"}, frame, context.deadline.remaining()
        )
    except FRAME_GONE:
        return True
    if found["loading"] or found["busy"] or _is_within(found["changed"], STILL_SECONDS + RECHECK_SECONDS):
        return True
    is_behind_dialog = isinstance(refusal, ElementNotInteractable) and refusal.is_behind_dialog
    return not is_behind_dialog and _is_within(found["scheduled"], context.options.action_wait)


def _is_within(milliseconds: int | None, seconds: float) -> bool:
    return milliseconds is not None and milliseconds <= seconds * 1000


async def restore_scroll(context: PageContext, frame: Frame | None) -> None:
    """Scroll back to where the page was before a refused action."""
    with suppress(*FRAME_GONE):
        await query_scanner(context.page, {"cmd": "restore_scroll"}, frame, context.deadline.remaining())


async def wait_until_found(context: PageContext, find: Callable[[], Awaitable[Outcome]]) -> Outcome:
    """Repeat a search while it raises `ElementNotFound`, at most `Options.presence_wait`, or `action_wait` while the
    page is still loading. Raises the last `ElementNotFound`."""
    wait = ChangeWait(context, context.options.presence_wait)
    long = ChangeWait(context, context.options.action_wait)
    while True:
        try:
            return await find()
        except ElementNotFound:
            if not (await wait.for_change() or (await _is_loading(context) and await long.for_change())):
                raise


async def _is_loading(context: PageContext) -> bool:
    data: PageResponse = await query_scanner(context.page, {"cmd": "page"}, None, context.deadline.remaining())
    return data["ready_state"] != "complete"


class ChangeWait:
    """A limit in seconds, within the deadline of the current command."""

    def __init__(self, context: PageContext, limit: float) -> None:
        self._context = context
        self._end = asyncio.get_running_loop().time() + min(limit, context.deadline.remaining() - REPORT_SECONDS)

    @property
    def is_open(self) -> bool:
        """Whether time is left."""
        return asyncio.get_running_loop().time() < self._end

    async def for_change(self) -> bool:
        """Wait for the first sign of a change. Return False if the time is over, or the page can't be watched."""
        left = self._end - asyncio.get_running_loop().time()
        if left <= 0:
            return False
        try:
            await wait_for_change(self._context, max(0.02, min(left, RECHECK_SECONDS)))
        except CannotAccessPage:  # an error page or an empty tab: no script is about to fill it
            return False
        return True
