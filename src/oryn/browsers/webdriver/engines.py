"""The drivers of embedded mode's engines."""

from __future__ import annotations

import shutil

from oryn.browsers.webkit import engines
from oryn.browsers.webkit.engines import EngineName, WebKitEngine
from oryn.core.records import Record
from oryn.errors import BrowserNotFound


class WebDriverEngine(Record):
    """A driver and its browser.

    driver: the name of the driver's program.
    options_key: the capability with the browser's options."""

    browser: WebKitEngine
    driver: str
    options_key: str

    @property
    def name(self) -> EngineName:
        return self.browser.name

    @property
    def needs_display(self) -> bool:
        return self.browser.needs_display

    @property
    def sets_window(self) -> bool:
        """Its driver can set the size of the window; another's has one size."""
        return self.browser.sets_window

    @property
    def packages(self) -> str:
        """The packages to install on this computer, as Debian's releases name them."""
        driver = GTK_PACKAGE if self.name == "webkitgtk" else WPE_DRIVER_PACKAGES[engines.is_debian_12()]
        return f"{driver} {self.browser.packages}"


WPE_DRIVER = "WPEWebDriver"
GTK_PACKAGE = "webkit2gtk-driver"
WPE_DRIVER_PACKAGES = {False: "wpewebkit-webdriver", True: "wpewebkit-driver"}
"""The package of WPE's driver, of Debian 12 and of later releases (False). It depends on some of the browser's only."""

NO_LIMIT_MILLISECONDS = 24 * 3600 * 1000
"""Scripts have the limit of the command that runs them, not one of the driver's."""

ENGINES: dict[EngineName, WebDriverEngine] = {
    "wpe": WebDriverEngine(engines.ENGINES["wpe"], WPE_DRIVER, "wpe:browserOptions"),
    "cog": WebDriverEngine(engines.ENGINES["cog"], WPE_DRIVER, "wpe:browserOptions"),
    "webkitgtk": WebDriverEngine(engines.ENGINES["webkitgtk"], "WebKitWebDriver", "webkitgtk:browserOptions"),
}


def find_driver(engine: WebDriverEngine) -> str:
    """The path of an engine's driver. Raises `BrowserNotFound`."""
    found = shutil.which(engine.driver)
    if found is None:
        raise BrowserNotFound(f"{engine.driver} is not installed", f"Install {engine.packages}.")
    return found


def capabilities(engine: WebDriverEngine, *, binary: str | None, insecure: bool) -> dict[str, object]:
    """The capabilities of a new session. `binary` is None for a driver on another computer, which knows its browser.

    With the page load strategy `none` no command waits for a page by itself; dialogs stay open for Oryn to answer."""
    # A driver takes arguments for a browser that is named alone.
    options = {} if binary is None else {engine.options_key: {"binary": binary, "args": list(engine.browser.arguments)}}
    return {
        **options,
        "pageLoadStrategy": "none",
        "unhandledPromptBehavior": "ignore",
        "acceptInsecureCerts": insecure,
        "timeouts": {"script": NO_LIMIT_MILLISECONDS, "pageLoad": NO_LIMIT_MILLISECONDS},
    }
