"""`OrynComputer`: the computer of the OpenAI Agents SDK's `ComputerTool`.

    from agents import Agent, ComputerTool

    agent = Agent(name="Shopper", model=model, tools=[ComputerTool(await OrynComputer.of(oryn))])

https://openai.github.io/openai-agents-python/tools/"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Literal

from agents import AsyncComputer

from oryn.client.adapters.viewport import Button, Viewport, point

if TYPE_CHECKING:
    from oryn.client.client import Oryn

_BUTTONS: dict[str, Button] = {"left": "left", "right": "right", "wheel": "middle"}
WAIT_SECONDS = 1.0
"""How long `wait` takes; answers of other actions come when the page has reacted."""


class OrynComputer(AsyncComputer):
    """The viewport of a session as a computer of a model.

    `dimensions` are the width and height of the viewport in CSS pixels; `await OrynComputer.of(oryn)` measures them."""

    def __init__(self, oryn: Oryn, dimensions: tuple[int, int] = (1280, 720)) -> None:
        self._oryn = oryn
        self._viewport = Viewport(oryn)
        self._dimensions = dimensions

    @classmethod
    async def of(cls, oryn: Oryn) -> OrynComputer:
        """Return the computer of a session that shows a page, with the size of its viewport."""
        size = (await oryn.eval("[innerWidth, innerHeight]")).data
        return cls(oryn, (size[0], size[1]))

    @property
    def environment(self) -> Literal["browser"]:
        return "browser"

    @property
    def dimensions(self) -> tuple[int, int]:
        return self._dimensions

    async def screenshot(self) -> str:
        """Return a PNG of the viewport in base64."""
        return base64.b64encode(await self._viewport.picture()).decode("ascii")

    async def click(self, x: int, y: int, button: str = "left", *, keys: list[str] | None = None) -> None:
        if button == "back":
            await self._oryn.back()
        elif button == "forward":
            await self._oryn.forward()
        else:
            await self._viewport.click(point(x, y), button=_BUTTONS[button], modifiers=keys or ())

    async def double_click(self, x: int, y: int, *, keys: list[str] | None = None) -> None:
        await self._viewport.click(point(x, y), count=2, modifiers=keys or ())

    async def scroll(self, x: int, y: int, scroll_x: int, scroll_y: int, *, keys: list[str] | None = None) -> None:
        await self._viewport.scroll(x, y, "down" if scroll_y > 0 else "up", abs(scroll_y))
        await self._viewport.scroll(x, y, "right" if scroll_x > 0 else "left", abs(scroll_x))

    async def type(self, text: str) -> None:
        await self._viewport.type(text)

    async def wait(self) -> None:
        await self._oryn.wait(WAIT_SECONDS)

    async def move(self, x: int, y: int, *, keys: list[str] | None = None) -> None:
        await self._viewport.move(x, y)

    async def keypress(self, keys: list[str]) -> None:
        await self._viewport.press("+".join(keys))

    async def drag(self, path: list[tuple[int, int]], *, keys: list[str] | None = None) -> None:
        await self._viewport.drag([(x, y) for x, y in path])
