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
from oryn.browsers.cdp import keyboard
from oryn.browsers.cdp.channel import Channel
from oryn.browsers.cdp.connection import Answer
from oryn.browsers.cdp.held import Held, key_called, modifier_bits
from oryn.browsers.cdp.keyboard import Key
from oryn.errors import DialogOpen, TabNotFound

INPUT_SECONDS = 10.0
_BUTTON_BITS = {"left": 1, "right": 2, "middle": 4}


class Input:
    """The mouse and the keyboard of one tab."""

    def __init__(self, channel: Channel, pasting: Callable[[], AbstractAsyncContextManager[None]]) -> None:
        """`pasting` makes the browser's clipboard the session's for as long as it is entered."""
        self._channel = channel
        self._pasting = pasting
        self.held = Held()

    # --- mouse ---

    async def move(self, x: float, y: float) -> None:
        self._channel.check()
        await self._delivered([self._mouse("mouseMoved", x, y)])

    async def click(self, x: float, y: float, button: MouseButton, count: int, modifiers: Sequence[str]) -> None:
        self._channel.check()
        bits = self.held.modifiers | modifier_bits(modifiers)
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
        command = keyboard.editing_command(self.held.combination(keys))
        async with self._pasting() if command in keyboard.PASTES else nullcontext():
            await self._press(keys, command)

    async def _press(self, keys: Sequence[str], command: str | None) -> None:
        together = self.held.combination(keys)
        pressed = [(name, key_called(name)) for name in together if name not in self.held or name == together[-1]]
        bits = self.held.modifiers
        events = []
        for name, key in pressed:
            bits |= keyboard.MODIFIERS.get(name, 0)
            events.append(self._down(key, bits, command if name == together[-1] else None, name in self.held))
        for name, key in reversed(pressed):
            if name not in self.held:
                bits &= ~keyboard.MODIFIERS.get(name, 0)
                events.append(self._up(key, bits))
        await self._delivered(events)

    async def key_down(self, name: str) -> bool:
        """Press a key and keep it. Whether it was up before."""
        self._channel.check()
        was_up = name not in self.held
        key = self.held.add(name)
        command = keyboard.editing_command(self.held.combination((name,)))
        async with self._pasting() if command in keyboard.PASTES else nullcontext():
            await self._delivered([self._down(key, self.held.modifiers, command, not was_up)])
        return was_up

    async def key_up(self, names: Sequence[str]) -> None:
        """Let held keys go, in this order; others are let be."""
        self._channel.check()
        events = []
        for name in names:
            if name in self.held:
                self.held.remove(name)
                events.append(self._up(key_called(name), self.held.modifiers))
        await self._delivered(events)

    async def insert(self, text: str, delay: float) -> None:
        self._channel.check()
        pending: list[asyncio.Future[Answer]] = []
        for piece in _pieces(text):
            pending += self._type(piece)
            if delay:
                await self._all_delivered(pending)
                pending = []
                await asyncio.sleep(delay)
                self._channel.check()
        await self._all_delivered(pending)

    def _type(self, piece: str) -> list[asyncio.Future[Answer]]:
        made = keyboard.typing(piece)
        if made is None:
            return [self._channel.session.send("Input.insertText", {"text": piece})]
        key, shifted = made
        bits = self.held.modifiers | (keyboard.SHIFT if shifted else 0)
        return [self._down(key, bits), self._up(key, bits)]

    def _down(self, key: Key, held: int, command: str | None = None, repeated: bool = False) -> asyncio.Future[Answer]:
        if held & keyboard.SHIFT:
            key = keyboard.with_shift(key)
        # With control, alt or meta held, a key types nothing.
        text = key.text if not held & ~keyboard.SHIFT else ""
        params = {**_about(key, held), "type": "keyDown" if text else "rawKeyDown"}
        if text:
            params |= {"text": text, "unmodifiedText": text}
        if command:
            params["commands"] = [command]
        if repeated:
            params["autoRepeat"] = True
        return self._channel.session.send("Input.dispatchKeyEvent", params)

    def _up(self, key: Key, held: int) -> asyncio.Future[Answer]:
        if held & keyboard.SHIFT:
            key = keyboard.with_shift(key)
        return self._channel.session.send("Input.dispatchKeyEvent", {**_about(key, held), "type": "keyUp"})

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


def _about(key: Key, held: int) -> dict[str, Any]:
    return {
        "modifiers": held,
        "key": key.key,
        "code": key.code,
        "windowsVirtualKeyCode": key.key_code,
        "location": key.location,
    }


def _pieces(text: str) -> list[str]:
    """Single characters that a key makes, and runs of those that none does; `\\r\\n` is one line break."""
    pieces: list[str] = []
    run = ""
    for character in text.replace("\r\n", "\n"):
        if keyboard.typing(character) is None:
            run += character
            continue
        if run:
            pieces.append(run)
            run = ""
        pieces.append(character)
    return [*pieces, run] if run else pieces
