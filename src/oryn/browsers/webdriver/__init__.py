"""Embedded mode: WebKit (WPE or WebKitGTK), driven over the W3C WebDriver protocol.

https://www.w3.org/TR/webdriver2/"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oryn.browsers.webdriver.browser import WebDriverBrowser

__all__ = ["WebDriverBrowser"]


def __getattr__(name: str) -> Any:
    # Imported when used: `driver` starts a driver before there is an event loop to import.
    if name == "WebDriverBrowser":
        from oryn.browsers.webdriver.browser import WebDriverBrowser

        return WebDriverBrowser
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
