"""The interfaces of a tab's mouse and keyboard. The browser treats their input like that of a person."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from oryn.browsers.base.types import MouseButton
from oryn.errors import NotSupported

Point = tuple[float, float]
"""A point of the tab's viewport, in CSS pixels from its top-left corner."""


class Mouse:
    """The mouse of one tab. See `browsers.base` for units and errors common to all methods; besides, each raises
    `CannotAccessPage` if the point lies in a page of the browser's own."""

    async def move(self, x: float, y: float) -> None:
        """Move the mouse to a point."""
        raise NotSupported

    async def click(
        self,
        x: float,
        y: float,
        *,
        button: MouseButton = "left",
        count: int = 1,
        modifiers: Sequence[str] = (),
    ) -> None:
        """Move there, press, release. `modifiers` are key names (`control`, `shift`, `alt`, `meta`)."""
        raise NotSupported

    @property
    def position(self) -> Point | None:
        """Where the mouse was moved last; None if nowhere yet. No round trip."""
        raise NotSupported

    @property
    def held(self) -> MouseButton | None:
        """The button that `press` holds. No round trip."""
        raise NotSupported

    async def press(self, x: float, y: float, *, button: MouseButton = "left", count: int = 1) -> None:
        """Move there and press a button, until `release`; moves in between are made with it. `count` is 2 for the
        second press of a double click, which a browser may also count itself."""
        raise NotSupported

    async def release(self, x: float, y: float) -> None:
        """Move there, and release the held button, if any."""
        raise NotSupported

    async def tap(self, x: float, y: float) -> None:
        """Touch a point with a finger, for a moment."""
        raise NotSupported

    async def wheel(self, x: float, y: float, dx: float, dy: float) -> None:
        """Move the mouse to a point, and turn its wheel by `dx` and `dy` pixels."""
        raise NotSupported

    async def drag(self, x: float, y: float, destination: Callable[[], Awaitable[Point]]) -> None:
        """Press the left button at a point, begin to move, call `destination` for the point to drop at (which the page
        may display only now), move there and release the button. Meanwhile `destination` is called again, so that it
        may wait for the page's reaction. If something fails, also in `destination`, the drag is cancelled: the button
        is up afterwards, and nothing is dropped."""
        raise NotSupported


class Keyboard:
    """The keyboard of one tab: its keys go to the focused element. Keys have the names of the Intent Language
    (docs/spec/intent-language.md#keys).

    Each method that presses keys raises `InvalidValue` if there is no such key, and `CannotAccessPage` if the focus is
    in a page of the browser's own."""

    @property
    def held(self) -> tuple[str, ...]:
        """The keys held by `down`, in order of pressing. No round trip."""
        raise NotSupported

    async def press(self, keys: Sequence[str]) -> None:
        """Press and release a key combination, modifiers first. Of keys that are held already only the last is pressed
        again, and none released."""
        raise NotSupported

    async def down(self, key: str) -> bool:
        """Press a key and hold it for later input in this tab, also in its next documents; whether it was up before."""
        raise NotSupported

    async def up(self, keys: Sequence[str]) -> None:
        """Release held keys, in this order; others are ignored."""
        raise NotSupported

    async def type(self, text: str, *, delay: float = 0) -> None:
        """Type text, character by character with `delay` seconds in between, with key events for characters on the
        keyboard."""
        raise NotSupported

    async def insert(self, text: str) -> None:
        """Insert text at the cursor as one piece, as an input method does: without key events."""
        raise NotSupported
