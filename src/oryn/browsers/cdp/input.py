"""Trusted input: mouse and keyboard events that the browser handles like those of a person.

Events that belong together are sent together. The browser does not acknowledge input while a dialog is open, although a
click that opens one has been delivered.
https://chromedevtools.github.io/devtools-protocol/tot/Input/"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any

from oryn.browsers.base import MouseButton
from oryn.browsers.cdp.connection import Answer
from oryn.browsers.cdp.tab_connection import TabCommands
from oryn.browsers.common import keyboard
from oryn.browsers.common.keyboard import KeyEvent, KeySequencer, PressedKeys, split_text
from oryn.errors import DialogOpen, TabNotFound

INPUT_SECONDS = 10.0
MAX_KEY_UNITS = 3
"""The most UTF-16 units of text that a key event can carry; longer text is inserted between key down and key up.
https://source.chromium.org/chromium/chromium/src/+/main:third_party/blink/public/common/input/web_keyboard_event.h"""
_BUTTON_BITS = {"left": 1, "right": 2, "middle": 4}


class CdpInput:
    """The mouse and the keyboard of one tab.

    pasting: returns a context manager that puts the session's text into the browser's clipboard for a paste."""

    def __init__(
        self,
        channel: TabCommands,
        pasting: Callable[[], AbstractAsyncContextManager[None]] = nullcontext,
        sequencer: KeySequencer | None = None,
    ) -> None:
        self._channel = channel
        self._pasting = pasting
        self._sequencer = sequencer or KeySequencer()

    @property
    def held(self) -> PressedKeys:
        return self._sequencer.held

    # --- mouse ---

    async def move(self, x: float, y: float) -> None:
        self._channel.check()
        await self._deliver([self._mouse("mouseMoved", x, y)])

    async def click(self, x: float, y: float, button: MouseButton, count: int, modifiers: Sequence[str]) -> None:
        self._channel.check()
        bits = self._sequencer.modifiers(modifiers)
        events = [self._mouse("mouseMoved", x, y, modifiers=bits)]
        for number in range(1, count + 1):
            about = {"button": button, "clickCount": number, "modifiers": bits}
            events.append(self._mouse("mousePressed", x, y, buttons=_BUTTON_BITS[button], **about))
            events.append(self._mouse("mouseReleased", x, y, buttons=0, **about))
        await self._deliver(events)

    async def wheel(self, x: float, y: float, dx: float, dy: float) -> None:
        self._channel.check()
        await self._deliver([self._mouse("mouseWheel", x, y, deltaX=dx, deltaY=dy)])

    async def mouse_down(self, x: float, y: float) -> None:
        """Press the left button and hold it for `mouse_drag` and `mouse_up`."""
        moved = self._mouse("mouseMoved", x, y)
        await self._deliver([moved, self._mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)])

    async def mouse_drag(self, x: float, y: float) -> None:
        await self._deliver([self._mouse("mouseMoved", x, y, button="left", buttons=1)])

    async def mouse_up(self, x: float, y: float) -> None:
        await self._deliver([self._mouse("mouseReleased", x, y, button="left", buttons=0, clickCount=1)])

    def cancel_drag(self, x: float, y: float) -> None:
        """Cancel a drag and release the button here, without waiting: the page may be the reason for it."""
        self._channel.session.send("Input.cancelDragging")
        self._mouse("mouseReleased", x, y, button="left", buttons=0, clickCount=1)

    async def drop_files(self, x: float, y: float, paths: Sequence[str]) -> None:
        copy = 1
        data = {"items": [], "files": list(paths), "dragOperationsMask": copy}
        about = {"x": x, "y": y, "data": data, "modifiers": self.held.modifiers}
        kinds = ("dragEnter", "dragOver", "drop")
        session = self._channel.session
        await self._deliver([session.send("Input.dispatchDragEvent", {"type": kind, **about}) for kind in kinds])

    def _mouse(self, kind: str, x: float, y: float, **more: Any) -> asyncio.Future[Answer]:
        about = {"type": kind, "x": x, "y": y, "modifiers": self.held.modifiers, **more}
        return self._channel.session.send("Input.dispatchMouseEvent", about)

    # --- keyboard ---

    async def press(self, keys: Sequence[str]) -> None:
        """Press a key combination. Of keys that are held already only the last is pressed again, and none released."""
        self._channel.check()
        await self._send_sequence(self._sequencer.press(keys))

    async def key_down(self, name: str) -> bool:
        """Press a key and hold it. Returns whether it was up before."""
        self._channel.check()
        was_up, strokes = self._sequencer.hold(name)
        await self._send_sequence(strokes)
        return was_up

    async def _send_sequence(self, strokes: Sequence[KeyEvent]) -> None:
        pastes = any(stroke.command in keyboard.PASTE_COMMANDS for stroke in strokes)
        async with self._pasting() if pastes else nullcontext():
            await self._deliver([sent for stroke in strokes for sent in self._send(stroke)])

    async def key_up(self, names: Sequence[str]) -> None:
        """Release held keys, in this order; other keys are ignored."""
        self._channel.check()
        await self._send_sequence(self._sequencer.release(names))

    async def insert(self, text: str, delay: float) -> None:
        self._channel.check()
        pending: list[asyncio.Future[Answer]] = []
        for piece in split_text(text):
            pending += [sent for stroke in self._sequencer.type(piece) for sent in self._send(stroke)]
            if delay:
                await self._deliver_all(pending)
                pending = []
                await asyncio.sleep(delay)
                self._channel.check()
        await self._deliver_all(pending)

    def _send(self, stroke: KeyEvent) -> list[asyncio.Future[Answer]]:
        text = stroke.text if len(stroke.text) <= 1 or _units(stroke.text) <= MAX_KEY_UNITS else ""
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

    async def _deliver(self, events: list[asyncio.Future[Answer]]) -> None:
        """Wait for events. Does not fail if they open a dialog or close the tab."""
        try:
            await self._channel.pipeline(events, INPUT_SECONDS)
        except (DialogOpen, TabNotFound):
            pass

    async def _deliver_all(self, events: list[asyncio.Future[Answer]]) -> None:
        """Like `_deliver`, but raises `DialogOpen` if a dialog prevented the delivery of events."""
        try:
            await self._channel.pipeline(events, INPUT_SECONDS)
        except DialogOpen:
            if any(isinstance(event.exception(), DialogOpen) for event in events[:-2] if event.done()):
                raise
        except TabNotFound:
            pass


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2
