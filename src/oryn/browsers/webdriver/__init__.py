"""Embedded mode: WebKit (WPE or WebKitGTK), driven over the W3C WebDriver protocol.

https://www.w3.org/TR/webdriver2/"""

from __future__ import annotations

from oryn.browsers.webdriver.browser import WebDriverBrowser

__all__ = ["WebDriverBrowser"]
