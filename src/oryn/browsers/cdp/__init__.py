"""Headless Chromium (and its family), driven over the Chrome DevTools Protocol.

https://chromedevtools.github.io/devtools-protocol/tot/
"""

from __future__ import annotations

from oryn.browsers.cdp.browser import Headless

__all__ = ["Headless"]
