"""Trusted input: mouse and keyboard events that the browser handles like those of a person.

They go through the domain Automation, which answers once the page has had them, or a dialog has opened. It takes one
event of the mouse at a time, and any number of keys. What it can't do, the scanner does in the page: HTML drags,
touches, double clicks (WPE 2.38 counts each click as the first), and the text of an input method.
https://github.com/WebKit/WebKit/blob/main/Source/WebKit/UIProcess/Automation/Automation.json"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from oryn.browsers.base import MouseButton
from oryn.browsers.base.input import Point
from oryn.browsers.common.input import InputCheck, PointerEvent, SequencedKeyboard, SequencedMouse
from oryn.browsers.common.keyboard import MODIFIERS, PASTE_COMMANDS, KeyEvent, KeySequencer
from oryn.browsers.common.tab_state import DocumentGone
from oryn.core.records import Record
from oryn.errors import DialogOpen, TabNotFound

if TYPE_CHECKING:
    from oryn.browsers.common.synthetic_input import SyntheticKeyboard, SyntheticMouse
    from oryn.browsers.webkit.channel import WebKitChannel

INPUT_SECONDS = 10.0

_BUTTONS: dict[MouseButton | None, str] = {None: "None", "left": "Left", "middle": "Middle", "right": "Right"}
_INTERACTIONS = {"move": "Move", "down": "Down", "up": "Up"}
_MODIFIERS = {"alt": "Alt", "control": "Control", "meta": "Meta", "shift": "Shift"}
# The names of keys that type nothing, or more than a character. The others are known by their character.
VIRTUAL_KEYS = {
    "Enter": "Enter",
    "Tab": "Tab",
    "Escape": "Escape",
    "Backspace": "Backspace",
    "Delete": "Delete",
    "ArrowUp": "UpArrow",
    "ArrowDown": "DownArrow",
    "ArrowLeft": "LeftArrow",
    "ArrowRight": "RightArrow",
    "Home": "Home",
    "End": "End",
    "PageUp": "PageUp",
    "PageDown": "PageDown",
    "Insert": "Insert",
    "Control": "Control",
    "Shift": "Shift",
    "Alt": "Alternate",
    "Meta": "Meta",
    **{f"F{number}": f"Function{number}" for number in range(1, 13)},
}


class Interactions:
    """Sends the input of one tab.

    check: see `common.input.InputCheck`."""

    def __init__(self, channel: WebKitChannel, check: InputCheck) -> None:
        self.channel = channel
        self._check = check

    async def check(self, *point: float) -> None:
        """Like `common.input.InputCheck`, also of a tab that can't answer."""
        await self._check(*point)
        self.channel.check()

    async def perform(self, method: str, params: dict[str, Any]) -> None:
        """Perform an interaction, and return when the page has had it. A dialog, or the end of the document or of the
        tab, that the input itself causes is no error here: the next command reports it."""
        try:
            await self.channel.automate(method, params, timeout=INPUT_SECONDS)
        except (DialogOpen, DocumentGone, TabNotFound):
            pass


class MouseInteraction(Record):
    """One interaction of the mouse: `Move`, `Down`, `Up`, or `SingleClick`, which is the two latter."""

    kind: str
    x: float
    y: float
    button: MouseButton | None


def _interactions(events: Sequence[PointerEvent]) -> Iterator[MouseInteraction]:
    """The interactions that make these events: nothing may come between the two of a click."""
    at = 0
    while at < len(events):
        event, following = events[at], events[at + 1] if at + 1 < len(events) else None
        is_click = event.kind == "down" and following is not None and following.kind == "up"
        kind = "SingleClick" if is_click else _INTERACTIONS[event.kind]
        yield MouseInteraction(kind, event.x, event.y, event.button)
        at += 2 if is_click else 1


class WebKitMouse(SequencedMouse):
    """The mouse of one tab.

    synthetic: does what the browser's own mouse can't."""

    def __init__(self, interactions: Interactions, sequencer: KeySequencer, synthetic: SyntheticMouse) -> None:
        super().__init__(interactions.check, sequencer)
        self._sender = interactions
        self._synthetic = synthetic
        self._turns = 0
        self._counts_clicks = False
        """Whether the browser makes double clicks of clicks, as it has shown."""

    def on_double_click(self, text: str = "", object_id: str | None = None) -> None:
        """A page has had a double click of the browser's own."""
        self._counts_clicks = True

    async def _deliver(self, events: Sequence[PointerEvent], modifiers: Sequence[str] = ()) -> None:
        # The keys that are held down apply to the mouse by themselves. WPE takes Meta as a key alone.
        names = [name for name in modifiers if name in MODIFIERS and name not in self._sequencer.held]
        if needs_meta := "meta" in names:
            await self._press_meta("KeyPress")
        try:
            for each in _interactions(events):
                await self._sender.perform("performMouseInteraction", _mouse_params(each, names))
        finally:
            if needs_meta:
                await self._press_meta("KeyRelease")

    async def _press_meta(self, kind: str) -> None:
        key = {"type": kind, "key": VIRTUAL_KEYS["Meta"]}
        await self._sender.perform("performKeyboardInteractions", {"interactions": [key]})

    def _cancel_drag(self, x: float, y: float) -> None:
        release = _mouse_params(MouseInteraction("Up", x, y, "left"), ())
        self._sender.channel.send_automation("performMouseInteraction", release)

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
        if count == 2 and button == "left" and not self._counts_clicks:
            await self._complete(self._synthetic.double_click(x, y, modifiers))

    async def tap(self, x: float, y: float) -> None:
        await self._begin(x, y)
        # The browser's own touches are clicks.
        if await self._synthetic.touch(x, y):
            await self.click(x, y)

    async def wheel(self, x: float, y: float, dx: float, dy: float) -> None:
        await self.move(x, y)
        # A source of its own each time: the browser takes off what the same source has turned before.
        self._turns += 1
        source = f"wheel {self._turns}"
        turn = {
            "sourceId": source,
            "origin": "Viewport",
            "location": {"x": int(x), "y": int(y)},
            "delta": {"width": int(dx), "height": int(dy)},
        }
        params = {"inputSources": [{"sourceId": source, "sourceType": "Wheel"}], "steps": [{"states": [turn]}]}
        await self._sender.perform("performInteractionSequence", params)

    async def drag(self, x: float, y: float, destination: Callable[[], Awaitable[Point]]) -> None:
        await self._begin(x, y)
        if await self._synthetic.is_draggable(x, y):
            await self._synthetic.drag(x, y, destination)
        else:
            await super().drag(x, y, destination)

    async def _complete(self, work: Awaitable[None]) -> None:
        """Do what belongs to an input that the page has had: it may have opened a dialog, or gone away."""
        try:
            await work
        except (DialogOpen, DocumentGone, TabNotFound):
            pass


def _mouse_params(each: MouseInteraction, modifiers: Sequence[str]) -> dict[str, Any]:
    # The browser has whole pixels; rounding down stays within the element.
    return {
        "interaction": each.kind,
        "position": {"x": int(each.x), "y": int(each.y)},
        "button": _BUTTONS[each.button],
        "modifiers": [_MODIFIERS[name] for name in modifiers],
    }


class WebKitKeyboard(SequencedKeyboard):
    """The keyboard of one tab.

    synthetic: does what the browser's own keyboard can't.
    pasting: returns a context manager within which a key that pastes gets the session's text."""

    def __init__(
        self,
        interactions: Interactions,
        sequencer: KeySequencer,
        synthetic: SyntheticKeyboard,
        pasting: Callable[[], AbstractAsyncContextManager[None]] = nullcontext,
    ) -> None:
        super().__init__(interactions.check, sequencer)
        self._sender = interactions
        self._synthetic = synthetic
        self._pasting = pasting
        self._sources = 0
        self._held_sources: dict[str, str] = {}
        """The input sources that hold keys with a character, by the code of the key."""

    async def up(self, keys: Sequence[str]) -> None:
        self._sender.channel.check()  # a held key may always be released
        await super().up(keys)

    async def insert(self, text: str) -> None:
        await self._check()
        valid = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        await self._synthetic.insert(valid)

    async def _deliver(self, events: Sequence[KeyEvent]) -> None:
        pastes = any(event.command in PASTE_COMMANDS for event in events)
        async with self._pasting() if pastes else nullcontext():
            for method, params in self._requests(events):
                await self._sender.perform(method, params)

    def _requests(self, events: Sequence[KeyEvent]) -> Iterator[tuple[str, dict[str, Any]]]:
        """The commands that press and release these keys, as few as possible."""
        strokes: list[dict[str, str]] = []
        at = 0
        while at < len(events):
            event, following = events[at], events[at + 1] if at + 1 < len(events) else None
            is_stroke = following is not None and (event.kind, following.kind) == ("down", "up")
            is_stroke = is_stroke and following is not None and following.key.code == event.key.code
            at += 2 if is_stroke else 1
            virtual = VIRTUAL_KEYS.get(event.key.key)
            if is_stroke and virtual is None and strokes and "text" in strokes[-1]:
                strokes[-1]["text"] += event.key.text
            elif is_stroke:
                strokes.append({"type": "InsertByKey", **({"key": virtual} if virtual else {"text": event.key.text})})
            elif virtual:
                strokes.append({"type": "KeyPress" if event.kind == "down" else "KeyRelease", "key": virtual})
            else:
                yield from _strokes(strokes)
                strokes = []
                yield self._hold(event)
        yield from _strokes(strokes)

    def _hold(self, event: KeyEvent) -> tuple[str, dict[str, Any]]:
        """Press or release a key with a character, which only an input source of its own holds. A key that is held
        already is pressed again by another one."""
        name = event.key.code or event.key.key
        if event.kind == "down":
            self._sources += 1
            source = f"key {self._sources}"
            self._held_sources.setdefault(name, source)
            state = {"sourceId": source, "pressedCharKey": event.key.key}
        else:
            source = self._held_sources.pop(name)
            state = {"sourceId": source}
        sources = [{"sourceId": source, "sourceType": "Keyboard"}]
        return "performInteractionSequence", {"inputSources": sources, "steps": [{"states": [state]}]}


def _strokes(strokes: list[dict[str, str]]) -> Iterator[tuple[str, dict[str, Any]]]:
    if strokes:
        yield "performKeyboardInteractions", {"interactions": strokes}
