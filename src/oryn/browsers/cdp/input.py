"""Trusted input: the browser's own pipeline gets the events, as if a person's hand made them.

Events that belong together are sent together and only the last is awaited. The browser does not acknowledge input while
a dialog is open; a click that opens one has been made all the same.
https://chromedevtools.github.io/devtools-protocol/tot/Input/
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any

from oryn.browsers.base import MouseButton
from oryn.browsers.cdp.calls import Calls
from oryn.browsers.cdp.connection import Answer
from oryn.browsers.common import keyboard
from oryn.browsers.common.held import Held
from oryn.browsers.common.strokes import Fingers, Stroke, pieces
from oryn.errors import DialogOpen, TabNotFound

INPUT_SECONDS = 10.0
MOST_UNITS = 3
"""UTF-16 units that a key event may have for text; more go in between two of them.
https://source.chromium.org/chromium/chromium/src/+/main:third_party/blink/public/common/input/web_keyboard_event.h"""
_BUTTON_BITS = {"left": 1, "right": 2, "middle": 4}


class Input:
    """The mouse and the keyboard of one tab."""

    def __init__(
        self,
        channel: Calls,
        pasting: Callable[[], AbstractAsyncContextManager[None]] = nullcontext,
        fingers: Fingers | None = None,
    ) -> None:
        """`pasting` makes the browser's clipboard the session's for as long as it is entered."""
        self._channel = channel
        self._pasting = pasting
        self._fingers = fingers or Fingers()

    @property
    def held(self) -> Held:
        return self._fingers.held

    # --- mouse ---

    async def move(self, x: float, y: float) -> None:
        self._channel.check()
        await self._delivered([self._mouse("mouseMoved", x, y)])

    async def click(self, x: float, y: float, button: MouseButton, count: int, modifiers: Sequence[str]) -> None:
        self._channel.check()
        bits = self._fingers.modifiers(modifiers)
        events = [self._mouse("mouseMoved", x, y, modifiers=bits)]
        for number in range(1, count + 1):
            about = {"button": button, "clickCount": number, "modifiers": bits}
            events.append(self._mouse("mousePressed", x, y, buttons=_BUTTON_BITS[button], **about))
            events.append(self._mouse("mouseReleased", x, y, buttons=0, **about))
        await self._delivered(events)

    async def wheel(self, x: float, y: float, dx: float, dy: float) -> None:
        self._channel.check()
        await self._delivered([self._mouse("mouseWheel", x, y, deltaX=dx, deltaY=dy)])

    async def mouse_down(self, x: float, y: float) -> None:
        """Press the left button and keep it; `mouse_drag` and `mouse_up` go on from there."""
        moved = self._mouse("mouseMoved", x, y)
        await self._delivered([moved, self._mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)])

    async def mouse_drag(self, x: float, y: float) -> None:
        await self._delivered([self._mouse("mouseMoved", x, y, button="left", buttons=1)])

    async def mouse_up(self, x: float, y: float) -> None:
        await self._delivered([self._mouse("mouseReleased", x, y, button="left", buttons=0, clickCount=1)])

    def drop_nothing(self, x: float, y: float) -> None:
        """Break off a drag, and let the button go here. Not waited for: the page may be why it is broken off."""
        self._channel.session.send("Input.cancelDragging")
        self._mouse("mouseReleased", x, y, button="left", buttons=0, clickCount=1)

    async def drop_files(self, x: float, y: float, paths: Sequence[str]) -> None:
        copy = 1
        data = {"items": [], "files": list(paths), "dragOperationsMask": copy}
        about = {"x": x, "y": y, "data": data, "modifiers": self.held.modifiers}
        kinds = ("dragEnter", "dragOver", "drop")
        session = self._channel.session
        await self._delivered([session.send("Input.dispatchDragEvent", {"type": kind, **about}) for kind in kinds])

    def _mouse(self, kind: str, x: float, y: float, **more: Any) -> asyncio.Future[Answer]:
        about = {"type": kind, "x": x, "y": y, "modifiers": self.held.modifiers, **more}
        return self._channel.session.send("Input.dispatchMouseEvent", about)

    # --- keyboard ---

    async def press(self, keys: Sequence[str]) -> None:
        """Keys that are held already are neither pressed again, save the last, nor let go."""
        self._channel.check()
        await self._strike(self._fingers.press(keys))

    async def key_down(self, name: str) -> bool:
        """Press a key and keep it. Whether it was up before."""
        self._channel.check()
        was_up, strokes = self._fingers.hold(name)
        await self._strike(strokes)
        return was_up

    async def _strike(self, strokes: Sequence[Stroke]) -> None:
        pastes = any(stroke.command in keyboard.PASTES for stroke in strokes)
        async with self._pasting() if pastes else nullcontext():
            await self._delivered([sent for stroke in strokes for sent in self._send(stroke)])

    async def key_up(self, names: Sequence[str]) -> None:
        """Let held keys go, in this order; others are let be."""
        self._channel.check()
        await self._strike(self._fingers.let_go(names))

    async def insert(self, text: str, delay: float) -> None:
        self._channel.check()
        pending: list[asyncio.Future[Answer]] = []
        for piece in pieces(text):
            pending += [sent for stroke in self._fingers.type(piece) for sent in self._send(stroke)]
            if delay:
                await self._all_delivered(pending)
                pending = []
                await asyncio.sleep(delay)
                self._channel.check()
        await self._all_delivered(pending)

    def _send(self, stroke: Stroke) -> list[asyncio.Future[Answer]]:
        text = stroke.text if len(stroke.text) <= 1 or _units(stroke.text) <= MOST_UNITS else ""
        kind = "keyUp" if stroke.kind == "up" else "keyDown" if text else "rawKeyDown"
        params: dict[str, Any] = {
            "modifiers": stroke.modifiers,
            "key": stroke.key.key,
            "code": stroke.key.code,
            "windowsVirtualKeyCode": stroke.key.key_code,
            "location": stroke.key.location,
            "type": kind,
        }
        if text:
            params |= {"text": text, "unmodifiedText": text}
        if stroke.command:
            params["commands"] = [stroke.command]
        if stroke.repeated:
            params["autoRepeat"] = True
        sent = [self._channel.session.send("Input.dispatchKeyEvent", params)]
        if stroke.text and not text:
            sent.append(self._channel.session.send("Input.insertText", {"text": stroke.text}))
        return sent

    # --- delivery ---

    async def _delivered(self, events: list[asyncio.Future[Answer]]) -> None:
        """Wait for events. A dialog or the end of the tab that they bring about is no failure of theirs."""
        try:
            await self._channel.pipeline(events, INPUT_SECONDS)
        except (DialogOpen, TabNotFound):
            pass

    async def _all_delivered(self, events: list[asyncio.Future[Answer]]) -> None:
        """As `_delivered`, but what a dialog kept from arriving is lost: raises `DialogOpen`."""
        try:
            await self._channel.pipeline(events, INPUT_SECONDS)
        except DialogOpen:
            if any(isinstance(event.exception(), DialogOpen) for event in events[:-2] if event.done()):
                raise
        except TabNotFound:
            pass


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2
