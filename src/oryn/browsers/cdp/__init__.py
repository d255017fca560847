"""Headless Chromium (and its family), driven over the Chrome DevTools Protocol.

https://chromedevtools.github.io/devtools-protocol/tot/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oryn.browsers.cdp.browser import Headless

__all__ = ["Headless"]


def __getattr__(name: str) -> Any:
    # Imported when used: `launch` starts a browser's process before there is an event loop to import.
    if name == "Headless":
        from oryn.browsers.cdp.browser import Headless

        return Headless
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
