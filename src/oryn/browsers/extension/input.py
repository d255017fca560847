"""The mouse and the keyboard of one tab: the browser's own where the user allows the debugger, else events that the
scanner dispatches. Keys that are held stay held through a change between the two.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager

from oryn.browsers.base import MouseButton
from oryn.browsers.cdp.input import Input as TrustedInput
from oryn.browsers.common.dragging import Point, drag
from oryn.browsers.common.held import Held
from oryn.browsers.common.strokes import Fingers
from oryn.browsers.extension.debugger import Debugger
from oryn.browsers.extension.dispatched import Dispatched, Place, Wanted

PLATFORMS = {"mac": "darwin", "win": "win32"}
"""https://developer.chrome.com/docs/extensions/reference/api/runtime#type-PlatformOs as `sys.platform` has them."""


class Input:
    """See `browsers.base.Page` for what each method does and raises."""

    def __init__(
        self,
        place: Place,
        debugger: Debugger,
        wanted: Wanted,
        pasting: Callable[[], AbstractAsyncContextManager[None]],
        platform: str = "linux",
    ) -> None:
        """`pasting` is as `cdp.input.Input` has it. `platform` is the browser's computer's (`PLATFORMS`): it decides
        which keys are shortcuts."""
        self._debugger = debugger
        self._fingers = Fingers(platform)
        self._trusted = TrustedInput(debugger, pasting, self._fingers)
        self._dispatched = Dispatched(place, wanted, self._fingers)
        self.was_trusted = True
        """Whether what was done last came from the browser's own input."""

    @property
    def held(self) -> Held:
        return self._fingers.held

    def _hand(self) -> TrustedInput | Dispatched:
        self.was_trusted = self._debugger.is_attached
        return self._trusted if self.was_trusted else self._dispatched

    async def move(self, x: float, y: float) -> None:
        await self._hand().move(x, y)

    async def click(self, x: float, y: float, button: MouseButton, count: int, modifiers: Sequence[str]) -> None:
        await self._hand().click(x, y, button, count, modifiers)

    async def wheel(self, x: float, y: float, dx: float, dy: float) -> None:
        await self._hand().wheel(x, y, dx, dy)

    async def drag(self, x: float, y: float, aim: Callable[[], Awaitable[Point]]) -> None:
        hand = self._hand()
        if isinstance(hand, Dispatched):
            await hand.drag(x, y, aim)
        else:
            self._debugger.check()
            await drag(hand, (x, y), aim)

    async def press(self, keys: Sequence[str]) -> None:
        await self._hand().press(keys)

    async def key_down(self, name: str) -> bool:
        return await self._hand().key_down(name)

    async def key_up(self, names: Sequence[str]) -> None:
        await self._hand().key_up(names)

    async def insert(self, text: str, delay: float) -> None:
        await self._hand().insert(text, delay)
