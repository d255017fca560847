"""`PlaywrightBrowser`: one session in Chromium that Playwright starts or connects to, driven by the pages of the
headless backend. Its context is created by Playwright, whose recordings then cover the session."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from oryn.browsers.chromium.browser import ChromiumBrowser
from oryn.browsers.chromium.contexts import BrowserContext
from oryn.browsers.playwright.downloads import FetchedDownloads
from oryn.browsers.playwright.driver import context_options
from oryn.browsers.playwright.error_mapping import call_error
from oryn.browsers.playwright.shared_browser import PlaywrightSharedBrowser, leave_dialogs
from oryn.browsers.process.browser_process import START_SECONDS
from oryn.errors import BrowserFailed

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext as NativeContext

    from oryn.browsers.base.emulation import DeviceDescriptor
    from oryn.browsers.base.recording import Tracing
    from oryn.browsers.cdp.connection import CdpSession
    from oryn.browsers.chromium.shared_browser import SharedBrowser
    from oryn.browsers.chromium.targets import CdpTargets

_MAX_ATTEMPTS = 3


class PlaywrightContext(BrowserContext):
    """A `BrowserContext` that Playwright has an object for."""

    def __init__(self, browser: PlaywrightSharedBrowser, *, own: bool, options: Mapping[str, Any]) -> None:
        super().__init__(browser, own=own, options=options)
        self._playwright = browser
        self._native: NativeContext | None = None
        self._downloads: FetchedDownloads | None = None

    @property
    def native(self) -> NativeContext:
        """Playwright's context. Raises `BrowserFailed` if the browser is not running."""
        found = self._native or self._playwright.default_context
        if found is None:
            raise BrowserFailed("the browser is not running", "Run 'goto <url>' to start it.")
        return found

    def device_models(self) -> Mapping[str, DeviceDescriptor]:
        """See `PlaywrightSharedBrowser.device_models`."""
        return self._playwright.device_models()

    async def _create(self, root: CdpSession) -> dict[str, str]:
        """Create a context. Playwright does not say which of the browser's contexts it is, so it is the one that the
        browser did not have before."""
        for _ in range(_MAX_ATTEMPTS):
            before = await self._ids(root)
            self._native = await self._create_native()
            created = await self._ids(root) - before
            if len(created) == 1:
                return {"browserContextId": created.pop()}
            await self._native.close()  # another client has created one at the same time
        raise BrowserFailed("the browser did not create a context", "Try again.")

    def _accept_downloads(self, root: CdpSession) -> None:
        if self._browser.is_local or self._native is None or self._browser.run_folder is None or self.id is None:
            super()._accept_downloads(root)
            return
        folder = self._browser.run_folder.downloads_of(self.id)
        self._downloads = FetchedDownloads(self._native, root.connection, folder)

    async def _ids(self, root: CdpSession) -> set[str]:
        answer = await root.call("Target.getBrowserContexts", timeout=START_SECONDS)
        return set(answer["browserContextIds"])

    async def _create_native(self) -> NativeContext:
        from playwright.async_api import Error

        browser = self._playwright.browser
        if browser is None:
            raise BrowserFailed("the browser is not running", "Run 'goto <url>' to start it.")
        try:
            context = await browser.new_context(**context_options(**self._proxy()))
        except Error as error:
            raise call_error(error) from error
        leave_dialogs(context)
        return context

    def _proxy(self) -> dict[str, Any]:
        server, bypass = self._options.get("proxyServer"), self._options.get("proxyBypassList")
        if not server:
            return {}
        return {"proxy": {"server": server, **({"bypass": bypass.replace(";", ",")} if bypass else {})}}

    async def _dispose(self, targets: CdpTargets) -> None:
        from playwright.async_api import Error

        context, self._native = self._native, None
        if context is None:
            await super()._dispose(targets)
            return
        targets.end()
        if self._browser.run_folder is not None and self.id is not None:
            self._browser.run_folder.remove_downloads_of(self.id)
        try:
            await context.close()
        except Error as error:
            raise call_error(error) from error


class PlaywrightBrowser(ChromiumBrowser):
    """One session's browser in Playwright: a context of it, and its tabs. Its parameters are those of
    `ChromiumBrowser`; `endpoint` may also be the address of a Playwright server."""

    mode: ClassVar[str] = "playwright"
    _browser_type: ClassVar[type[SharedBrowser]] = PlaywrightSharedBrowser

    @property
    def process_group(self) -> int | None:
        """The process group of a browser that Playwright has started; None if it runs elsewhere, or not at all."""
        process = self._shared.process
        return None if process is None else process.pid

    def device_models(self) -> Mapping[str, DeviceDescriptor]:
        return self._playwright_context.device_models()

    @cached_property
    def tracing(self) -> Tracing:
        from oryn.browsers.playwright.tracing import PlaywrightTracing

        return PlaywrightTracing(lambda: self._playwright_context.native)

    def _create_context(self, *, own: bool, options: Mapping[str, Any]) -> BrowserContext:
        assert isinstance(self._shared, PlaywrightSharedBrowser)
        self._playwright_context = PlaywrightContext(self._shared, own=own, options=options)
        return self._playwright_context
