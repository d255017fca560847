"""The base of pages that pass mouse and keyboard commands on to an input, whatever delivers it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from oryn.browsers.base import MouseButton, Page
from oryn.browsers.common.keyboard import PressedKeys


class PageInput(Protocol):
    """The mouse and the keyboard of a tab; see `browsers.base.Page` for the methods that call these."""

    @property
    def held(self) -> PressedKeys: ...

    async def move(self, x: float, y: float) -> None: ...

    async def click(self, x: float, y: float, button: MouseButton, count: int, modifiers: Sequence[str]) -> None: ...

    async def wheel(self, x: float, y: float, dx: float, dy: float) -> None: ...

    async def press(self, keys: Sequence[str]) -> None: ...

    async def key_down(self, name: str) -> bool: ...

    async def key_up(self, names: Sequence[str]) -> None: ...

    async def insert(self, text: str, delay: float) -> None: ...


class InputPage(Page):
    """A page with the input `_input`, which subclasses set."""

    _input: PageInput

    async def check_input_allowed(self, *point: float) -> None:
        """Check a point before input is sent there, or without one the focused element. Raises `CannotAccessPage` if it
        is in a page of the browser's own."""
        raise NotImplementedError

    async def mouse_move(self, x: float, y: float) -> None:
        await self.check_input_allowed(x, y)
        await self._input.move(x, y)

    async def mouse_click(
        self,
        x: float,
        y: float,
        *,
        button: MouseButton = "left",
        count: int = 1,
        modifiers: Sequence[str] = (),
    ) -> None:
        await self.check_input_allowed(x, y)
        await self._input.click(x, y, button, count, modifiers)

    async def mouse_wheel(self, x: float, y: float, dx: float, dy: float) -> None:
        await self.check_input_allowed(x, y)
        await self._input.wheel(x, y, dx, dy)

    async def press(self, keys: Sequence[str]) -> None:
        await self.check_input_allowed()
        await self._input.press(keys)

    async def key_down(self, key: str) -> bool:
        await self.check_input_allowed()
        return await self._input.key_down(key)

    async def key_up(self, keys: Sequence[str]) -> None:
        await self._input.key_up(keys)

    @property
    def held_keys(self) -> tuple[str, ...]:
        return self._input.held.names

    async def insert_text(self, text: str, *, delay: float = 0) -> None:
        await self.check_input_allowed()
        await self._input.insert(text, delay)
