"""Trusted input: mouse and keyboard events that the browser handles like those of a person.

Events that belong together are sent together. The browser does not acknowledge input while a dialog is open, although a
click that opens one has been delivered.
https://chromedevtools.github.io/devtools-protocol/tot/Input/"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any

from oryn.browsers.cdp.channel import TabCommands
from oryn.browsers.common.input import InputCheck, PointerEvent, SequencedKeyboard, SequencedMouse
from oryn.browsers.common.keyboard import PASTE_COMMANDS, KeyEvent, KeySequencer, split_text
from oryn.browsers.common.protocol_session import Answer
from oryn.errors import DialogOpen, TabNotFound

INPUT_SECONDS = 10.0
MAX_KEY_UNITS = 3
"""The most UTF-16 units of text that a key event can carry; longer text is inserted between key down and key up.
https://source.chromium.org/chromium/chromium/src/+/main:third_party/blink/public/common/input/web_keyboard_event.h"""
_BUTTON_BITS = {"left": 1, "right": 2, "middle": 4}
_KINDS = {"move": "mouseMoved", "down": "mousePressed", "up": "mouseReleased"}


class CdpMouse(SequencedMouse):
    """The mouse of one tab."""

    def __init__(self, channel: TabCommands, check: InputCheck, sequencer: KeySequencer) -> None:
        super().__init__(_check_of_command(channel, check), sequencer)
        self._channel = channel

    async def _deliver(self, events: Sequence[PointerEvent], modifiers: Sequence[str] = ()) -> None:
        bits = self._sequencer.modifiers(modifiers)
        await _deliver(self._channel, [self._send(event, bits) for event in events])

    def _send(self, event: PointerEvent, modifiers: int) -> asyncio.Future[Answer]:
        params: dict[str, Any] = {"type": _KINDS[event.kind], "x": event.x, "y": event.y, "modifiers": modifiers}
        if event.button is not None:
            params |= {"button": event.button, "buttons": 0 if event.kind == "up" else _BUTTON_BITS[event.button]}
        if event.kind != "move":
            params["clickCount"] = event.count
        return self._channel.send_input("Input.dispatchMouseEvent", params, "press" if event.kind == "down" else None)

    def _cancel_drag(self, x: float, y: float) -> None:
        self._channel.session.send("Input.cancelDragging")
        self._send(PointerEvent("up", x, y, "left"), self._sequencer.held.modifiers)

    async def tap(self, x: float, y: float) -> None:
        await self._begin(x, y)
        channel, held = self._channel, {"modifiers": self._sequencer.held.modifiers}
        touches: tuple[tuple[str, list[dict[str, float]]], ...] = (("touchStart", [{"x": x, "y": y}]), ("touchEnd", []))
        await _deliver(
            self._channel,
            [
                channel.send_input(
                    "Input.dispatchTouchEvent",
                    {"type": kind, "touchPoints": points, **held},
                    "press" if kind == "touchStart" else None,
                )
                for kind, points in touches
            ],
        )

    async def wheel(self, x: float, y: float, dx: float, dy: float) -> None:
        await self._begin(x, y)
        params = {"type": "mouseWheel", "x": x, "y": y, "deltaX": dx, "deltaY": dy}
        params["modifiers"] = self._sequencer.held.modifiers
        await _deliver(self._channel, [self._channel.session.send("Input.dispatchMouseEvent", params)])

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


class CdpKeyboard(SequencedKeyboard):
    """The keyboard of one tab.

    pasting: returns a context manager that puts the session's text into the browser's clipboard for a paste; it yields
        the text if the browser does not take it."""

    def __init__(
        self,
        channel: TabCommands,
        check: InputCheck,
        sequencer: KeySequencer,
        pasting: Callable[[], AbstractAsyncContextManager[str | None]] = nullcontext,
    ) -> None:
        super().__init__(_check_of_command(channel, check), sequencer)
        self._channel = channel
        self._pasting = pasting

    async def up(self, keys: Sequence[str]) -> None:
        self._channel.check()  # a held key may always be released
        await super().up(keys)

    async def type(self, text: str, *, delay: float = 0) -> None:
        await self._check()
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
        await self._check()
        valid = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        await _deliver(self._channel, [self._channel.session.send("Input.insertText", {"text": valid})])

    async def _deliver(self, events: Sequence[KeyEvent]) -> None:
        pastes = any(event.command in PASTE_COMMANDS for event in events)
        async with self._pasting() if pastes else nullcontext() as text:
            if text is not None:  # the key would paste what another session has copied
                events = [event for event in events if event.command not in PASTE_COMMANDS]
            await _deliver(self._channel, [sent for event in events for sent in self._send(event)])
            if text:
                await self.insert(text)

    def _send(self, key_event: KeyEvent) -> list[asyncio.Future[Answer]]:
        text = key_event.text
        if len(text) > 1 and len(text.encode("utf-16-le")) // 2 > MAX_KEY_UNITS:
            text = ""
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
        is_noticed = kind != "keyUp" and not key_event.repeated
        sent = [self._channel.send_input("Input.dispatchKeyEvent", params, "key" if is_noticed else None)]
        if key_event.text and not text:
            sent.append(self._channel.session.send("Input.insertText", {"text": key_event.text}))
        return sent


def _check_of_command(channel: TabCommands, check: InputCheck) -> InputCheck:
    async def check_both(*point: float) -> None:
        await check(*point)
        channel.check()

    return check_both


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
