"""Playwright's driver, a process of Node.js that belongs to us, and the browser behind it.

If the driver ends, the browser ends too, as it loses the pipe to it.
https://playwright.dev/python/docs/api/class-browsertype"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from oryn.browsers.chromium.launch import PreparedLaunch, browser_environment
from oryn.browsers.playwright.error_mapping import connect_error, start_error
from oryn.system.optional_dependencies import require_extra

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Playwright

EngineName = Literal["chromium", "firefox", "webkit"]
CONNECT_SECONDS = 10.0
STOP_SECONDS = 5.0

# Playwright otherwise sets each of these to a value of its own.
_NO_EMULATION: dict[str, Any] = {
    "no_viewport": True,
    "color_scheme": "null",
    "forced_colors": "null",
    "reduced_motion": "null",
    "contrast": "null",
}


class PlaywrightDriver:
    """One driver. `start` it, then `launch` or `connect` to one browser."""

    def __init__(self, playwright: Playwright) -> None:
        self._playwright = playwright

    @classmethod
    async def start(cls) -> PlaywrightDriver:
        """Start the process. Raises `NotSupported` if Playwright is not installed, and `BrowserFailed`."""
        with require_extra("playwright", "the backend playwright"):
            from playwright.async_api import Error, async_playwright
        try:
            return cls(await async_playwright().start())
        except (Error, OSError) as error:
            raise start_error(error) from error

    async def launch(self, prepared: PreparedLaunch, *, as_root: bool) -> BrowserContext:
        """Start Chromium as Oryn starts it. Returns its default context. Raises `BrowserFailed`."""
        from playwright.async_api import Error

        program, *arguments = prepared.options.arguments(over_port=False, as_root=as_root)
        try:
            return await self._playwright.chromium.launch_persistent_context(
                prepared.options.profile,
                executable_path=program,
                args=arguments,
                ignore_default_args=True,
                # It decides about no flag here, and in a headless browser Playwright would change the fonts.
                headless=False,
                env=dict(browser_environment(prepared.folder)),
                handle_sigint=False,
                handle_sigterm=False,
                handle_sighup=False,
                downloads_path=prepared.folder.downloads,
                artifacts_dir=prepared.folder.folder / "tmp",
                **_NO_EMULATION,
            )
        except Error as error:
            raise start_error(error) from error

    async def connect(self, endpoint: str, engine: EngineName) -> Browser:
        """Connect to a Playwright server, or to the DevTools address of a browser. Raises `BrowserFailed`."""
        from playwright.async_api import Error

        kind = getattr(self._playwright, engine)
        timeout = CONNECT_SECONDS * 1000
        try:
            browser: Browser
            if is_devtools_address(endpoint):
                browser = await kind.connect_over_cdp(endpoint, timeout=timeout, no_defaults=True)
            else:
                browser = await kind.connect(endpoint, timeout=timeout)
        except Error as error:
            raise connect_error(endpoint, error) from error
        return browser

    async def stop(self) -> None:
        """End the process, and with it a browser that it has started. Never raises."""
        with suppress(Exception):  # whatever fails, the pipe to the process is closed
            async with asyncio.timeout(STOP_SECONDS):
                await self._playwright.stop()


def is_devtools_address(endpoint: str) -> bool:
    """Whether an address is that of a browser's debugging port, and not of a Playwright server."""
    parts = urlsplit(endpoint)
    return parts.scheme in ("http", "https") or "/devtools/" in parts.path


def context_options(**options: Any) -> dict[str, Any]:
    """The options of a context in which Playwright emulates nothing by itself."""
    return {**_NO_EMULATION, **options}
