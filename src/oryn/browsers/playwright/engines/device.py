"""The viewport and the location in Playwright's engines.

Playwright sets the other properties of a device when it creates a context, and a session keeps its context: so `device`
is not there. https://playwright.dev/python/docs/emulation"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from oryn.browsers.base.emulation import Device
from oryn.browsers.playwright.error_mapping import limited

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Page


class PlaywrightDevice(Device):
    """The viewport and the location. The settings are applied again to the context of a browser that is restarted."""

    def __init__(self) -> None:
        self._context: BrowserContext | None = None
        self._pages: Callable[[], list[Page]] = list
        self._size: tuple[int, int] | None = None
        self._place: tuple[float, float] | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def apply(self, context: BrowserContext, pages: Callable[[], list[Page]]) -> None:
        """Apply the settings to a new context, and to tabs that it opens later. `pages` returns its present tabs."""
        self._context, self._pages = context, pages
        context.on("page", self._on_page)
        await self._resize(30)
        if self._place is not None:
            await self.set_geolocation(self._place)

    def _on_page(self, page: Page) -> None:
        if self._size is not None:
            task = asyncio.get_running_loop().create_task(self._resize_page(page, self._size, 30))
            self._tasks.add(task)
            task.add_done_callback(self._on_ended)

    def _on_ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # of a tab that has closed

    async def _resize(self, timeout: float) -> None:
        if self._context is not None and self._size is not None:
            for page in self._pages():
                await self._resize_page(page, self._size, timeout)

    @staticmethod
    async def _resize_page(page: Page, size: tuple[int, int], timeout: float) -> None:
        await limited(page.set_viewport_size({"width": size[0], "height": size[1]}), timeout)

    async def resize(self, width: int, height: int, *, timeout: float = 30) -> None:
        self._size = width, height
        await self._resize(timeout)

    async def set_geolocation(self, place: tuple[float, float] | None, *, timeout: float = 30) -> None:
        self._place = place
        if self._context is None:
            return
        position = None if place is None else {"latitude": place[0], "longitude": place[1], "accuracy": 10.0}
        permissions: list[str] = [] if place is None else ["geolocation"]
        await limited(self._context.clear_permissions(), timeout)
        if permissions:
            await limited(self._context.grant_permissions(permissions), timeout)
        await limited(self._context.set_geolocation(position), timeout)
