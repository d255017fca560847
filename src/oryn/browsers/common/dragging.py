"""Dragging with the mouse: the way that it goes.

Of a trusted mouse's way the browser makes an HTML drag by itself where the page has something draggable there, and
sends pointer and mouse events where not. Each move is delivered before the next is made: pages take the way into
account.
https://html.spec.whatwg.org/multipage/dnd.html#drag-and-drop-processing-model
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Iterator
from typing import Protocol

Point = tuple[float, float]


class Hand(Protocol):
    """A mouse whose left button can be held."""

    async def mouse_down(self, x: float, y: float) -> None: ...

    async def mouse_drag(self, x: float, y: float) -> None: ...

    async def mouse_up(self, x: float, y: float) -> None: ...

    def drop_nothing(self, x: float, y: float) -> None:
        """Break the drag off and let the button go, without waiting."""


# Far enough for every threshold that is in use: Chromium's own is 3 px, that of libraries up to 10.
NUDGES = ((2.0, 1.0), (6.0, 4.0), (12.0, 8.0))
STRIDE = 40.0
FEWEST_STEPS, MOST_STEPS = 4, 20


async def drag(hand: Hand, start: Point, aim: Callable[[], Awaitable[Point]]) -> None:
    """As `browsers.base.Page.drag` says."""
    x, y = start
    try:
        await hand.mouse_down(x, y)
        for dx, dy in NUDGES:
            await hand.mouse_drag(x + dx, y + dy)
        end = await aim()
        for point in _way((x + dx, y + dy), end):
            await hand.mouse_drag(*point)
        # Where it is dropped is decided by the last move, and some pages only then show what takes it.
        await hand.mouse_drag(*end)
        await hand.mouse_up(*end)
    except BaseException:
        # Also when the command's time has run out: a button left pressed would make a drag of every later move.
        hand.drop_nothing(*start)
        raise


def _way(start: Point, end: Point) -> Iterator[Point]:
    """Points on the straight line, the end included."""
    steps = min(MOST_STEPS, max(FEWEST_STEPS, round(math.dist(start, end) / STRIDE)))
    for step in range(1, steps + 1):
        share = step / steps
        yield start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share
