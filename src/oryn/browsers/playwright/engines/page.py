"""One tab in Playwright's engines: a page of embedded mode, with Playwright's screencast.

https://playwright.dev/python/docs/api/class-screencast"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from oryn.browsers.base import NO_CONTENT_STATUSES
from oryn.browsers.base.recording import ScreencastCallback, ScreencastFrame
from oryn.browsers.playwright.engines.documents import navigating_page
from oryn.browsers.playwright.error_mapping import limited
from oryn.browsers.webdriver.page import WebDriverPage
from oryn.errors import OrynError, TabNotFound

if TYPE_CHECKING:
    from playwright.async_api import Frame, Page, Response

    from oryn.browsers.playwright.engines.commands import PlaywrightCommands
    from oryn.browsers.webdriver.channel import DriverSession
    from oryn.browsers.webdriver.page import PageOwner

START_SECONDS = 5.0
QUALITY = 90


class PlaywrightEnginePage(WebDriverPage):
    """One tab. Its parameters are those of `WebDriverPage`, and the `commands` that know Playwright's page."""

    def __init__(
        self, session: DriverSession, window: str, owner: PageOwner, load_timeout: float, commands: PlaywrightCommands
    ) -> None:
        super().__init__(session, window, owner, load_timeout)
        self._commands = commands
        self._callbacks: list[ScreencastCallback] = []
        self._latest: ScreencastFrame | None = None
        native = commands.find_page(window)
        if native is not None:
            native.on("response", self._on_response)
            native.on("framenavigated", self._on_frame_navigated)

    def _on_response(self, response: Response) -> None:
        """A response without content leaves the page as it is, which no document reports."""
        if response.status in NO_CONTENT_STATUSES and navigating_page(response.request) is not None:
            self.navigations.on_empty_response(response.url, response.status, response.status_text)

    def _on_frame_navigated(self, frame: Frame) -> None:
        if frame.parent_frame is None:
            self.on_driver_document()

    @property
    def native(self) -> Page:
        """Playwright's page. Raises `TabNotFound` if it has closed."""
        found = self._commands.find_page(self.window)
        if found is None:
            raise TabNotFound("the tab is closed", "Run 'tabs' to see which are open.")
        return found

    async def start_screencast(self, show: ScreencastCallback, *, frames_per_second: float = 25) -> None:
        """Playwright takes 25 pictures a second of Firefox and WebKit; while a trace runs, they have its size."""
        self.channel.check()
        self._callbacks.append(show)
        if len(self._callbacks) > 1:
            if self._latest is not None:
                show(self._latest)
            return
        native = self.native
        try:
            size = native.viewport_size
            start = native.screencast.start(
                on_frame=self._on_frame, quality=QUALITY, **({"size": size} if size else {})
            )
            await limited(start, START_SECONDS)
        except BaseException:  # also when cancelled
            self._callbacks.clear()
            raise

    def _on_frame(self, frame: Any) -> None:
        if self._latest is not None and self._latest.image == frame["data"]:
            return  # the page has not changed
        self._latest = ScreencastFrame(frame["data"], frame["timestamp"] / 1000)
        for show in tuple(self._callbacks):
            show(self._latest)

    async def stop_screencast(self, show: ScreencastCallback) -> None:
        if show not in self._callbacks:
            return
        self._callbacks.remove(show)
        if not self._callbacks:
            self._latest = None
            with suppress(OrynError):  # the tab has closed
                await limited(self.native.screencast.stop(), START_SECONDS)
