"""Synthetic input: mouse and keyboard events that the scanner dispatches in the page.

Pages can recognise synthetic events (`event.isTrusted`), and the browser gives scripts no file chooser, no clipboard
and no popup; the extension itself opens links into new tabs. Events for a frame that the frame around it can't access
go to the frame's own scanner."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from oryn.browsers.base import Frame, MouseButton
from oryn.browsers.base.input import Point
from oryn.browsers.common.input import PointerEvent, SequencedKeyboard, SequencedMouse
from oryn.browsers.common.keyboard import MODIFIERS, KeyEvent, KeySequencer
from oryn.browsers.common.tab_state import DocumentGone
from oryn.errors import FrameNotFound, InternalError, NotSupported, TabNotFound, Timeout

if TYPE_CHECKING:
    from oryn.scanner.protocol import (
        InsertedText,
        KeyData,
        KeyModifier,
        KeysRequest,
        PointerKind,
        PointerRequest,
        ScannerRequest,
        ScannerResponse,
    )

INPUT_SECONDS = 10.0
_MAX_FRAME_DEPTH = 20
_MODIFIER_NAMES: tuple[KeyModifier, ...] = ("alt", "control", "meta", "shift")


class ScannerPage(Protocol):
    """The page that gets the events; see `browsers.base.Page`."""

    async def scanner(
        self, request: ScannerRequest, frame: Frame | None = None, *, timeout: float = 30
    ) -> ScannerResponse: ...

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

    async def send(self, request: PointerRequest | KeysRequest, frame: Frame | None) -> dict[str, Any]:
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
    """The frame that a point lies in, where its viewport begins in the tab's, and what its scanner has answered."""

    def __init__(self, frame: Frame | None, origin: Point, answer: dict[str, Any]) -> None:
        self.frame = frame
        self.origin = origin
        self.answer = answer


class SyntheticMouse(SequencedMouse):
    """The mouse of one tab, by synthetic events. Its methods raise `Timeout` like `InputRequests.send`. While a button
    is held, all events go to the frame where it went down."""

    def __init__(self, requests: InputRequests, sequencer: KeySequencer) -> None:
        super().__init__(requests.page.check_input_allowed, sequencer)
        self._requests = requests
        self._page = requests.page
        self._pressed_in = _HitFrame(None, (0, 0), {})

    async def _deliver(self, events: Sequence[PointerEvent], modifiers: Sequence[str] = ()) -> None:
        for event in events:
            point = event.x, event.y
            if event.kind == "down":
                self._pressed_in = await self._point("down", point, button=event.button or "left")
            elif event.button is not None:
                await self._capture(event.kind, point)
            else:
                await self._point("move", point)

    def _cancel_drag(self, x: float, y: float) -> None:
        task = asyncio.get_running_loop().create_task(self._capture("cancel", (x, y)))
        task.add_done_callback(lambda done: None if done.cancelled() else done.exception())

    async def tap(self, x: float, y: float) -> None:
        await self._begin(x, y)
        await self._point("tap", (x, y))

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
        await self._point("click", (x, y), modifiers, button=button, count=count)

    async def wheel(self, x: float, y: float, dx: float, dy: float) -> None:
        await self._begin(x, y)
        await self._point("wheel", (x, y), dx=dx, dy=dy)

    # --- what a browser's own mouse may lack ---

    async def double_click(self, x: float, y: float, modifiers: Sequence[str] = ()) -> None:
        """Make a double click of two trusted clicks, unless the browser has done so."""
        await self._point("double", (x, y), modifiers)

    async def touch(self, x: float, y: float) -> bool:
        """Tap, without the mouse events that follow a touch. Whether these are to follow."""
        hit = await self._point("touch", (x, y))
        return hit.answer.get("prevented") is False

    async def is_draggable(self, x: float, y: float) -> bool:
        """Whether a mouse that is pressed at a point drags an element away."""
        hit = await self._point("draggable", (x, y))
        return hit.answer.get("draggable") is True

    async def frame_at(self, x: float, y: float) -> Frame | None:
        """The innermost frame at a point; None for the top one."""
        return (await self._point("draggable", (x, y))).frame

    async def drop(self, x: float, y: float) -> None:
        """Drop the files that were chosen in the frame at a point."""
        await self._begin(x, y)
        await self._point("drop", (x, y))

    async def _point(
        self,
        kind: PointerKind,
        point: Point,
        modifiers: Sequence[str] = (),
        *,
        button: MouseButton = "left",
        count: int = 1,
        dx: float = 0,
        dy: float = 0,
    ) -> _HitFrame:
        """Send a mouse event at a point of the tab's viewport; the frame that it has hit."""
        frame: Frame | None = None
        x, y = point
        held = _modifier_names(self._sequencer.modifiers(modifiers))
        for _ in range(_MAX_FRAME_DEPTH):
            request: PointerRequest = {"cmd": "pointer", "kind": kind, "x": x, "y": y, "modifiers": held}
            request |= {"button": button, "count": count, "dx": dx, "dy": dy}
            answer = await self._requests.send(request, frame)
            if answer.get("frame") is None:
                return _HitFrame(frame, (point[0] - x, point[1] - y), answer)
            x, y = answer["x"], answer["y"]
            frame = await self._page.frame_of(answer["frame"], frame)
        raise InternalError("frames lie too deep in each other for the mouse")

    async def _capture(self, kind: PointerKind, point: Point) -> None:
        """Send a mouse event at a point of the tab's viewport to the frame that has captured the mouse."""
        left, top = self._pressed_in.origin
        held = _modifier_names(self._sequencer.held.modifiers)
        x, y = point[0] - left, point[1] - top
        request: PointerRequest = {"cmd": "pointer", "kind": kind, "x": x, "y": y, "modifiers": held, "captured": True}
        await self._requests.send(request, self._pressed_in.frame)


class SyntheticKeyboard(SequencedKeyboard):
    """The keyboard of one tab, by synthetic events. Its methods raise `Timeout` like `InputRequests.send`, and
    `NotSupported` with `clipboard_hint` for keys that copy or paste."""

    def __init__(self, requests: InputRequests, sequencer: KeySequencer, clipboard_hint: str) -> None:
        super().__init__(requests.page.check_input_allowed, sequencer)
        self._requests = requests
        self._page = requests.page
        self._clipboard_hint = clipboard_hint

    async def insert(self, text: str) -> None:
        await self._check()
        await self._send_events([{"kind": "insert", "text": text}])

    async def _deliver(self, events: Sequence[KeyEvent]) -> None:
        await self._send_events([to_scanner_event(event) for event in events])

    async def _send_events(self, left: Sequence[KeyData | InsertedText]) -> None:
        """Send each event to the frame that has the focus by then."""
        frame: Frame | None = None
        while left:
            answer = await self._requests.send({"cmd": "keys", "events": left}, frame)
            left = left[answer.get("done", len(left)) :]
            if answer.get("missing"):
                raise NotSupported(hint=self._clipboard_hint)
            frame = None if answer.get("frame") is None else await self._page.frame_of(answer["frame"], frame)


def to_scanner_event(key_event: KeyEvent) -> KeyData:
    """A key event as the scanner's command `keys` takes it."""
    key = key_event.key
    event: KeyData = {
        "kind": key_event.kind,
        "key": key.key,
        "code": key.code,
        "key_code": key.key_code,
        "location": key.location,
        "modifiers": _modifier_names(key_event.modifiers),
        "text": key_event.text,
        "repeat": key_event.repeated,
    }
    if key_event.command:
        event["command"] = key_event.command
    return event


def _modifier_names(modifiers: int) -> list[KeyModifier]:
    return [name for name in _MODIFIER_NAMES if modifiers & MODIFIERS[name]]
