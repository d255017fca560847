"""Dragging with the mouse: the path that it follows.

The browser turns trusted moves of the mouse into an HTML drag if the element is draggable; else it sends pointer and
mouse events. Each move is delivered before the next one, because pages react to the path.
https://html.spec.whatwg.org/multipage/dnd.html#drag-and-drop-processing-model"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Iterator
from typing import Protocol

from oryn.browsers.base.input import Point


class DragInput(Protocol):
    """A mouse whose left button can be held."""

    async def down(self, x: float, y: float) -> None:
        """Move to a point and press the left button."""

    async def drag_to(self, x: float, y: float) -> None:
        """Move to a point with the button pressed."""

    async def up(self, x: float, y: float) -> None:
        """Release the button at a point."""

    def cancel_drag(self, x: float, y: float) -> None:
        """Cancel the drag and release the button, without waiting: the page may be the reason for it."""


# Far enough for the usual thresholds: Chromium's own is 3 px, those of libraries up to 10.
START_OFFSETS = ((2.0, 1.0), (6.0, 4.0), (12.0, 8.0))
STEP_PIXELS = 40.0
MIN_STEPS, MAX_STEPS = 4, 20
RESTS = 2
"""How often the page may react to the mouse at its end before the button is released."""


async def drag(mouse: DragInput, start: Point, destination: Callable[[], Awaitable[Point]]) -> None:
    """Drag from `start` to the point that `destination` returns; see `browsers.base.Mouse.drag`."""
    x, y = start
    try:
        await mouse.down(x, y)
        for dx, dy in START_OFFSETS:
            await mouse.drag_to(x + dx, y + dy)
        end = await destination()
        for point in _path((x + dx, y + dy), end):
            await mouse.drag_to(*point)
        # The last move decides where it is dropped, and some pages display the drop target only then. Others take no
        # move as long as what the last one has put elsewhere is on its way.
        for _ in range(RESTS):
            end = await destination()
            await mouse.drag_to(*end)
        await mouse.up(*end)
    except BaseException:
        # Also when the command's time has run out: a pressed button would turn every later move into a drag.
        mouse.cancel_drag(*start)
        raise


def _path(start: Point, end: Point) -> Iterator[Point]:
    """Points on the straight line between both, the end included."""
    steps = min(MAX_STEPS, max(MIN_STEPS, round(math.dist(start, end) / STEP_PIXELS)))
    for step in range(1, steps + 1):
        fraction = step / steps
        yield start[0] + (end[0] - start[0]) * fraction, start[1] + (end[1] - start[1]) * fraction
