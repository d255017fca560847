"""`PlaywrightEngineBrowser`: one session in Firefox or WebKit that Playwright drives, with the pages of embedded mode.

Firefox is Playwright's build, or the system's, which Playwright drives over WebDriver BiDi. WebKit is Playwright's
build.
https://playwright.dev/python/docs/browsers"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from oryn.browsers.base import BrowserInfo
from oryn.browsers.playwright.driver import EngineLaunchOptions, EngineName, PlaywrightDriver
from oryn.browsers.playwright.engines.commands import PlaywrightCommands
from oryn.browsers.playwright.engines.device import PlaywrightDevice
from oryn.browsers.playwright.engines.downloads import PlaywrightDownloads
from oryn.browsers.playwright.engines.network import PlaywrightNetwork
from oryn.browsers.playwright.engines.page import PlaywrightEnginePage
from oryn.browsers.webdriver.browser import WebDriverBrowser
from oryn.browsers.webdriver.channel import page_script
from oryn.browsers.webdriver.client import DriverClient
from oryn.errors import BrowserFailed

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Page

    from oryn.browsers.base import Download
    from oryn.browsers.base.emulation import Device
    from oryn.browsers.base.network import Network
    from oryn.browsers.base.recording import Tracing
    from oryn.browsers.webdriver.channel import DriverSession
    from oryn.browsers.webdriver.page import WebDriverPage

VIEWPORT = (1280, 720)


class PlaywrightEngineBrowser(WebDriverBrowser):
    """One session's browser.

    engine: `firefox` or `webkit`.
    executable: a path or a command; None for Playwright's build, or the system's Firefox.
    endpoint: the address of a Playwright server; None starts a browser.
    headful: with a window.
    runtime_dir, load_timeout, max_pages, ignore_certificate_errors: as in `WebDriverBrowser`."""

    mode: ClassVar[str] = "playwright"

    def __init__(
        self,
        engine: EngineName,
        *,
        executable: str | None = None,
        endpoint: str | None = None,
        headful: bool = False,
        runtime_dir: Path,
        load_timeout: float = 30.0,
        max_pages: int = 100,
        ignore_certificate_errors: bool = False,
    ) -> None:
        super().__init__(
            runtime_dir=runtime_dir,
            load_timeout=load_timeout,
            max_pages=max_pages,
            ignore_certificate_errors=ignore_certificate_errors,
        )
        self._options = EngineLaunchOptions(engine, executable, headful, ignore_certificate_errors, VIEWPORT)
        self._endpoint = endpoint
        self._playwright: PlaywrightDriver | None = None
        self._native: BrowserContext | None = None
        self._commands: PlaywrightCommands | None = None
        self._device = PlaywrightDevice()
        self._network = PlaywrightNetwork()
        self._downloads = PlaywrightDownloads(self._page_of)

    async def _connect(self) -> DriverClient:
        self._playwright = driver = await PlaywrightDriver.start()
        if self._endpoint is not None:
            browser = await driver.connect(self._endpoint, self._options.engine)
            self._native = context = await driver.create_context(browser, self._options)
        else:
            self._native = context = await driver.launch_engine(self._options, self._runtime_dir)
        await context.add_init_script(script=page_script())
        await self._network.apply(context)
        self._downloads.follow(context)
        found = context.browser
        version = f"{self._options.engine.capitalize()}/{found.version if found else ''}"
        self._commands = commands = PlaywrightCommands(context, version)
        await self._device.apply(context, commands.pages)
        context.on("close", lambda *_: commands.on_lost())
        if not context.pages:
            await context.new_page()
        return commands

    async def close(self) -> None:
        await super().close()
        self._network.discard()

    async def _close_driver(self) -> None:
        driver, self._playwright = self._playwright, None
        self._native = None
        if self._commands is not None:
            self._commands.on_lost()
        if driver is not None:
            await driver.stop()

    @property
    def process_group(self) -> int | None:
        return None if self._playwright is None else self._playwright.group

    @property
    def info(self) -> BrowserInfo:
        if self._endpoint is None:
            return BrowserInfo(headful=self._options.headful)
        from oryn.core.urls import redact_browser_url

        return BrowserInfo(endpoint=str(redact_browser_url(self._endpoint)), attached=True, here=False)

    def _create_page(self, session: DriverSession, window: str) -> WebDriverPage:
        assert self._commands is not None
        return PlaywrightEnginePage(session, window, self, self._load_timeout, self._commands)

    def _page_of(self, native: Page) -> WebDriverPage | None:
        """The tab of a page of Playwright. One that was opened for a file alone has closed: then the current tab."""
        window = str(id(native))
        return next((page for page in self._pages.values() if page.window == window), self._current)

    # --- downloads ---

    def configure_downloads(self, save: Callable[[Path, str], Path], limit: int) -> None:
        self._downloads.registry.save, self._downloads.registry.limit = save, limit

    def downloads(self) -> list[Download]:
        return list(self._downloads.registry.all.values())

    async def wait_for_downloads(self, ids: Collection[str], *, timeout: float) -> None:
        await self._downloads.registry.wait_for(ids, timeout)

    # --- features ---

    @property
    def device(self) -> Device:
        return self._device

    @property
    def network(self) -> Network:
        return self._network

    @cached_property
    def tracing(self) -> Tracing:
        from oryn.browsers.playwright.tracing import PlaywrightTracing

        return PlaywrightTracing(self._require_native)

    def _require_native(self) -> BrowserContext:
        if self._native is None:
            raise BrowserFailed("the browser is not running", "Run 'goto <url>' to start it.")
        return self._native
