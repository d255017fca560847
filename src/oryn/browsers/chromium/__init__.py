"""The headless backend: Chromium (and its family), driven over the Chrome DevTools Protocol.

https://chromedevtools.github.io/devtools-protocol/tot/"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oryn.browsers.chromium.browser import ChromiumBrowser

__all__ = ["ChromiumBrowser"]


def __getattr__(name: str) -> Any:
    # Imported when used: `launch` starts a browser's process before there is an event loop to import.
    if name == "ChromiumBrowser":
        from oryn.browsers.chromium.browser import ChromiumBrowser

        return ChromiumBrowser
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
