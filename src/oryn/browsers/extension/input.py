"""The mouse and the keyboard of one tab: the browser's own (trusted) input if the user allows the debugger, else
synthetic events that the scanner dispatches in the page.

Pages can recognise synthetic events (`event.isTrusted`), and the browser gives scripts no file chooser, no clipboard
and no popup; the extension itself opens links into new tabs. Pressed keys stay pressed when the kind of input
changes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from oryn.browsers.base import Frame, MouseButton
from oryn.browsers.cdp.input import CdpInput as TrustedInput
from oryn.browsers.common.drag import Point, drag
from oryn.browsers.common.keyboard import MODIFIERS, KeyEvent, KeySequencer, PressedKeys, split_text
from oryn.browsers.common.tab_state import DocumentGone
from oryn.browsers.extension.debugger import TabDebugger
from oryn.browsers.extension.error_mapping import TRUSTED_INPUT_SETTING
from oryn.errors import FrameNotFound, InternalError, NotSupported, TabNotFound, Timeout

INPUT_SECONDS = 10.0
MAX_EVENTS_PER_REQUEST = 200
"""So that no message takes so long that its page seems to hang."""
_MAX_FRAME_DEPTH = 20


class ScannerPage(Protocol):
    """The page that gets the events; see `browsers.base.Page`."""

    async def scanner(
        self, request: dict[str, Any], frame: Frame | None = None, *, timeout: float = 30
    ) -> dict[str, Any]: ...

    async def frame_of(self, element_id: int, frame: Frame | None = None) -> Frame: ...


class ClickSideEffects(Protocol):
    """What a click starts, but a synthetic click may not."""

    async def open_tab(self, url: str) -> None:
        """Open a link in a new tab, which stays in the background."""

    def file_chooser_opened(self) -> None:
        """A file field has opened its chooser."""


class SyntheticInput:
    """The mouse and the keyboard of one tab, by synthetic events. Events for a frame that the frame around it can't
    access go to the frame's own scanner. Each method raises `Timeout` if the page does not take the input, for example
    because a dialog is open."""

    def __init__(
        self, page: ScannerPage, side_effects: ClickSideEffects, sequencer: KeySequencer | None = None
    ) -> None:
        self._page = page
        self._side_effects = side_effects
        self._sequencer = sequencer or KeySequencer()

    @property
    def held(self) -> PressedKeys:
        return self._sequencer.held

    # --- mouse ---

    async def move(self, x: float, y: float) -> None:
        await self.point("move", (x, y))

    async def click(self, x: float, y: float, button: MouseButton, count: int, modifiers: Sequence[str]) -> None:
        await self.point("click", (x, y), modifiers, button=button, count=count)

    async def wheel(self, x: float, y: float, dx: float, dy: float) -> None:
        await self.point("wheel", (x, y), dx=dx, dy=dy)

    async def drag(self, x: float, y: float, aim: Callable[[], Awaitable[Point]]) -> None:
        """See `browsers.base.Page.drag`. All events go to the frame where the drag begins."""
        await drag(_SyntheticDrag(self), (x, y), aim)

    async def point(self, kind: str, point: Point, modifiers: Sequence[str] = (), **more: Any) -> _HitFrame:
        """Send a mouse event at a point of the tab's viewport; the frame that it has hit."""
        frame: Frame | None = None
        x, y = point
        held = _modifier_names(self._sequencer.modifiers(modifiers))
        for _ in range(_MAX_FRAME_DEPTH):
            request = {"cmd": "pointer", "kind": kind, "x": x, "y": y, "modifiers": held, **more}
            answer = await self.send_request(request, frame)
            if answer.get("frame") is None:
                return _HitFrame(frame, (point[0] - x, point[1] - y))
            x, y = answer["x"], answer["y"]
            frame = await self._page.frame_of(answer["frame"], frame)
        raise InternalError("frames lie too deep in each other for the mouse")

    # --- keyboard ---

    async def press(self, keys: Sequence[str]) -> None:
        await self._send_keys(self._sequencer.press(keys))

    async def key_down(self, name: str) -> bool:
        """Press a key and hold it. Whether it was up before."""
        was_up, strokes = self._sequencer.hold(name)
        await self._send_keys(strokes)
        return was_up

    async def key_up(self, names: Sequence[str]) -> None:
        """Release pressed keys, in this order; other keys are ignored."""
        await self._send_keys(self._sequencer.release(names))

    async def insert(self, text: str, delay: float) -> None:
        strokes: list[KeyEvent] = []
        for piece in split_text(text):
            strokes += self._sequencer.type(piece)
            if delay or len(strokes) >= MAX_EVENTS_PER_REQUEST:
                await self._send_keys(strokes)
                strokes = []
                await asyncio.sleep(delay)
        await self._send_keys(strokes)

    async def _send_keys(self, strokes: Sequence[KeyEvent]) -> None:
        """Send each key event to the frame that has the focus by then. Raises `NotSupported` for the clipboard."""
        left = [to_scanner_event(stroke) for stroke in strokes]
        frame: Frame | None = None
        while left:
            answer = await self.send_request({"cmd": "keys", "events": left}, frame)
            left = left[answer.get("done", len(left)) :]
            if answer.get("missing"):
                raise NotSupported(hint=f"The clipboard needs {TRUSTED_INPUT_SETTING}.")
            frame = None if answer.get("frame") is None else await self._page.frame_of(answer["frame"], frame)

    # --- delivery ---

    async def send_request(self, request: dict[str, Any], frame: Frame | None) -> dict[str, Any]:
        """Send one input command to the scanner; its answer. {} if the document or the tab goes away meanwhile: it has
        had the input."""
        try:
            response = await self._page.scanner(request, frame, timeout=INPUT_SECONDS)
        except Timeout:
            raise Timeout(f"the page did not take input within {INPUT_SECONDS:g} s") from None
        except (DocumentGone, TabNotFound):
            return {}
        if not response["ok"]:
            kind = FrameNotFound if response["code"] == "FRAME_NOT_FOUND" else InternalError
            raise kind(f"the page did not take the input: {response['error']}")
        data: dict[str, Any] = response["data"]
        for url in data.get("opened", ()):
            await self._side_effects.open_tab(str(url))
        if data.get("chooser"):
            self._side_effects.file_chooser_opened()
        return data


class _HitFrame:
    """The frame that a point lies in, and where its viewport begins in the tab's."""

    def __init__(self, frame: Frame | None, origin: Point) -> None:
        self.frame = frame
        self.origin = origin


class _SyntheticDrag:
    """The mouse while it drags: every event goes to the frame where the button went down."""

    def __init__(self, input: SyntheticInput) -> None:
        self._input = input
        self._reached = _HitFrame(None, (0, 0))

    async def mouse_down(self, x: float, y: float) -> None:
        await self._input.point("move", (x, y))
        self._reached = await self._input.point("down", (x, y))

    async def mouse_drag(self, x: float, y: float) -> None:
        await self._send("move", x, y)

    async def mouse_up(self, x: float, y: float) -> None:
        await self._send("up", x, y)

    def cancel_drag(self, x: float, y: float) -> None:
        task = asyncio.get_running_loop().create_task(self._send("cancel", x, y))
        task.add_done_callback(lambda done: None if done.cancelled() else done.exception())

    async def _send(self, kind: str, x: float, y: float) -> None:
        left, top = self._reached.origin
        held = _modifier_names(self._input.held.modifiers)
        at = {"x": x - left, "y": y - top, "modifiers": held, "captured": True}
        await self._input.send_request({"cmd": "pointer", "kind": kind, **at}, self._reached.frame)


def to_scanner_event(stroke: KeyEvent) -> dict[str, Any]:
    """A key event as the scanner's command `keys` takes it."""
    key = stroke.key
    event = {"kind": stroke.kind, "key": key.key, "code": key.code, "key_code": key.key_code, "location": key.location}
    event |= {"modifiers": _modifier_names(stroke.modifiers), "text": stroke.text, "repeat": stroke.repeated}
    return event | ({"command": stroke.command} if stroke.command else {})


def _modifier_names(modifiers: int) -> list[str]:
    return [name for name, bit in MODIFIERS.items() if modifiers & bit]


PLATFORMS = {"mac": "darwin", "win": "win32"}
"""https://developer.chrome.com/docs/extensions/reference/api/runtime#type-PlatformOs as `sys.platform` has them."""


class ExtensionInput:
    """Trusted or synthetic input; see `browsers.base.Page` for its methods."""

    def __init__(
        self,
        page: ScannerPage,
        debugger: TabDebugger,
        side_effects: ClickSideEffects,
        pasting: Callable[[], AbstractAsyncContextManager[None]],
        platform: str = "linux",
    ) -> None:
        """`pasting` is as in `CdpInput`. `platform` is that of the browser's computer (`PLATFORMS`): it decides which
        keys are shortcuts."""
        self._debugger = debugger
        self._sequencer = KeySequencer(platform)
        self._trusted = TrustedInput(debugger, pasting, self._sequencer)
        self._synthetic = SyntheticInput(page, side_effects, self._sequencer)
        self.was_trusted = True
        """Whether the last input was the browser's own."""

    @property
    def held(self) -> PressedKeys:
        return self._sequencer.held

    def _driver(self) -> TrustedInput | SyntheticInput:
        self.was_trusted = self._debugger.is_attached
        return self._trusted if self.was_trusted else self._synthetic

    async def move(self, x: float, y: float) -> None:
        await self._driver().move(x, y)

    async def click(self, x: float, y: float, button: MouseButton, count: int, modifiers: Sequence[str]) -> None:
        await self._driver().click(x, y, button, count, modifiers)

    async def wheel(self, x: float, y: float, dx: float, dy: float) -> None:
        await self._driver().wheel(x, y, dx, dy)

    async def drag(self, x: float, y: float, aim: Callable[[], Awaitable[Point]]) -> None:
        driver = self._driver()
        if isinstance(driver, SyntheticInput):
            await driver.drag(x, y, aim)
        else:
            self._debugger.check()
            await drag(driver, (x, y), aim)

    async def press(self, keys: Sequence[str]) -> None:
        await self._driver().press(keys)

    async def key_down(self, name: str) -> bool:
        return await self._driver().key_down(name)

    async def key_up(self, names: Sequence[str]) -> None:
        await self._driver().key_up(names)

    async def insert(self, text: str, delay: float) -> None:
        await self._driver().insert(text, delay)
