"""`PlaywrightSharedBrowser`: one driver and its browser, shared by the sessions that run in it."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from oryn.browsers.chromium.attach import is_local_browser
from oryn.browsers.chromium.launch import PreparedLaunch
from oryn.browsers.chromium.shared_browser import SharedBrowser
from oryn.browsers.playwright.driver import PlaywrightDriver
from oryn.browsers.playwright.transport import PlaywrightTransport
from oryn.browsers.process.browser_process import START_SECONDS, BrowserProcess
from oryn.browsers.process.run_folder import LaunchedProcess, RunFolder
from oryn.errors import BrowserError, BrowserFailed
from oryn.system.processes import wait_for_end

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext

    from oryn.browsers.base.emulation import DeviceDescriptor
    from oryn.browsers.cdp.connection import CdpConnection

_RECONNECT_HINT = "Run 'goto' to connect again."


class PlaywrightSharedBrowser(SharedBrowser):
    """A `SharedBrowser` that Playwright starts or connects to."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._driver: PlaywrightDriver | None = None
        self.browser: Browser | None = None
        """Playwright's browser, once `start` has returned."""
        self.default_context: BrowserContext | None = None
        """Playwright's context for the browser's default one; None in a browser that was connected to."""

    def device_models(self) -> Mapping[str, DeviceDescriptor]:
        """The devices that Playwright lists, by name, while it runs."""
        return {} if self._driver is None else self._driver.device_models()

    async def _attach(self, connection: CdpConnection) -> None:
        self._driver = driver = await PlaywrightDriver.start()
        if self.endpoint is not None:
            connection.advice = _RECONNECT_HINT
            self.browser = await driver.connect(self.endpoint, "chromium")
            for context in self.browser.contexts:
                leave_dialogs(context)
        else:
            prepared = await self._prepare_launch()
            self.default_context = await self._launch(driver, prepared)
            self.browser = self.default_context.browser
            self.run_folder = prepared.folder
            self._takes_extensions = True
        if self.browser is None:
            raise BrowserFailed("Playwright has no browser for its context")
        root = await self.browser.new_browser_cdp_session()
        transport = PlaywrightTransport(root, connection)
        connection.attach(transport)
        self.browser.on("disconnected", lambda *_: transport.end())
        if self.endpoint is None:
            await self._follow_process(connection, transport, prepared)
        else:
            self.is_local = await is_local_browser(self.endpoint, connection)
            if self.run_folder is None:
                self.run_folder = RunFolder.create(self._runtime_dir)  # for downloads

    async def _launch(self, driver: PlaywrightDriver, prepared: PreparedLaunch) -> BrowserContext:
        try:
            context = await driver.launch(prepared)
        except BrowserError:
            prepared.discard()
            raise
        leave_dialogs(context)
        return context

    async def _follow_process(
        self, connection: CdpConnection, transport: PlaywrightTransport, prepared: PreparedLaunch
    ) -> None:
        """Find the browser's process, whose end is also reported if the driver, which would report it, has ended."""
        answer = await connection.root.call("SystemInfo.getProcessInfo", timeout=START_SECONDS)
        pid = next(each["id"] for each in answer["processInfo"] if each["type"] == "browser")
        profile = prepared.options.profile
        # The program may be a script that starts the browser: then the script leads the group that has to end.
        leader = pid if sys.platform == "win32" else os.getpgid(pid)
        prepared.folder.write_owner(leader, profile)
        loop = asyncio.get_running_loop()

        def wait() -> None:
            wait_for_end(pid)
            with suppress(RuntimeError):  # the loop is closed, so nothing waits
                loop.call_soon_threadsafe(transport.end)

        self.process = BrowserProcess(LaunchedProcess(leader, wait, None, prepared.folder, profile))

    async def _discard_crashed(self) -> None:
        await super()._discard_crashed()
        await self._stop_driver()

    async def _disconnect(self) -> None:
        await super()._disconnect()
        await self._stop_driver()

    async def _stop_driver(self) -> None:
        driver, self._driver = self._driver, None
        self.browser = self.default_context = None
        if driver is not None:
            await driver.stop()


def leave_dialogs(context: BrowserContext) -> None:
    """Keep Playwright from answering the dialogs of a context, which it does while nobody listens for them."""
    context.on("dialog", lambda _: None)
