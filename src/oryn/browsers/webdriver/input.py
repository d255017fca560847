"""The mouse and the keyboard of one tab, by WebDriver actions: the browser treats them like those of a person.

https://www.w3.org/TR/webdriver2/#actions"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from oryn.browsers.base import MouseButton
from oryn.browsers.base.input import Point
from oryn.browsers.common.input import InputCheck, PointerEvent, SequencedKeyboard, SequencedMouse
from oryn.browsers.common.keyboard import MODIFIERS, KeyEvent, KeySequencer
from oryn.browsers.common.synthetic_input import SyntheticMouse
from oryn.browsers.common.tab_state import DocumentGone
from oryn.browsers.webdriver.channel import FramePath, WebDriverChannel
from oryn.browsers.webdriver.client import ELEMENT_KEY
from oryn.errors import DialogOpen, ElementStale, NotSupported, OrynError, TabNotFound
from oryn.scanner import page_script

INPUT_SECONDS = 10.0

_BUTTONS: dict[MouseButton, int] = {"left": 0, "middle": 1, "right": 2}
# https://www.w3.org/TR/webdriver2/#keyboard-actions
KEY_VALUES = {
    "Enter": "\ue007",
    "Tab": "\ue004",
    "Escape": "\ue00c",
    "Backspace": "\ue003",
    "Delete": "\ue017",
    "ArrowUp": "\ue013",
    "ArrowDown": "\ue015",
    "ArrowLeft": "\ue012",
    "ArrowRight": "\ue014",
    "Home": "\ue011",
    "End": "\ue010",
    "PageUp": "\ue00e",
    "PageDown": "\ue00f",
    "Insert": "\ue016",
    "Control": "\ue009",
    "Shift": "\ue008",
    "Alt": "\ue00a",
    "Meta": "\ue03d",
    **{f"F{number}": chr(0xE030 + number) for number in range(1, 13)},
}
_MODIFIER_VALUES = {"alt": "\ue00a", "control": "\ue009", "meta": "\ue03d", "shift": "\ue008"}
_ELEMENT_AT = f"""const [x, y] = arguments, inward = {page_script("frame")};
let view = window, left = x, top = y, element = document.elementFromPoint(x, y);
while (element?.contentDocument) {{
  [left, top] = inward.call(element, 'inward', left, top);
  view = element.contentWindow;
  element = view.document.elementFromPoint(left, top);
}}
while (element?.shadowRoot?.elementFromPoint(left, top) && element.shadowRoot.elementFromPoint(left, top) !== element)
  element = element.shadowRoot.elementFromPoint(left, top);
"""
_DOUBLE_CLICK = f"""{_ELEMENT_AT}
element?.dispatchEvent(new view.MouseEvent('dblclick',
  {{ bubbles: true, cancelable: true, composed: true, view, detail: 2, clientX: left, clientY: top }}));"""
_IS_DRAGGABLE = f"""{_ELEMENT_AT}
while (element && !element.draggable) element = element.parentElement ?? element.getRootNode().host;
return Boolean(element);"""
_INSERT = """let view = window;
while (view.document.activeElement?.contentDocument) view = view.document.activeElement.contentWindow;
view.document.execCommand('insertText', false, arguments[0]);"""


class ActionInput:
    """Sends the actions of one tab."""

    def __init__(self, channel: WebDriverChannel, check: InputCheck) -> None:
        self._channel = channel
        self._check = check

    async def check(self, *point: float) -> None:
        """See `common.input.InputCheck`."""
        self._channel.check_alive()
        await self._check(*point)

    async def perform(self, sources: list[dict[str, Any]]) -> None:
        """Perform actions, and return when the page has had them. A dialog, or the end of the document or of the tab,
        that the input itself causes is no error here: the next command reports it."""
        try:
            await self._channel.post("/actions", {"actions": sources}, timeout=INPUT_SECONDS, renderer=True)
        except (DialogOpen, DocumentGone, TabNotFound):
            pass

    def perform_in_background(self, sources: list[dict[str, Any]]) -> None:
        """Perform actions without waiting for them; their failure is ignored."""
        self._channel.on_background(asyncio.ensure_future(self._perform_quietly(sources)))

    async def _perform_quietly(self, sources: list[dict[str, Any]]) -> None:
        try:
            await self.perform(sources)
        except OrynError:
            pass  # the page may be the reason

    async def execute(self, script: str, *arguments: Any) -> Any:
        """The result of a script in the top document that is part of an input; None if a dialog or the document's end
        interrupts it."""
        try:
            return await self._channel.execute(script, arguments, timeout=INPUT_SECONDS)
        except (DialogOpen, DocumentGone, TabNotFound):
            return None


def _button(kind: str, button: MouseButton) -> dict[str, Any]:
    return {"type": kind, "button": _BUTTONS[button]}


def _pointer(actions: list[dict[str, Any]]) -> dict[str, Any]:
    return {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": actions}


def _move(x: float, y: float) -> dict[str, Any]:
    # The protocol has whole pixels; rounding down stays within the element.
    return {"type": "pointerMove", "x": int(x), "y": int(y), "duration": 0}


def _pointer_action(event: PointerEvent) -> dict[str, Any]:
    if event.kind == "move" or event.button is None:
        return _move(event.x, event.y)
    return _button("pointerDown" if event.kind == "down" else "pointerUp", event.button)


PRESS = _pointer([_move(5, 5), _button("pointerDown", "left"), _button("pointerUp", "left")])
"""A press of the mouse in the corner of the window."""


def _keys(actions: list[dict[str, Any]]) -> dict[str, Any]:
    return {"type": "key", "id": "keyboard", "actions": actions}


class WebDriverMouse(SequencedMouse):
    """The mouse of one tab. Modifiers that `sequencer` holds are pressed already and apply to it."""

    def __init__(self, actions: ActionInput, sequencer: KeySequencer, synthetic: SyntheticMouse) -> None:
        """`synthetic` drags elements that HTML calls draggable, which the driver can't."""
        super().__init__(actions.check, sequencer)
        self._actions = actions
        self._synthetic = synthetic
        self._turns = 0

    async def _deliver(self, events: Sequence[PointerEvent], modifiers: Sequence[str] = ()) -> None:
        pointer = [_pointer_action(event) for event in events]
        values = [
            _MODIFIER_VALUES[name] for name in modifiers if name in MODIFIERS and name not in self._sequencer.held
        ]
        if not values:
            await self._actions.perform([_pointer(pointer)])
            return
        pause = {"type": "pause"}
        down = [{"type": "keyDown", "value": value} for value in values]
        up = [{"type": "keyUp", "value": value} for value in reversed(values)]
        around = [pause] * len(values)
        await self._actions.perform(
            [_keys([*down, *([pause] * len(pointer)), *up]), _pointer([*around, *pointer, *around])]
        )

    def _cancel_drag(self, x: float, y: float) -> None:
        self._actions.perform_in_background([_pointer([_button("pointerUp", "left")])])

    async def click(
        self,
        x: float,
        y: float,
        *,
        button: MouseButton = "left",
        count: int = 1,
        modifiers: Sequence[str] = (),
    ) -> None:
        await super().click(x, y, button=button, count=count, modifiers=modifiers)
        if count == 2 and button == "left":
            await self._actions.execute(_DOUBLE_CLICK, x, y)  # the driver counts each click as the first

    async def tap(self, x: float, y: float) -> None:
        raise NotSupported(hint="The engine has no touches: 'click' it.")

    async def wheel(self, x: float, y: float, dx: float, dy: float) -> None:
        await self.move(x, y)
        turn = {"type": "scroll", "x": int(x), "y": int(y), "deltaX": int(dx), "deltaY": int(dy), "duration": 0}
        # A source of its own each time: the driver adds what the same source has turned before.
        self._turns += 1
        await self._actions.perform([{"type": "wheel", "id": f"wheel-{self._turns}", "actions": [turn]}])

    async def drag(self, x: float, y: float, destination: Callable[[], Awaitable[Point]]) -> None:
        await self._begin(x, y)
        if await self._actions.execute(_IS_DRAGGABLE, x, y):
            await self._synthetic.drag(x, y, destination)  # the driver's mouse starts no HTML drag
        else:
            await super().drag(x, y, destination)


class WebDriverKeyboard(SequencedKeyboard):
    """The keyboard of one tab."""

    def __init__(self, actions: ActionInput, sequencer: KeySequencer) -> None:
        super().__init__(actions.check, sequencer)
        self._actions = actions

    async def insert(self, text: str) -> None:
        await self._check()
        await self._actions.execute(_INSERT, text)

    async def _deliver(self, events: Sequence[KeyEvent]) -> None:
        waiting: list[dict[str, Any]] = []
        for event in events:
            if len(event.key.text) <= 1:
                value = KEY_VALUES.get(event.key.key, event.key.key)
                waiting.append({"type": "keyDown" if event.kind == "down" else "keyUp", "value": value})
            elif event.kind == "down":  # the protocol's keys are single characters
                await self._perform(waiting)
                waiting = []
                await self.insert(event.key.text)
        await self._perform(waiting)

    async def _perform(self, keys: list[dict[str, Any]]) -> None:
        if keys:
            await self._actions.perform([_keys(keys)])


async def set_files(channel: WebDriverChannel, element_id: int, paths: Sequence[str], path: FramePath) -> None:
    """Choose files in the `<input type=file>` that the scanner of the frame at `path` has numbered. Raises
    `ElementStale`. https://www.w3.org/TR/webdriver2/#element-send-keys"""
    found = await channel.execute("return globalThis.__oryn_element?.(arguments[0]) ?? null;", [element_id], path)
    if not isinstance(found, dict) or ELEMENT_KEY not in found:
        raise ElementStale("the file input has left the page", "Run 'observe' again.")
    await channel.post(f"/element/{found[ELEMENT_KEY]}/value", {"text": "\n".join(paths)}, path=path)
