"""The backend of Playwright: its drivers, its servers and its builds of browsers.

Chromium is driven by the pages of the headless backend over Playwright's connection. https://playwright.dev/python/"""

from __future__ import annotations

from oryn.browsers.playwright.browser import PlaywrightBrowser

__all__ = ["PlaywrightBrowser"]
