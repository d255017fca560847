"""`WebKitFeatures`: creates the features of one session and attaches them to the tabs that are open."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from oryn.browsers.common.target_feature import InterceptedTarget, SessionFeatures
from oryn.browsers.common.visited_origins import VisitedOrigins
from oryn.browsers.webkit.bootstrap import Bootstrap
from oryn.browsers.webkit.clipboard import WebKitClipboard
from oryn.browsers.webkit.console import WebKitConsoleRecorder
from oryn.browsers.webkit.cookie_places import CookiePlaces
from oryn.browsers.webkit.network.challenges import HttpChallenges, SilentDocuments
from oryn.browsers.webkit.network.log import WebKitRequestLog
from oryn.browsers.webkit.session import WebKitSession

if TYPE_CHECKING:
    from oryn.browsers.cdp.network.network import SessionNetwork
    from oryn.browsers.webkit.console import WebKitConsole
    from oryn.browsers.webkit.network.interception import WebKitConditions, WebKitInterception


class WebKitFeatures(SessionFeatures[WebKitSession]):
    """The features of one session, which exist as long as its `WebKitBrowser`.

    cache: whether pages use the HTTP cache.
    verify: whether certificates of servers must be valid."""

    def __init__(
        self, tabs: Iterable[InterceptedTarget[WebKitSession]], *, cache: bool = True, verify: bool = True
    ) -> None:
        super().__init__(tabs)
        # Features that must see the first page from its start are created here, all others on first use.
        self._cache = cache
        self.visits = VisitedOrigins()
        self.bootstrap = self.register(Bootstrap())
        self.recorder = self.register(WebKitConsoleRecorder(self.bootstrap.names))
        self.clipboard = WebKitClipboard()
        self.log = self.register(WebKitRequestLog())
        self.cookie_places = self.register(CookiePlaces())
        self._challenges = HttpChallenges(verify=verify)
        self.register(SilentDocuments(self._challenges))
        if not cache:
            assert self.conditions

    @cached_property
    def interception(self) -> WebKitInterception:
        from oryn.browsers.webkit.network.interception import WebKitInterception

        interception = self.register(WebKitInterception(self._challenges))
        self.log.reason_of = interception.reason_of
        return interception

    @cached_property
    def conditions(self) -> WebKitConditions:
        from oryn.browsers.webkit.network.interception import WebKitConditions

        return self.register(WebKitConditions(self.interception, cache=self._cache))

    @cached_property
    def network(self) -> SessionNetwork:
        from oryn.browsers.cdp.network.network import SessionNetwork

        return SessionNetwork(self.log, self.interception, self.conditions)

    @cached_property
    def console(self) -> WebKitConsole:
        from oryn.browsers.webkit.console import WebKitConsole

        return WebKitConsole(self.recorder)
