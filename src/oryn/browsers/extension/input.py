"""The mouse and the keyboard of one tab: the browser's own (trusted) input if the user allows the debugger, else
synthetic events that the scanner dispatches in the page. Held keys stay held when the kind of input changes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager

from oryn.browsers.base import Keyboard, Mouse, MouseButton
from oryn.browsers.base.input import Point
from oryn.browsers.cdp.input import CdpKeyboard, CdpMouse
from oryn.browsers.common.keyboard import KeySequencer
from oryn.browsers.common.synthetic_input import (
    ClickSideEffects,
    InputRequests,
    ScannerPage,
    SyntheticKeyboard,
    SyntheticMouse,
)
from oryn.browsers.extension.debugger import TabDebugger
from oryn.browsers.extension.error_mapping import TRUSTED_INPUT_SETTING


class ExtensionInput:
    """The `mouse` and the `keyboard` of one tab, trusted while its debugger is attached."""

    def __init__(
        self,
        page: ScannerPage,
        debugger: TabDebugger,
        side_effects: ClickSideEffects,
        pasting: Callable[[], AbstractAsyncContextManager[str | None]],
        platform: str = "linux",
    ) -> None:
        """`pasting` is as in `CdpKeyboard`. `platform` is that of the browser's computer, as `sys.platform` has it: it
        decides which keys are shortcuts."""
        self._debugger = debugger
        self.was_trusted = True
        """Whether the last input was the browser's own."""
        sequencer = KeySequencer(platform)
        requests = InputRequests(page, side_effects)
        check = page.check_input_allowed
        self.synthetic_mouse = SyntheticMouse(requests, sequencer)
        self.mouse = ExtensionMouse(self._use_debugger, CdpMouse(debugger, check, sequencer), self.synthetic_mouse)
        self.keyboard = ExtensionKeyboard(
            self._use_debugger,
            CdpKeyboard(debugger, check, sequencer, pasting),
            SyntheticKeyboard(requests, sequencer, f"The clipboard needs {TRUSTED_INPUT_SETTING}."),
        )

    def _use_debugger(self) -> bool:
        """Whether the input that begins is the browser's own."""
        self.was_trusted = self._debugger.is_attached
        return self.was_trusted


class ExtensionMouse(Mouse):
    """A mouse that is chosen whenever it is used: `trusted` if `use_debugger()`, else `synthetic`."""

    def __init__(self, use_debugger: Callable[[], bool], trusted: Mouse, synthetic: Mouse) -> None:
        self._use_debugger = use_debugger
        self._trusted = trusted
        self._synthetic = synthetic

    def _choose(self) -> Mouse:
        return self._trusted if self._use_debugger() else self._synthetic

    async def move(self, x: float, y: float) -> None:
        await self._choose().move(x, y)

    async def click(
        self,
        x: float,
        y: float,
        *,
        button: MouseButton = "left",
        count: int = 1,
        modifiers: Sequence[str] = (),
    ) -> None:
        await self._choose().click(x, y, button=button, count=count, modifiers=modifiers)

    @property
    def position(self) -> Point | None:
        return self._choose().position

    @property
    def held(self) -> MouseButton | None:
        return self._choose().held

    async def press(self, x: float, y: float, *, button: MouseButton = "left", count: int = 1) -> None:
        await self._choose().press(x, y, button=button, count=count)

    async def release(self, x: float, y: float) -> None:
        await self._choose().release(x, y)

    async def tap(self, x: float, y: float) -> None:
        await self._choose().tap(x, y)

    async def wheel(self, x: float, y: float, dx: float, dy: float) -> None:
        await self._choose().wheel(x, y, dx, dy)

    async def drag(self, x: float, y: float, destination: Callable[[], Awaitable[Point]]) -> None:
        await self._choose().drag(x, y, destination)


class ExtensionKeyboard(Keyboard):
    """A keyboard that is chosen whenever it is used, as in `ExtensionMouse`. Both have the same held keys."""

    def __init__(self, use_debugger: Callable[[], bool], trusted: Keyboard, synthetic: Keyboard) -> None:
        self._use_debugger = use_debugger
        self._trusted = trusted
        self._synthetic = synthetic

    def _choose(self) -> Keyboard:
        return self._trusted if self._use_debugger() else self._synthetic

    @property
    def held(self) -> tuple[str, ...]:
        return self._trusted.held

    async def press(self, keys: Sequence[str]) -> None:
        await self._choose().press(keys)

    async def down(self, key: str) -> bool:
        return await self._choose().down(key)

    async def up(self, keys: Sequence[str]) -> None:
        await self._choose().up(keys)

    async def type(self, text: str, *, delay: float = 0) -> None:
        await self._choose().type(text, delay=delay)

    async def insert(self, text: str) -> None:
        await self._choose().insert(text)
