"""The part of a tab that hands mouse and keyboard on to its input, however that reaches the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from oryn.browsers.base import MouseButton, Page
from oryn.browsers.common.held import Held


class Input(Protocol):
    """What `browsers.base.Page` says of the methods that call these."""

    @property
    def held(self) -> Held: ...

    async def move(self, x: float, y: float) -> None: ...

    async def click(self, x: float, y: float, button: MouseButton, count: int, modifiers: Sequence[str]) -> None: ...

    async def wheel(self, x: float, y: float, dx: float, dy: float) -> None: ...

    async def press(self, keys: Sequence[str]) -> None: ...

    async def key_down(self, name: str) -> bool: ...

    async def key_up(self, names: Sequence[str]) -> None: ...

    async def insert(self, text: str, delay: float) -> None: ...


class HandedPage(Page):
    """A page whose `_input` is set by who makes it."""

    _input: Input

    async def admit(self, *point: float) -> None:
        """Input is about to go to a point, or without one to what has the focus. Raises `CannotAccessPage` where that
        is a page of the browser's own."""
        raise NotImplementedError

    async def mouse_move(self, x: float, y: float) -> None:
        await self.admit(x, y)
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
        await self.admit(x, y)
        await self._input.click(x, y, button, count, modifiers)

    async def mouse_wheel(self, x: float, y: float, dx: float, dy: float) -> None:
        await self.admit(x, y)
        await self._input.wheel(x, y, dx, dy)

    async def press(self, keys: Sequence[str]) -> None:
        await self.admit()
        await self._input.press(keys)

    async def key_down(self, key: str) -> bool:
        await self.admit()
        return await self._input.key_down(key)

    async def key_up(self, keys: Sequence[str]) -> None:
        await self._input.key_up(keys)

    @property
    def held_keys(self) -> tuple[str, ...]:
        return self._input.held.names

    async def insert_text(self, text: str, *, delay: float = 0) -> None:
        await self.admit()
        await self._input.insert(text, delay)
