"""What has changed on a tab since the agent last read it. The scanner watches for it (`scanner/page/watch.ts`), so that
no page is read as a whole only to notice a change.

A change is meaningful if a snapshot would show it, or if it is a change of visible text. A place that changes again and
again by itself is a feed: its changes alone are not meaningful until it stops. Clocks never are."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from oryn.browsers.base import Frame, Page
from oryn.core.records import Record, field
from oryn.engine import Session
from oryn.engine.page.scanner import query_frames, query_scanner
from oryn.engine.page.text_changes import report_texts
from oryn.errors import Timeout

if TYPE_CHECKING:
    from oryn.scanner.protocol import TextChange, UnreadChangesRequest, WaitForRequest

QUIET_SECONDS = 1.2
"""How long a page must be quiet before its changes are sent by themselves: longer than a tick of a second."""
COLLECT_SECONDS = 5.0
"""How long the changes of a page that is never quiet are collected."""


class UnreadChanges(Record, frozen=False):
    """What has changed in all frames of a page."""

    fresh: bool = False
    """Whether the top document was not read before."""
    touched: bool = False
    """Whether a document has changed at all, outside of feeds."""
    texts: list[TextChange] = field(factory=list)
    feeds: set[int] = field(factory=set)
    """Those of the elements in question that are in feeds."""
    feeding: bool = False
    """Whether any feed has changed."""


async def read_unread(page: Page, within: Frame | None, elements: Collection[int], *, timeout: float) -> UnreadChanges:
    """Return what has changed since the last call. `elements` are numbers of which to say whether they are in feeds.
    `timeout` is in seconds. Raises the errors of `Page.scanner`."""
    unread = UnreadChanges()
    if page.error_page is not None:  # commands can't touch it
        return unread
    request: UnreadChangesRequest = {"cmd": "unread_changes", "elements": list(elements)}
    async for data, frame in query_frames(page, within, lambda: request, lambda: timeout):
        unread.fresh = unread.fresh or (frame == within and data["fresh"])
        unread.touched = unread.touched or data["touched"] or data["fresh"]
        unread.texts += data["texts"]
        unread.feeds.update(data["feeds"])
        unread.feeding = unread.feeding or data["feeding"]
    return unread


async def wait_for_unread(session: Session, limit: float) -> None:
    """Wait until any frame has changed in a way that may be meaningful and is quiet again, at most `limit` seconds.
    Raises the errors of `Page.scanner`, also if a frame gets another document."""
    request: WaitForRequest = {
        "cmd": "wait_for",
        "condition": "unread_changes",
        "quiet": round(QUIET_SECONDS * 1000),
        "collect": round(COLLECT_SECONDS * 1000),
        "timeout": round(limit * 1000),
    }
    frames = session.page.roots(session.frame)
    waits = [asyncio.create_task(query_scanner(session.page, request, frame, limit)) for frame in frames]
    try:
        await _first_answer(waits)
    finally:
        for task in waits:
            task.cancel()
        await asyncio.gather(*waits, return_exceptions=True)


async def _first_answer(waits: Iterable[asyncio.Task[object]]) -> None:
    """Return when the first of `waits` is answered, or all have timed out."""
    for task in asyncio.as_completed(waits):
        try:
            await task
        except Timeout:
            continue
        return


def render_texts(texts: Sequence[TextChange], names: Iterable[str]) -> str:
    """Render the lines for changed texts, without those that the elements called `names` say. The result is empty if
    there are none."""
    listed = list(names)
    rows, more = report_texts([row for row in texts if not any(row["text"] in name for name in listed)], [])
    lines = [change.render() for change in rows]
    if more:
        lines.append(f"… {more} more")
    return "\n".join(lines)
