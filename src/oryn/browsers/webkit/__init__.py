"""WebKit's own protocol: the browsers of embedded mode (WPE WebKit, Cog, WebKitGTK), driven without a driver."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oryn.browsers.webkit.browser import WebKitBrowser

__all__ = ["WebKitBrowser"]


def __getattr__(name: str) -> Any:
    # Imported when used: `launch` starts a browser before there is an event loop to import.
    if name == "WebKitBrowser":
        from oryn.browsers.webkit.browser import WebKitBrowser

        return WebKitBrowser
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
