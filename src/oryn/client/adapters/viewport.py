"""`Viewport`: acts at points of a page's viewport and at its focus, as models do that see a screen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Literal

from oryn.errors import TargetError

if TYPE_CHECKING:
    from oryn.client.caller import Target
    from oryn.client.client import Oryn

Button = Literal["left", "right", "middle"]
Direction = Literal["up", "down", "left", "right"]

NOTCH = 100
"""CSS pixels that a page scrolls by one notch of a wheel."""

_KEYS = {
    "return": "enter",
    "esc": "escape",
    "del": "delete",
    "ctrl": "control",
    "cmd": "meta",
    "command": "meta",
    "super": "meta",
    "win": "meta",
    "option": "alt",
    **{name: f"arrow{name}" for name in ("up", "down", "left", "right")},
    **{f"arrow_{name}": f"arrow{name}" for name in ("up", "down", "left", "right")},
    "page_up": "pageup",
    "page_down": "pagedown",
    "prior": "pageup",
    "next": "pagedown",
    " ": "space",
}
"""Names that models have for keys, by those of the language. Most are of the X Window System."""

_SELECT_BLOCK = """(() => {
  const field = document.activeElement;
  if (field && 'select' in field) field.select();
  else getSelection().modify && (getSelection().modify('move', 'backward', 'paragraphboundary'),
    getSelection().modify('extend', 'forward', 'paragraphboundary'));
})()"""
"""Selects what a triple click does: the text of a field, or a paragraph."""


def key_name(name: str) -> str:
    """Return the language's name of a key: `Return` → `enter`. A single character stays."""
    if len(name) == 1 and name != " ":
        return name
    lower = name.lower()
    return _KEYS.get(lower, lower)


def chord(text: str) -> str:
    """Return a key combination of the language: `ctrl+shift+T` → `control+shift+T`. `+` alone is that key."""
    parts = text.split("+") if text != "+" else ["+"]
    return "+".join(key_name(part.strip() or "+") for part in parts if part or text == "+")


class Viewport:
    """The viewport of a session. Points are CSS pixels from its upper left corner, which are the pixels of `picture`
    as long as no device with another scale is emulated.

    Every method raises the errors of its commands."""

    def __init__(self, oryn: Oryn) -> None:
        self.oryn = oryn.with_options(raises=True)
        self.cursor = (0, 0)
        """Where the mouse is, as far as it was moved here."""

    async def picture(self) -> bytes:
        """Return a PNG of the viewport."""
        taken = await self.oryn.screenshot(format="png")
        image = taken.read_bytes()
        with suppress(OSError):
            taken.path.unlink()  # it was taken for the caller alone
        return image

    async def click(
        self, target: Target, *, button: Button = "left", count: int = 1, modifiers: Iterable[str] = ()
    ) -> None:
        """Click a point or another target once, twice or three times while modifier keys are held."""
        held = {key_name(each) for each in modifiers if each}
        others = [key for key in sorted(held) if key not in ("control", "shift", "alt")]
        for key in others:
            await self.oryn.keydown(key)
        try:
            await self.oryn.click(
                target,
                double=count > 1,
                right=button == "right",
                middle=button == "middle",
                force=isinstance(target, dict) and "point" in target,
                ctrl="control" in held,
                shift="shift" in held,
                alt="alt" in held,
            )
        finally:
            for key in others:
                await self.oryn.keyup(key)
        if count > 2:
            await self.oryn.eval(_SELECT_BLOCK)

    async def move(self, x: int, y: int) -> None:
        """Move the mouse."""
        await self.oryn.mouse_move(point(x, y))
        self.cursor = x, y

    async def drag(self, path: Sequence[tuple[int, int]]) -> None:
        """Press the mouse at the first point, move it along the others, and release it at the last one."""
        await self.oryn.mouse_down(point(*path[0]))
        try:
            for each in path[1:]:
                await self.oryn.mouse_move(point(*each))
        finally:
            await self.oryn.mouse_up(point(*path[-1]))
        self.cursor = path[-1]

    async def scroll(self, x: int, y: int, direction: Direction, pixels: int) -> None:
        """Turn the wheel over a point."""
        if pixels > 0:
            await self.oryn.mouse_wheel(direction, point(x, y), amount=pixels)

    async def press(self, combination: str, *, times: int = 1) -> None:
        """Press a key or a combination such as `ctrl+a`."""
        for _ in range(times):
            await self.oryn.press(chord(combination))

    async def hold(self, combination: str, seconds: float) -> None:
        """Hold keys for some seconds."""
        keys = chord(combination).split("+")
        for key in keys:
            await self.oryn.keydown(key)
        try:
            await self.oryn.wait(seconds)
        finally:
            for key in reversed(keys):
                await self.oryn.keyup(key)

    async def type(self, text: str) -> None:
        """Type a text where the focus is. A line break is the Enter key."""
        for number, line in enumerate(text.split("\n")):
            if number:
                await self.oryn.press("enter")
            if line:
                await self._type_line(line)

    async def _type_line(self, line: str) -> None:
        try:
            await self.oryn.type({"css": ":focus"}, line, append=True)
        except TargetError:  # the focus is in no field: keys may still mean something to the page
            for character in line:
                await self.oryn.press(key_name(character))


def point(x: float, y: float) -> dict[str, list[float]]:
    """Return the target of a point of the viewport."""
    return {"point": [x, y]}
