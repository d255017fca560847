"""`WebKitFeatures`: creates the features of one session and attaches them to the tabs that are open."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from oryn.browsers.common.target_feature import InterceptedTarget, SessionFeatures
from oryn.browsers.webkit.bootstrap import Bootstrap
from oryn.browsers.webkit.clipboard import WebKitClipboard
from oryn.browsers.webkit.console import WebKitConsoleRecorder
from oryn.browsers.webkit.session import WebKitSession

if TYPE_CHECKING:
    from oryn.browsers.webkit.console import WebKitConsole


class WebKitFeatures(SessionFeatures[WebKitSession]):
    """The features of one session, which exist as long as its `WebKitBrowser`."""

    def __init__(self, tabs: Iterable[InterceptedTarget[WebKitSession]]) -> None:
        super().__init__(tabs)
        # Features that must see the first page from its start are created here, all others on first use.
        self.bootstrap = self.register(Bootstrap())
        self.recorder = self.register(WebKitConsoleRecorder(self.bootstrap.names))
        self.clipboard = WebKitClipboard()

    @cached_property
    def console(self) -> WebKitConsole:
        from oryn.browsers.webkit.console import WebKitConsole

        return WebKitConsole(self.recorder)
