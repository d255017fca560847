"""The user's own browser, through the extension APIs (`oryn.extension.bridge`): what a connected server drives.

Runs in the extension's service worker, on Pyodide: standard library only. The scanner is a content script in the
isolated world of every frame; `content.js` of the extension hands it requests.
https://developer.chrome.com/docs/extensions/reference/api
"""

from __future__ import annotations

from oryn.browsers.extension.browser import ExtensionBrowser
from oryn.browsers.extension.tabs import Tabs

__all__ = ["ExtensionBrowser", "Tabs"]
