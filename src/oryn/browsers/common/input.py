"""The mouse and the keyboard of one tab, for any engine: what a click, a drag or a key combination consists of.

The engines deliver the events. They turn trusted moves of the mouse into an HTML drag if the element is draggable; else
they send pointer and mouse events.
https://html.spec.whatwg.org/multipage/dnd.html#drag-and-drop-processing-model"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Literal, Protocol

from oryn.browsers.base import Keyboard, Mouse, MouseButton
from oryn.browsers.base.input import Point
from oryn.browsers.common.keyboard import KeyEvent, KeySequencer, split_text
from oryn.core.records import Record

# Far enough for the usual thresholds: Chromium's own is 3 px, those of libraries up to 10.
START_OFFSETS = ((2.0, 1.0), (6.0, 4.0), (12.0, 8.0))
STEP_PIXELS = 40.0
MIN_STEPS, MAX_STEPS = 4, 20
RESTS = 2
"""How often the page may react to the mouse at its end before the button is released."""
MAX_EVENTS_PER_REQUEST = 200
"""So that no request takes so long that its page seems to hang."""


class InputCheck(Protocol):
    """Checks whether input may go somewhere."""

    async def __call__(self, *point: float) -> None:
        """Check a point before input is sent there, or without one the focused element. Raises `CannotAccessPage` if it
        is in a page of the browser's own, and the error of a tab that can't answer."""


class PointerEvent(Record):
    """The mouse moves to a point, or a button goes down or up there.

    button: for a move, the button that is held meanwhile, or None.
    count: the number of the click that a button's event belongs to: 2 for the second one of a double click."""

    kind: Literal["move", "down", "up"]
    x: float
    y: float
    button: MouseButton | None = None
    count: int = 1


class SequencedMouse(Mouse):
    """A mouse whose input is sequences of pointer events, which a subclass delivers.

    check: called before each input.
    sequencer: the tab's keys; modifiers that it holds apply to the mouse."""

    def __init__(self, check: InputCheck, sequencer: KeySequencer) -> None:
        self._check = check
        self._sequencer = sequencer
        self._position: Point | None = None
        self._held: MouseButton | None = None
        self._count = 1

    async def _deliver(self, events: Sequence[PointerEvent], modifiers: Sequence[str] = ()) -> None:
        """Deliver events that belong together, with these modifiers pressed besides the held ones. A dialog, or the end
        of the document or of the tab, that the input itself causes is no error."""
        raise NotImplementedError

    def _cancel_drag(self, x: float, y: float) -> None:
        """Cancel a drag that began at a point, and release the button, without waiting: the page may be the reason for
        it."""
        raise NotImplementedError

    @property
    def position(self) -> Point | None:
        return self._position

    @property
    def held(self) -> MouseButton | None:
        return self._held

    async def move(self, x: float, y: float) -> None:
        await self._begin(x, y)
        await self._deliver([self._move(x, y)])

    async def press(self, x: float, y: float, *, button: MouseButton = "left", count: int = 1) -> None:
        await self._begin(x, y)
        await self._press(x, y, button, count)

    async def release(self, x: float, y: float) -> None:
        await self._begin(x, y)
        await self._deliver([self._move(x, y), *self._release(x, y)])

    async def click(
        self,
        x: float,
        y: float,
        *,
        button: MouseButton = "left",
        count: int = 1,
        modifiers: Sequence[str] = (),
    ) -> None:
        await self._begin(x, y)
        kinds: tuple[Literal["down", "up"], ...] = ("down", "up")
        clicks = [PointerEvent(kind, x, y, button, number) for number in range(1, count + 1) for kind in kinds]
        await self._deliver([self._move(x, y), *clicks], modifiers)

    async def drag(self, x: float, y: float, destination: Callable[[], Awaitable[Point]]) -> None:
        await self._begin(x, y)
        try:
            await self._press(x, y, "left", 1)
            # Each move is delivered before the next one, because pages react to the path.
            for dx, dy in START_OFFSETS:
                await self._deliver([self._move(x + dx, y + dy)])
            end = await destination()
            for point in _path((x + dx, y + dy), end):
                await self._deliver([self._move(*point)])
            # The last move decides where it is dropped, and some pages display the drop target only then. Others take
            # no move as long as what the last one has put elsewhere is on its way.
            for _ in range(RESTS):
                end = await destination()
                await self._deliver([self._move(*end)])
            await self._deliver(self._release(*end))
        except BaseException:
            # Also when the command's time has run out: a pressed button would turn every later move into a drag.
            self._held = None
            self._cancel_drag(x, y)
            raise

    async def _begin(self, x: float, y: float) -> None:
        await self._check(x, y)
        self._position = x, y

    def _move(self, x: float, y: float) -> PointerEvent:
        self._position = x, y
        return PointerEvent("move", x, y, self._held)

    async def _press(self, x: float, y: float, button: MouseButton, count: int) -> None:
        moved = self._move(x, y)
        self._held, self._count = button, count
        await self._deliver([moved, PointerEvent("down", x, y, button, count)])

    def _release(self, x: float, y: float) -> list[PointerEvent]:
        """The event that releases the held button, if any."""
        held, self._held = self._held, None
        return [] if held is None else [PointerEvent("up", x, y, held, self._count)]


def _path(start: Point, end: Point) -> Iterator[Point]:
    """Points on the straight line between both, the end included."""
    steps = min(MAX_STEPS, max(MIN_STEPS, round(math.dist(start, end) / STEP_PIXELS)))
    for step in range(1, steps + 1):
        fraction = step / steps
        yield start[0] + (end[0] - start[0]) * fraction, start[1] + (end[1] - start[1]) * fraction


class SequencedKeyboard(Keyboard):
    """A keyboard whose input is sequences of key events, which a subclass delivers.

    check: called before keys are pressed, not before they are released.
    sequencer: the tab's keys."""

    def __init__(self, check: InputCheck, sequencer: KeySequencer) -> None:
        self._check = check
        self._sequencer = sequencer

    async def _deliver(self, events: Sequence[KeyEvent]) -> None:
        """Deliver events that belong together."""
        raise NotImplementedError

    @property
    def held(self) -> tuple[str, ...]:
        return self._sequencer.held.names

    async def press(self, keys: Sequence[str]) -> None:
        await self._check()
        await self._deliver(self._sequencer.press(keys))

    async def down(self, key: str) -> bool:
        await self._check()
        was_up, events = self._sequencer.hold(key)
        await self._deliver(events)
        return was_up

    async def up(self, keys: Sequence[str]) -> None:
        await self._deliver(self._sequencer.release(keys))

    async def type(self, text: str, *, delay: float = 0) -> None:
        await self._check()
        waiting: list[KeyEvent] = []
        for piece in split_text(text):
            waiting += self._sequencer.type(piece)
            if delay or len(waiting) >= MAX_EVENTS_PER_REQUEST:
                await self._deliver(waiting)
                waiting = []
                await asyncio.sleep(delay)
        await self._deliver(waiting)
