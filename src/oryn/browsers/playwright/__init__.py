"""The backend of Playwright: its drivers, its servers and its builds of browsers. https://playwright.dev/python/

Chromium is driven by the pages of the headless backend, over Playwright's connection. Other engines have no DevTools
protocol: they are driven by the pages of embedded mode, whose commands Playwright does."""

from __future__ import annotations

from oryn.browsers.playwright.browser import PlaywrightBrowser
from oryn.browsers.playwright.engines.browser import PlaywrightEngineBrowser

__all__ = ["PlaywrightBrowser", "PlaywrightEngineBrowser"]
