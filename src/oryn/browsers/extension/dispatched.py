"""Input without the debugger: the scanner dispatches the events in the page, and does what a browser does by itself.

Pages can tell (`event.isTrusted`), and the browser gives scripts no file chooser, no clipboard and no popup. Links into
new tabs are opened by the extension itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol

from oryn.browsers.base import Frame, MouseButton
from oryn.browsers.common.dragging import Point, drag
from oryn.browsers.common.held import Held
from oryn.browsers.common.keyboard import MODIFIERS
from oryn.browsers.common.life import DocumentGone
from oryn.browsers.common.strokes import Fingers, Stroke, pieces
from oryn.browsers.extension.dialogs import SETTING
from oryn.errors import FrameNotFound, InternalError, NotSupported, TabNotFound, Timeout

INPUT_SECONDS = 10.0
STROKES_AT_ONCE = 200
"""So that no message takes so long that its page seems to hang."""
_DEEPEST = 20


class Place(Protocol):
    """Where the events go: a tab, as `browsers.base.Page` says."""

    async def scanner(
        self, request: dict[str, Any], frame: Frame | None = None, *, timeout: float = 30
    ) -> dict[str, Any]: ...

    async def frame_of(self, element_id: int, frame: Frame | None = None) -> Frame: ...


class Wanted(Protocol):
    """What a click asks for and a script does not get."""

    async def open_tab(self, url: str) -> None:
        """A link that opens a new tab, which stays behind."""

    def file_chooser_opened(self) -> None:
        """A field asks for files."""


class Dispatched:
    """The mouse and the keyboard of one tab. Where a frame can't be reached from the one around it, its own scanner
    gets the rest. Each method raises `Timeout` where the page does not take the input, which a dialog may be the
    reason of."""

    def __init__(self, place: Place, wanted: Wanted, fingers: Fingers | None = None) -> None:
        self._place = place
        self._wanted = wanted
        self._fingers = fingers or Fingers()

    @property
    def held(self) -> Held:
        return self._fingers.held

    # --- mouse ---

    async def move(self, x: float, y: float) -> None:
        await self.point("move", (x, y))

    async def click(self, x: float, y: float, button: MouseButton, count: int, modifiers: Sequence[str]) -> None:
        await self.point("click", (x, y), modifiers, button=button, count=count)

    async def wheel(self, x: float, y: float, dx: float, dy: float) -> None:
        await self.point("wheel", (x, y), dx=dx, dy=dy)

    async def drag(self, x: float, y: float, aim: Callable[[], Awaitable[Point]]) -> None:
        """As `browsers.base.Page.drag` says. The frame where it begins gets all of it."""
        await drag(_Hand(self), (x, y), aim)

    async def point(self, kind: str, point: Point, modifiers: Sequence[str] = (), **more: Any) -> _Reached:
        """The mouse does something at a point of the tab's viewport."""
        frame: Frame | None = None
        x, y = point
        held = _names(self._fingers.modifiers(modifiers))
        for _ in range(_DEEPEST):
            request = {"cmd": "pointer", "kind": kind, "x": x, "y": y, "modifiers": held, **more}
            told = await self.ask(request, frame)
            if told.get("frame") is None:
                return _Reached(frame, (point[0] - x, point[1] - y))
            x, y = told["x"], told["y"]
            frame = await self._place.frame_of(told["frame"], frame)
        raise InternalError("frames lie too deep in each other for the mouse")

    # --- keyboard ---

    async def press(self, keys: Sequence[str]) -> None:
        await self._strike(self._fingers.press(keys))

    async def key_down(self, name: str) -> bool:
        """Press a key and keep it. Whether it was up before."""
        was_up, strokes = self._fingers.hold(name)
        await self._strike(strokes)
        return was_up

    async def key_up(self, names: Sequence[str]) -> None:
        """Let held keys go, in this order; others are let be."""
        await self._strike(self._fingers.let_go(names))

    async def insert(self, text: str, delay: float) -> None:
        strokes: list[Stroke] = []
        for piece in pieces(text):
            strokes += self._fingers.type(piece)
            if delay or len(strokes) >= STROKES_AT_ONCE:
                await self._strike(strokes)
                strokes = []
                await asyncio.sleep(delay)
        await self._strike(strokes)

    async def _strike(self, strokes: Sequence[Stroke]) -> None:
        """Each stroke goes to what has the focus then, in whichever frame. Raises `NotSupported` for the clipboard."""
        left = [event_of(stroke) for stroke in strokes]
        frame: Frame | None = None
        while left:
            told = await self.ask({"cmd": "keys", "events": left}, frame)
            left = left[told.get("done", len(left)) :]
            if told.get("missing"):
                raise NotSupported(hint=f"The clipboard needs {SETTING}.")
            frame = None if told.get("frame") is None else await self._place.frame_of(told["frame"], frame)

    # --- delivery ---

    async def ask(self, request: dict[str, Any], frame: Frame | None) -> dict[str, Any]:
        """One command of input. A document, or a tab, that goes away meanwhile has had it: {}."""
        try:
            response = await self._place.scanner(request, frame, timeout=INPUT_SECONDS)
        except Timeout:
            raise Timeout(f"the page did not take input within {INPUT_SECONDS:g} s") from None
        except (DocumentGone, TabNotFound):
            return {}
        if not response["ok"]:
            kind = FrameNotFound if response["code"] == "FRAME_NOT_FOUND" else InternalError
            raise kind(f"the page did not take the input: {response['error']}")
        data: dict[str, Any] = response["data"]
        for url in data.get("opened", ()):
            await self._wanted.open_tab(str(url))
        if data.get("chooser"):
            self._wanted.file_chooser_opened()
        return data


class _Reached:
    """The frame that a point lies in, and where its viewport begins in the tab's."""

    def __init__(self, frame: Frame | None, origin: Point) -> None:
        self.frame = frame
        self.origin = origin


class _Hand:
    """The mouse while it drags: the frame where the button went down hears of every move."""

    def __init__(self, input: Dispatched) -> None:
        self._input = input
        self._reached = _Reached(None, (0, 0))

    async def mouse_down(self, x: float, y: float) -> None:
        await self._input.point("move", (x, y))
        self._reached = await self._input.point("down", (x, y))

    async def mouse_drag(self, x: float, y: float) -> None:
        await self._tell("move", x, y)

    async def mouse_up(self, x: float, y: float) -> None:
        await self._tell("up", x, y)

    def drop_nothing(self, x: float, y: float) -> None:
        task = asyncio.get_running_loop().create_task(self._tell("cancel", x, y))
        task.add_done_callback(lambda done: None if done.cancelled() else done.exception())

    async def _tell(self, kind: str, x: float, y: float) -> None:
        left, top = self._reached.origin
        held = _names(self._input.held.modifiers)
        at = {"x": x - left, "y": y - top, "modifiers": held, "captured": True}
        await self._input.ask({"cmd": "pointer", "kind": kind, **at}, self._reached.frame)


def event_of(stroke: Stroke) -> dict[str, Any]:
    """The stroke as the scanner's `keys` takes it."""
    key = stroke.key
    event = {"kind": stroke.kind, "key": key.key, "code": key.code, "key_code": key.key_code, "location": key.location}
    event |= {"modifiers": _names(stroke.modifiers), "text": stroke.text, "repeat": stroke.repeated}
    return event | ({"command": stroke.command} if stroke.command else {})


def _names(modifiers: int) -> list[str]:
    return [name for name, bit in MODIFIERS.items() if modifiers & bit]
