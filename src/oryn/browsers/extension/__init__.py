"""The user's own browser, controlled through the extension APIs (`bridge`) by a connected server.

Runs in the extension's service worker, on Pyodide: standard library only. The scanner is a content script in the
isolated world of every frame; `content.js` of the extension passes requests to it.
https://developer.chrome.com/docs/extensions/reference/api"""

from __future__ import annotations

from oryn.browsers.extension.browser import ExtensionBrowser
from oryn.browsers.extension.tabs import ExtensionTabs

__all__ = ["ExtensionBrowser", "ExtensionTabs"]
