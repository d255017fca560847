"""Trusted input: mouse and keyboard events that the browser handles like those of a person.

Events that belong together are sent together. The browser does not acknowledge input while a dialog is open, although a
click that opens one has been delivered.
https://chromedevtools.github.io/devtools-protocol/tot/Input/"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any, Protocol

from oryn.browsers.base import Keyboard, Mouse, MouseButton
from oryn.browsers.base.input import Point
from oryn.browsers.cdp.connection import Answer
from oryn.browsers.cdp.tab_connection import TabCommands
from oryn.browsers.common import keyboard
from oryn.browsers.common.keyboard import KeyEvent, KeySequencer, split_text
from oryn.errors import DialogOpen, TabNotFound

INPUT_SECONDS = 10.0
MAX_KEY_UNITS = 3
"""The most UTF-16 units of text that a key event can carry; longer text is inserted between key down and key up.
https://source.chromium.org/chromium/chromium/src/+/main:third_party/blink/public/common/input/web_keyboard_event.h"""
_BUTTON_BITS = {"left": 1, "right": 2, "middle": 4}


class InputCheck(Protocol):
    """Checks whether input may go somewhere."""

    async def __call__(self, *point: float) -> None:
        """Check a point before input is sent there, or without one the focused element. Raises `CannotAccessPage` if it
        is in a page of the browser's own."""


class CdpMouse(Mouse):
    """The mouse of one tab.

    check: called before each input.
    sequencer: the tab's keys; modifiers that it holds apply to the mouse."""

    def __init__(self, channel: TabCommands, check: InputCheck, sequencer: KeySequencer) -> None:
        self._channel = channel
        self._check = check
        self._sequencer = sequencer
        self._position: Point | None = None
        self._held: MouseButton | None = None
        self._count = 1

    @property
    def position(self) -> Point | None:
        return self._position

    @property
    def held(self) -> MouseButton | None:
        return self._held

    async def move(self, x: float, y: float) -> None:
        await self._begin(x, y)
        await _deliver(self._channel, [self._send("mouseMoved", x, y, **self._button())])

    async def press(self, x: float, y: float, *, button: MouseButton = "left", count: int = 1) -> None:
        await self._begin(x, y)
        moved = self._send("mouseMoved", x, y, **self._button())
        self._held, self._count = button, count
        await _deliver(self._channel, [moved, self._send("mousePressed", x, y, clickCount=count, **self._button())])

    async def release(self, x: float, y: float) -> None:
        await self._begin(x, y)
        moved, button = self._send("mouseMoved", x, y, **self._button()), self._held or "left"
        self._held = None
        released = self._send("mouseReleased", x, y, clickCount=self._count, button=button, buttons=0)
        await _deliver(self._channel, [moved, released])

    async def tap(self, x: float, y: float) -> None:
        await self._begin(x, y)
        session, held = self._channel.session, {"modifiers": self._sequencer.held.modifiers}
        touches: tuple[tuple[str, list[dict[str, float]]], ...] = (("touchStart", [{"x": x, "y": y}]), ("touchEnd", []))
        await _deliver(
            self._channel,
            [
                session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points, **held})
                for kind, points in touches
            ],
        )

    def _button(self) -> dict[str, Any]:
        """Return the parameters of an event while a button is held."""
        return {"button": self._held, "buttons": _BUTTON_BITS[self._held]} if self._held else {}

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
        bits = self._sequencer.modifiers(modifiers)
        events = [self._send("mouseMoved", x, y, modifiers=bits)]
        for number in range(1, count + 1):
            params = {"button": button, "clickCount": number, "modifiers": bits}
            events.append(self._send("mousePressed", x, y, buttons=_BUTTON_BITS[button], **params))
            events.append(self._send("mouseReleased", x, y, buttons=0, **params))
        await _deliver(self._channel, events)

    async def wheel(self, x: float, y: float, dx: float, dy: float) -> None:
        await self._begin(x, y)
        await _deliver(self._channel, [self._send("mouseWheel", x, y, deltaX=dx, deltaY=dy)])

    async def drag(self, x: float, y: float, destination: Callable[[], Awaitable[Point]]) -> None:
        from oryn.browsers.common.drag import drag

        await self._begin(x, y)
        await drag(self, (x, y), destination)

    async def drop_files(self, x: float, y: float, paths: Sequence[str]) -> None:
        """See `browsers.base.Page.drop_files`."""
        await self._begin(x, y)
        copy = 1
        data = {"items": [], "files": list(paths), "dragOperationsMask": copy}
        params = {"x": x, "y": y, "data": data, "modifiers": self._sequencer.held.modifiers}
        kinds = ("dragEnter", "dragOver", "drop")
        session = self._channel.session
        await _deliver(
            self._channel, [session.send("Input.dispatchDragEvent", {"type": kind, **params}) for kind in kinds]
        )

    async def _begin(self, x: float, y: float) -> None:
        await self._check(x, y)
        self._channel.check()
        self._position = x, y

    def _send(self, kind: str, x: float, y: float, **more: Any) -> asyncio.Future[Answer]:
        params = {"type": kind, "x": x, "y": y, "modifiers": self._sequencer.held.modifiers, **more}
        return self._channel.session.send("Input.dispatchMouseEvent", params)

    # --- the mouse of `common.drag` ---

    async def down(self, x: float, y: float) -> None:
        moved = self._send("mouseMoved", x, y)
        await _deliver(self._channel, [moved, self._send("mousePressed", x, y, button="left", buttons=1, clickCount=1)])

    async def drag_to(self, x: float, y: float) -> None:
        await _deliver(self._channel, [self._send("mouseMoved", x, y, button="left", buttons=1)])

    async def up(self, x: float, y: float) -> None:
        await _deliver(self._channel, [self._send("mouseReleased", x, y, button="left", buttons=0, clickCount=1)])

    def cancel_drag(self, x: float, y: float) -> None:
        self._channel.session.send("Input.cancelDragging")
        self._send("mouseReleased", x, y, button="left", buttons=0, clickCount=1)


class CdpKeyboard(Keyboard):
    """The keyboard of one tab.

    check: called before keys are pressed.
    sequencer: the tab's keys.
    pasting: returns a context manager that puts the session's text into the browser's clipboard for a paste; it yields
        the text if the browser does not take it."""

    def __init__(
        self,
        channel: TabCommands,
        check: InputCheck,
        sequencer: KeySequencer,
        pasting: Callable[[], AbstractAsyncContextManager[str | None]] = nullcontext,
    ) -> None:
        self._channel = channel
        self._check = check
        self._sequencer = sequencer
        self._pasting = pasting

    @property
    def held(self) -> tuple[str, ...]:
        return self._sequencer.held.names

    async def press(self, keys: Sequence[str]) -> None:
        await self._begin()
        await self._send_sequence(self._sequencer.press(keys))

    async def down(self, key: str) -> bool:
        await self._begin()
        was_up, key_events = self._sequencer.hold(key)
        await self._send_sequence(key_events)
        return was_up

    async def up(self, keys: Sequence[str]) -> None:
        self._channel.check()  # a held key may always be released
        await self._send_sequence(self._sequencer.release(keys))

    async def type(self, text: str, *, delay: float = 0) -> None:
        await self._begin()
        pending: list[asyncio.Future[Answer]] = []
        for piece in split_text(text):
            pending += [sent for key_event in self._sequencer.type(piece) for sent in self._send(key_event)]
            if delay:
                await _deliver_all(self._channel, pending)
                pending = []
                await asyncio.sleep(delay)
                self._channel.check()
        await _deliver_all(self._channel, pending)

    async def insert(self, text: str) -> None:
        await self._begin()
        valid = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        await _deliver(self._channel, [self._channel.session.send("Input.insertText", {"text": valid})])

    async def _begin(self) -> None:
        await self._check()
        self._channel.check()

    async def _send_sequence(self, key_events: Sequence[KeyEvent]) -> None:
        pastes = any(key_event.command in keyboard.PASTE_COMMANDS for key_event in key_events)
        async with self._pasting() if pastes else nullcontext() as text:
            if text is not None:  # the key would paste what another session has copied
                key_events = [each for each in key_events if each.command not in keyboard.PASTE_COMMANDS]
            await _deliver(self._channel, [sent for key_event in key_events for sent in self._send(key_event)])
            if text:
                await self.insert(text)

    def _send(self, key_event: KeyEvent) -> list[asyncio.Future[Answer]]:
        text = key_event.text if len(key_event.text) <= 1 or _units(key_event.text) <= MAX_KEY_UNITS else ""
        kind = "keyUp" if key_event.kind == "up" else "keyDown" if text else "rawKeyDown"
        params: dict[str, Any] = {
            "modifiers": key_event.modifiers,
            "key": key_event.key.key,
            "code": key_event.key.code,
            "windowsVirtualKeyCode": key_event.key.key_code,
            "location": key_event.key.location,
            "type": kind,
        }
        if text:
            params |= {"text": text, "unmodifiedText": text}
        if key_event.command:
            params["commands"] = [key_event.command]
        if key_event.repeated:
            params["autoRepeat"] = True
        sent = [self._channel.session.send("Input.dispatchKeyEvent", params)]
        if key_event.text and not text:
            sent.append(self._channel.session.send("Input.insertText", {"text": key_event.text}))
        return sent


async def _deliver(channel: TabCommands, events: list[asyncio.Future[Answer]]) -> None:
    """Wait for events. Does not fail if they open a dialog or close the tab."""
    try:
        await channel.pipeline(events, INPUT_SECONDS)
    except (DialogOpen, TabNotFound):
        pass


async def _deliver_all(channel: TabCommands, events: list[asyncio.Future[Answer]]) -> None:
    """Like `_deliver`, but raises `DialogOpen` if a dialog prevented the delivery of events."""
    try:
        await channel.pipeline(events, INPUT_SECONDS)
    except DialogOpen:
        if any(isinstance(event.exception(), DialogOpen) for event in events[:-2] if event.done()):
            raise
    except TabNotFound:
        pass


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2
