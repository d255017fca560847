"""The start of a session's browser: in the background, once, again after it failed, and what comes back with it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from oryn.errors import OrynError

if TYPE_CHECKING:
    from oryn.browsers.base import Browser


class Starting:
    """The part of a session that has a browser; it need not be started."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.aside: Browser | None = None
        """The session's own browser, while a window stands in for it in which a person logs in."""
        self.restore: Callable[[], Awaitable[None]] | None = None
        """Puts back what a host has kept of the session, each time its browser was started; None where nothing is
        kept."""
        self._launching: asyncio.Task[None] | None = None

    def launch(self, starting: asyncio.Task[None] | None = None) -> None:
        """Start the browser in the background; the first command that needs it waits. Needs a running event loop.

        `starting` is the task of a start that is under way already."""
        if self._launching is None or self._is_to_be_restored(self._launching):
            self._launching = starting or asyncio.create_task(self._start())
            # A failure belongs to the first command that waits for it, or to nobody.
            self._launching.add_done_callback(lambda task: task.cancelled() or task.exception())

    def _is_to_be_restored(self, launched: asyncio.Task[None]) -> bool:
        return self.restore is not None and self.aside is None and launched.done() and self.browser.lost

    async def _start(self) -> None:
        await self.browser.start()
        if self.restore is not None:
            await self.restore()

    async def started(self) -> None:
        """Raises `BrowserNotFound`, `BrowserFailed`, and what restoring does; the next call tries again."""
        self.launch()
        launched = self._launching
        assert launched is not None
        try:
            await asyncio.shield(launched)
        except OrynError:
            if self._launching is launched:  # nobody else tries again already
                self._launching = None
            raise

    @property
    def has_started(self) -> bool:
        """Whether its browser was started, whatever became of it."""
        task = self._launching
        return task is not None and task.done() and not task.cancelled() and task.exception() is None

    @property
    def shows_crash(self) -> bool:
        """Whether the current tab has crashed, in a session that is kept."""
        try:
            return self.restore is not None and self.browser.page.crashed
        except OrynError:  # there is no tab: whatever needs one says so
            return False

    @property
    def is_being_restored(self) -> bool:
        return self.restore is not None and self._launching is not None and not self._launching.done()

    async def end_browser(self) -> None:
        """End the browser, started or not. Safe to call twice."""
        if self._launching is not None and not self._launching.done():
            self._launching.cancel()
            await asyncio.wait([self._launching])
        await self.browser.close()
        if self.aside is not None:
            await self.aside.close()
