"""Playwright's driver, a process of Node.js that belongs to us, and the browser behind it.

If the driver ends, the browser ends too, as it loses the pipe to it.
https://playwright.dev/python/docs/api/class-browsertype"""

from __future__ import annotations

import asyncio
import logging
import re
import shlex
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from oryn.browsers.base.emulation import DeviceDescriptor
from oryn.browsers.chromium.launch import PreparedLaunch
from oryn.browsers.playwright.error_mapping import connect_error, start_error
from oryn.browsers.process.run_folder import RunFolder, kill_group
from oryn.core.records import Record
from oryn.errors import BrowserNotFound
from oryn.system.environment import child_environment
from oryn.system.optional_dependencies import require_extra
from oryn.system.processes import wait_for_end

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Playwright

log = logging.getLogger(__name__)

EngineName = Literal["chromium", "firefox", "webkit"]
_SYSTEM_FIREFOX = "moz-firefox"
"""The channel of a Firefox that is not Playwright's build."""
_VERSION = re.compile(r"\b(Chrome|Edg)/[\d.]+")
"""The version of Playwright's Chromium in a user agent, which a browser replaces by its own."""
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


class EngineLaunchOptions(Record):
    """The options of a browser of another engine than Chromium: see `PlaywrightEngineBrowser`."""

    engine: EngineName
    executable: str | None
    headful: bool
    ignore_certificate_errors: bool
    viewport: tuple[int, int]

    def context(self) -> dict[str, Any]:
        """The options of its context."""
        width, height = self.viewport
        return {"viewport": {"width": width, "height": height}, "ignore_https_errors": self.ignore_certificate_errors}


@contextmanager
def _without_secrets() -> Iterator[None]:
    """Start Playwright's own process, inside of the block, with the variables for a foreign program.

    Playwright copies all of ours, and no parameter changes that. A version that does so in another way gets them."""
    from playwright._impl import _transport

    every = getattr(_transport, "get_driver_env", None)
    if every is None:
        log.warning("this version of Playwright gets all environment variables")
        yield
        return
    _transport.get_driver_env = lambda: child_environment(every())
    try:
        yield
    finally:
        _transport.get_driver_env = every


class PlaywrightDriver:
    """One driver. `start` it, then `launch` or `connect` to one browser."""

    def __init__(self, playwright: Playwright) -> None:
        self._playwright = playwright
        self._folder: RunFolder | None = None
        self.group: int | None = None
        """The process group of a browser that `launch_engine` has started."""

    @classmethod
    async def start(cls) -> PlaywrightDriver:
        """Start the process. Raises `NotSupported` if Playwright is not installed, and `BrowserFailed`."""
        with require_extra("playwright", "the backend playwright"):
            from playwright.async_api import Error, async_playwright
        try:
            with _without_secrets():
                return cls(await async_playwright().start())
        except (Error, OSError) as error:
            raise start_error(error) from error

    def device_models(self) -> dict[str, DeviceDescriptor]:
        """The devices that this Playwright lists, by name. https://playwright.dev/python/docs/emulation#devices

        Oryn's own list is Playwright's, too, with the sizes of screens, which its interface for Python leaves out. So
        that list comes first, and this one has the names that a newer Playwright adds."""
        return {name: _device_model(name, each) for name, each in self._playwright.devices.items()}

    async def launch(self, prepared: PreparedLaunch) -> BrowserContext:
        """Start Chromium as Oryn starts it. Returns its default context. Raises `BrowserFailed`."""
        from playwright.async_api import Error

        program, *arguments = prepared.options.arguments(over_port=False)
        try:
            return await self._playwright.chromium.launch_persistent_context(
                prepared.options.profile,
                executable_path=program,
                args=arguments,
                ignore_default_args=True,
                # It decides about no flag here, and in a headless browser Playwright would change the fonts.
                headless=False,
                env=prepared.folder.environment(),
                handle_sigint=False,
                handle_sigterm=False,
                handle_sighup=False,
                downloads_path=prepared.folder.downloads,
                artifacts_dir=prepared.folder.folder / "tmp",
                **_NO_EMULATION,
            )
        except Error as error:
            raise start_error(error) from error

    async def launch_engine(self, options: EngineLaunchOptions, runtime_dir: Path) -> BrowserContext:
        """Start another engine in a run folder below `runtime_dir`. Returns its default context. Raises
        `BrowserNotFound`, `BrowserFailed`."""
        from playwright.async_api import Error

        kind = getattr(self._playwright, options.engine)
        program, channel = _find_engine(options, kind.executable_path)
        self._folder = folder = RunFolder.create(runtime_dir)
        file = folder.folder / "pid"
        starter = folder.folder / "start"
        starter.write_text(f'#!/bin/sh\necho $$ >{shlex.quote(str(file))}\nexec {shlex.quote(program)} "$@"\n')
        starter.chmod(0o700)
        try:
            context: BrowserContext = await kind.launch_persistent_context(
                folder.profile,
                executable_path=starter,
                channel=channel,
                headless=not options.headful,
                env=folder.environment(),
                handle_sigint=False,
                handle_sigterm=False,
                handle_sighup=False,
                downloads_path=folder.downloads,
                artifacts_dir=folder.folder / "tmp",
                **options.context(),
            )
        except Error as error:
            raise start_error(error) from error
        self.group = int(file.read_text())
        folder.write_owner(self.group, folder.profile, mark=str(folder.profile))
        return context

    async def create_context(self, browser: Browser, options: EngineLaunchOptions) -> BrowserContext:
        """Create a context in a browser that was connected to. Raises `BrowserFailed`."""
        from playwright.async_api import Error

        try:
            return await browser.new_context(**options.context())
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
        folder, self._folder = self._folder, None
        if self.group is not None:
            kill_group(self.group)  # it outlives a driver that was killed
            await asyncio.to_thread(wait_for_end, self.group)
            self.group = None
        if folder is not None:
            await asyncio.to_thread(folder.remove)
            folder.release()


def _device_model(name: str, listed: Mapping[str, Any]) -> DeviceDescriptor:
    viewport = listed["viewport"]
    screen = listed.get("screen", viewport)
    return DeviceDescriptor(
        name,
        (viewport["width"], viewport["height"]),
        (screen["width"], screen["height"]),
        listed["device_scale_factor"],
        listed["is_mobile"],
        listed["has_touch"],
        _VERSION.sub(r"\1/{chrome}", listed["user_agent"]),
    )


def _find_engine(options: EngineLaunchOptions, build: str) -> tuple[str, str | None]:
    """The program of an engine, and its channel. Raises `BrowserNotFound`.

    build: where Playwright's own build would be."""
    channel = _SYSTEM_FIREFOX if options.engine == "firefox" else None
    if options.executable is not None:
        if (found := shutil.which(options.executable)) is None:
            raise BrowserNotFound(f"there is no browser {options.executable}", "Check the setting browser.")
        return found, None if Path(found) == Path(build) else channel
    if Path(build).is_file():
        return build, None
    if options.engine == "firefox" and (found := find_firefox()):
        return found, channel
    raise BrowserNotFound(
        f"Playwright's build of {options.engine} is not installed", f"Run 'playwright install {options.engine}'."
    )


def find_firefox() -> str | None:
    """The program of the system's Firefox, or None."""
    return next(filter(None, map(shutil.which, ("firefox-esr", "firefox"))), None)


def is_devtools_address(endpoint: str) -> bool:
    """Whether an address is that of a browser's debugging port, and not of a Playwright server."""
    parts = urlsplit(endpoint)
    return parts.scheme in ("http", "https") or "/devtools/" in parts.path


def context_options(**options: Any) -> dict[str, Any]:
    """The options of a context in which Playwright emulates nothing by itself."""
    return {**_NO_EMULATION, **options}
