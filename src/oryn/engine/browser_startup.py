"""Starts a session's browser: in the background, once, and again after a failure. Restores its saved state."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from oryn.core.spans import span
from oryn.errors import OrynError

if TYPE_CHECKING:
    from oryn.browsers.base import Browser


class BrowserStartup:
    """The browser of a session, from its start to its end. `browser` need not be started."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        """The browser that commands use."""
        self.suspended_browser: Browser | None = None
        """The session's own browser, while another one replaces it: a window in which a person logs in."""
        self.restore: Callable[[], Awaitable[None]] | None = None
        """Restores the saved state of the session after each start of its browser; None if no state is saved."""
        self._launching: asyncio.Task[None] | None = None
        self.withdrawn: str | None = None
        """What the start waited for when its command's time was over, which has withdrawn the request."""
        self.end_reason: str | None = None
        """Why the host has ended the browser, which the next command starts again; None if it has not."""

    def launch(self, starting: asyncio.Task[None] | None = None) -> None:
        """Start the browser in the background; the first command that needs it waits. Needs a running event loop.

        `starting` is the task of a start that has begun already."""
        if self._launching is None or self._is_to_be_restored(self._launching):
            self._launching = starting or asyncio.create_task(self._start())
            # Mark the exception as retrieved: the first command that waits raises it, if there is one.
            self._launching.add_done_callback(lambda task: task.cancelled() or task.exception())

    def _is_to_be_restored(self, launched: asyncio.Task[None]) -> bool:
        return self.restore is not None and self.suspended_browser is None and launched.done() and self.browser.lost

    async def _start(self) -> None:
        with span("open browser"):
            await self.browser.start()
        if self.restore is not None:
            with span("restore"):
                await self.restore()

    async def ensure_started(self) -> None:
        """Wait until the browser runs. After an error the next call retries.

        Raises `BrowserNotFound`, `BrowserFailed`, and the errors of `restore`."""
        self.launch()
        launched = self._launching
        assert launched is not None
        self.withdrawn = None
        try:
            await asyncio.shield(launched)
        except asyncio.CancelledError:
            if not launched.done() and (waiting := self._waiting) is not None:
                self.withdrawn, self._launching = waiting, None
                launched.cancel()
            raise
        except OrynError:
            if self._launching is launched:  # no other caller has retried already
                self._launching = None
            raise

    @property
    def _waiting(self) -> str | None:
        return None if self.browser.source is None else self.browser.source.waiting

    def replace_browser(self, substitute: Browser) -> None:
        """Let commands use `substitute`, until `reinstate_browser`. Starts and ends neither browser."""
        self.suspended_browser, self.browser = self.browser, substitute

    def reinstate_browser(self) -> None:
        """Let commands use the session's own browser again."""
        if self.suspended_browser is not None:
            self.browser, self.suspended_browser = self.suspended_browser, None

    @property
    def has_started(self) -> bool:
        """Whether its browser was started, even if it has ended since."""
        task = self._launching
        return task is not None and task.done() and not task.cancelled() and task.exception() is None

    @property
    def tab_crashed(self) -> bool:
        """Whether the current tab has crashed, in a session whose state is saved."""
        try:
            return self.restore is not None and self.browser.page.crashed
        except OrynError:  # there is no tab: a command that needs one reports that itself
            return False

    @property
    def is_being_restored(self) -> bool:
        """Whether the start of a session whose state is saved has not ended."""
        return self.restore is not None and self._launching is not None and not self._launching.done()

    async def end_browser(self, reason: str) -> None:
        """End the browser of a saved session, whose next command starts one again."""
        await self.close_browser()
        self._launching, self.end_reason = None, reason

    async def close_browser(self) -> None:
        """End the browser, started or not. Safe to call twice."""
        if self._launching is not None and not self._launching.done():
            self._launching.cancel()
            await asyncio.wait([self._launching])
        await self.browser.close()
        if self.suspended_browser is not None:
            await self.suspended_browser.close()
