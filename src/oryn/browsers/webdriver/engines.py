"""The engines of embedded mode, and what each of them lacks: the only place that tells them apart."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from oryn.core.records import Record
from oryn.errors import BrowserNotFound

EngineName = Literal["wpe", "cog", "webkitgtk"]


class WebDriverEngine(Record):
    """An engine.

    driver: the name of the driver's program.
    options_key: the capability with the browser's options.
    browsers: the browser's program, as patterns of paths; the first one found is used.
    arguments: the browser's arguments.
    needs_display: it draws into a window, so it needs an X or Wayland display. `driver` starts one if there is none.
    sets_window: its driver can set the size of the window; another's has one size.
    environment: variables of its processes.
    package: what to install besides `WPE_PACKAGES`, or in their place."""

    name: EngineName
    driver: str
    options_key: str
    browsers: tuple[str, ...]
    arguments: tuple[str, ...]
    needs_display: bool
    sets_window: bool
    environment: Mapping[str, str]
    package: str

    @property
    def packages(self) -> str:
        """The packages to install on this computer, as Debian's releases name them."""
        if self.driver != WPE_DRIVER:
            return self.package
        return " ".join(filter(None, (WPE_PACKAGES[_is_debian_12()], self.package)))


WPE_DRIVER = "WPEWebDriver"
WPE_PACKAGES = {
    False: "wpewebkit-webdriver libwpewebkit-2.0-1 libwpebackend-fdo-1.0-1 libgles2",
    True: "wpewebkit-driver libwpewebkit-1.1-0 libwpebackend-fdo-1.0-1 libatk-bridge2.0-0 libgles2",
}
"""The packages of WPE WebKit, of Debian 12 and of later releases (False). The driver depends on some of them only."""


def _is_debian_12() -> bool:
    import platform

    try:
        release = platform.freedesktop_os_release()
    except OSError:  # another system
        return False
    return (release["ID"], release.get("VERSION_ID")) == ("debian", "12")


# These save a tenth of the memory of a page. The optimising compilers of JavaScript cost 8 MB and make long loops twice
# as fast at most; Mesa draws without threads of its own; the allocator keeps less for later.
_SMALL_MEMORY = {
    "JSC_useDFGJIT": "0",
    "LP_NUM_THREADS": "0",
    "MALLOC_ARENA_MAX": "1",
    "MALLOC_TRIM_THRESHOLD_": "65536",
    "MALLOC_TOP_PAD_": "0",
}

NO_LIMIT_MILLISECONDS = 24 * 3600 * 1000
"""Scripts have the limit of the command that runs them, not one of the driver's."""

ENGINES: dict[EngineName, WebDriverEngine] = {
    "wpe": WebDriverEngine(
        name="wpe",
        driver=WPE_DRIVER,
        options_key="wpe:browserOptions",
        browsers=(
            "/usr/lib/*/wpe-webkit-*/MiniBrowser",
            "/usr/libexec/wpe-webkit-*/MiniBrowser",
            "/usr/lib/wpe-webkit-*/MiniBrowser",
        ),
        arguments=("--automation", "--headless"),
        needs_display=False,
        sets_window=False,
        environment=_SMALL_MEMORY,
        package="",
    ),
    "cog": WebDriverEngine(
        name="cog",
        driver=WPE_DRIVER,
        options_key="wpe:browserOptions",
        browsers=("/usr/bin/cog", "/usr/local/bin/cog"),
        arguments=("--automation", "--platform=headless"),
        needs_display=False,
        sets_window=False,
        environment=_SMALL_MEMORY,
        package="cog",
    ),
    "webkitgtk": WebDriverEngine(
        name="webkitgtk",
        driver="WebKitWebDriver",
        options_key="webkitgtk:browserOptions",
        browsers=("/usr/lib/*/webkit2gtk-4.*/MiniBrowser", "/usr/libexec/webkit2gtk-4.*/MiniBrowser"),
        arguments=("--automation",),
        needs_display=True,
        sets_window=True,
        environment=_SMALL_MEMORY,
        package="webkit2gtk-driver xvfb",
    ),
}


def find_driver(engine: WebDriverEngine) -> str:
    """The path of an engine's driver. Raises `BrowserNotFound`."""
    found = shutil.which(engine.driver)
    if found is None:
        raise BrowserNotFound(f"{engine.driver} is not installed", f"Install {engine.packages}.")
    return found


def find_browser_program(engine: WebDriverEngine) -> str:
    """The path of an engine's browser. Raises `BrowserNotFound`."""
    root = Path(sys.prefix).anchor or "/"
    for pattern in engine.browsers:
        found = sorted(Path(root).glob(pattern.lstrip("/")))
        if found:
            return str(found[-1])
    raise BrowserNotFound(f"there is no browser for {engine.driver}", f"Install {engine.packages}.")


def capabilities(engine: WebDriverEngine, *, binary: str | None, insecure: bool) -> dict[str, object]:
    """The capabilities of a new session. `binary` is None for a driver on another computer, which knows its browser.

    With the page load strategy `none` no command waits for a page by itself; dialogs stay open for Oryn to answer."""
    # A driver takes arguments for a browser that is named alone.
    options = {} if binary is None else {engine.options_key: {"binary": binary, "args": list(engine.arguments)}}
    return {
        **options,
        "pageLoadStrategy": "none",
        "unhandledPromptBehavior": "ignore",
        "acceptInsecureCerts": insecure,
        "timeouts": {"script": NO_LIMIT_MILLISECONDS, "pageLoad": NO_LIMIT_MILLISECONDS},
    }
