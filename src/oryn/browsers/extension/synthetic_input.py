"""Synthetic input: mouse and keyboard events that the scanner dispatches in the page.

Pages can recognise synthetic events (`event.isTrusted`), and the browser gives scripts no file chooser, no clipboard
and no popup; the extension itself opens links into new tabs. Events for a frame that the frame around it can't access
go to the frame's own scanner."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol

from oryn.browsers.base import Frame, Keyboard, Mouse, MouseButton
from oryn.browsers.base.input import Point
from oryn.browsers.common.drag import drag
from oryn.browsers.common.keyboard import MODIFIERS, KeyEvent, KeySequencer, split_text
from oryn.browsers.common.tab_state import DocumentGone
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

    async def check_input_allowed(self, *point: float) -> None: ...

    async def frame_of(self, element_id: int, frame: Frame | None = None) -> Frame: ...


class ClickSideEffects(Protocol):
    """What a click starts, but a synthetic click may not."""

    async def open_tab(self, url: str) -> None:
        """Open a link in a new tab, which stays in the background."""

    def on_file_chooser_opened(self) -> None:
        """A file field has opened its chooser."""


class InputRequests:
    """Sends the events of one tab to its scanners."""

    def __init__(self, page: ScannerPage, side_effects: ClickSideEffects) -> None:
        self.page = page
        self._side_effects = side_effects

    async def send(self, request: dict[str, Any], frame: Frame | None) -> dict[str, Any]:
        """Send one input command to the scanner of `frame`; its answer. {} if the document or the tab goes away
        meanwhile: it has had the input. Raises `Timeout` if the page does not take the input, for example because a
        dialog is open."""
        try:
            response = await self.page.scanner(request, frame, timeout=INPUT_SECONDS)
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
            self._side_effects.on_file_chooser_opened()
        return data


class _HitFrame:
    """The frame that a point lies in, and where its viewport begins in the tab's."""

    def __init__(self, frame: Frame | None, origin: Point) -> None:
        self.frame = frame
        self.origin = origin


class SyntheticMouse(Mouse):
    """The mouse of one tab, by synthetic events. Its methods raise `Timeout` like `InputRequests.send`."""

    def __init__(self, requests: InputRequests, sequencer: KeySequencer) -> None:
        self._requests = requests
        self._page = requests.page
        self._sequencer = sequencer
        self._position: Point | None = None
        self._held: MouseButton | None = None
        self._pressed_in = _HitFrame(None, (0, 0))

    @property
    def position(self) -> Point | None:
        return self._position

    @property
    def held(self) -> MouseButton | None:
        return self._held

    async def move(self, x: float, y: float) -> None:
        await self._begin(x, y)
        if self._held:
            await self.capture("move", (x, y), self._pressed_in)
        else:
            await self.point("move", (x, y))

    async def press(self, x: float, y: float, *, button: MouseButton = "left", count: int = 1) -> None:
        await self._begin(x, y)
        await self.point("move", (x, y))
        self._held = button
        self._pressed_in = await self.point("down", (x, y), button=button)

    async def release(self, x: float, y: float) -> None:
        await self.move(x, y)
        if self._held:
            self._held = None
            await self.capture("up", (x, y), self._pressed_in)

    async def tap(self, x: float, y: float) -> None:
        await self._begin(x, y)
        await self.point("tap", (x, y))

    async def _begin(self, x: float, y: float) -> None:
        await self._page.check_input_allowed(x, y)
        self._position = x, y

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
        await self.point("click", (x, y), modifiers, button=button, count=count)

    async def wheel(self, x: float, y: float, dx: float, dy: float) -> None:
        await self._begin(x, y)
        await self.point("wheel", (x, y), dx=dx, dy=dy)

    async def drag(self, x: float, y: float, destination: Callable[[], Awaitable[Point]]) -> None:
        """See `Mouse.drag`. All events go to the frame where the drag begins."""
        await self._page.check_input_allowed(x, y)
        await drag(_SyntheticDrag(self), (x, y), destination)

    async def point(self, kind: str, point: Point, modifiers: Sequence[str] = (), **more: Any) -> _HitFrame:
        """Send a mouse event at a point of the tab's viewport; the frame that it has hit."""
        frame: Frame | None = None
        x, y = point
        held = _modifier_names(self._sequencer.modifiers(modifiers))
        for _ in range(_MAX_FRAME_DEPTH):
            request = {"cmd": "pointer", "kind": kind, "x": x, "y": y, "modifiers": held, **more}
            answer = await self._requests.send(request, frame)
            if answer.get("frame") is None:
                return _HitFrame(frame, (point[0] - x, point[1] - y))
            x, y = answer["x"], answer["y"]
            frame = await self._page.frame_of(answer["frame"], frame)
        raise InternalError("frames lie too deep in each other for the mouse")

    async def capture(self, kind: str, point: Point, hit: _HitFrame) -> None:
        """Send a mouse event at a point of the tab's viewport to a frame that has captured the mouse."""
        left, top = hit.origin
        held = _modifier_names(self._sequencer.held.modifiers)
        at = {"x": point[0] - left, "y": point[1] - top, "modifiers": held, "captured": True}
        await self._requests.send({"cmd": "pointer", "kind": kind, **at}, hit.frame)


class _SyntheticDrag:
    """The mouse while it drags: every event goes to the frame where the button went down."""

    def __init__(self, mouse: SyntheticMouse) -> None:
        self._mouse = mouse
        self._hit = _HitFrame(None, (0, 0))

    async def down(self, x: float, y: float) -> None:
        await self._mouse.point("move", (x, y))
        self._hit = await self._mouse.point("down", (x, y))

    async def drag_to(self, x: float, y: float) -> None:
        await self._mouse.capture("move", (x, y), self._hit)

    async def up(self, x: float, y: float) -> None:
        await self._mouse.capture("up", (x, y), self._hit)

    def cancel_drag(self, x: float, y: float) -> None:
        task = asyncio.get_running_loop().create_task(self._mouse.capture("cancel", (x, y), self._hit))
        task.add_done_callback(lambda done: None if done.cancelled() else done.exception())


class SyntheticKeyboard(Keyboard):
    """The keyboard of one tab, by synthetic events. Its methods raise `Timeout` like `InputRequests.send`, and
    `NotSupported` for keys that copy or paste."""

    def __init__(self, requests: InputRequests, sequencer: KeySequencer) -> None:
        self._requests = requests
        self._page = requests.page
        self._sequencer = sequencer

    @property
    def held(self) -> tuple[str, ...]:
        return self._sequencer.held.names

    async def press(self, keys: Sequence[str]) -> None:
        await self._page.check_input_allowed()
        await self._send(self._sequencer.press(keys))

    async def down(self, key: str) -> bool:
        await self._page.check_input_allowed()
        was_up, key_events = self._sequencer.hold(key)
        await self._send(key_events)
        return was_up

    async def up(self, keys: Sequence[str]) -> None:
        await self._send(self._sequencer.release(keys))

    async def type(self, text: str, *, delay: float = 0) -> None:
        await self._page.check_input_allowed()
        key_events: list[KeyEvent] = []
        for piece in split_text(text):
            key_events += self._sequencer.type(piece)
            if delay or len(key_events) >= MAX_EVENTS_PER_REQUEST:
                await self._send(key_events)
                key_events = []
                await asyncio.sleep(delay)
        await self._send(key_events)

    async def insert(self, text: str) -> None:
        await self._page.check_input_allowed()
        await self._send_events([{"kind": "insert", "text": text}])

    async def _send(self, key_events: Sequence[KeyEvent]) -> None:
        await self._send_events([to_scanner_event(key_event) for key_event in key_events])

    async def _send_events(self, left: list[dict[str, Any]]) -> None:
        """Send each event to the frame that has the focus by then."""
        frame: Frame | None = None
        while left:
            answer = await self._requests.send({"cmd": "keys", "events": left}, frame)
            left = left[answer.get("done", len(left)) :]
            if answer.get("missing"):
                raise NotSupported(hint=f"The clipboard needs {TRUSTED_INPUT_SETTING}.")
            frame = None if answer.get("frame") is None else await self._page.frame_of(answer["frame"], frame)


def to_scanner_event(key_event: KeyEvent) -> dict[str, Any]:
    """A key event as the scanner's command `keys` takes it."""
    key = key_event.key
    event = {
        "kind": key_event.kind,
        "key": key.key,
        "code": key.code,
        "key_code": key.key_code,
        "location": key.location,
    }
    event |= {"modifiers": _modifier_names(key_event.modifiers), "text": key_event.text, "repeat": key_event.repeated}
    return event | ({"command": key_event.command} if key_event.command else {})


def _modifier_names(modifiers: int) -> list[str]:
    return [name for name, bit in MODIFIERS.items() if modifiers & bit]
