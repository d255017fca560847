"""`ChromiumFeatures`: creates the features of one session and attaches them to the tabs that are open."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from oryn.browsers.cdp.connection import CdpSession
from oryn.browsers.cdp.feature import TargetFeature
from oryn.browsers.common.target_feature import SessionFeatures
from oryn.browsers.common.visited_origins import VisitedOrigins

if TYPE_CHECKING:
    from oryn.browsers.cdp.console_messages import CdpConsole
    from oryn.browsers.cdp.feature import InterceptedPage
    from oryn.browsers.cdp.network.conditions import NetworkEmulation
    from oryn.browsers.cdp.network.interception import RequestInterception
    from oryn.browsers.cdp.network.network import SessionNetwork
    from oryn.browsers.chromium.network_options import NetworkOptions

_UNVERIFIED_KEY = {"protocol": "ctap2", "transport": "usb", "hasUserVerification": True, "isUserVerified": False}


class RefusedPasskeys(TargetFeature):
    """Refuses to make and to use passkeys where no person can take part: pages get `NotAllowedError`.

    Chromium would open a window for the ceremony, which gets all input for the page until it ends after minutes, even
    where no window is seen. A security key that never recognises its user ends each ceremony at once, as a person does
    who cancels it. https://chromedevtools.github.io/devtools-protocol/tot/WebAuthn/"""

    def attach(self, page: InterceptedPage, session: CdpSession) -> None:
        if session is page.channel.session:
            session.send("WebAuthn.enable", {"enableUI": False})
            session.send("WebAuthn.addVirtualAuthenticator", {"options": _UNVERIFIED_KEY})


class ChromiumFeatures(SessionFeatures[CdpSession]):
    """The features of one session, which exist as long as its `ChromiumBrowser`.

    tabs: the session's open tabs, read anew each time a feature is registered.
    options: how the browser reaches the network; None for the browser's defaults.
    has_person: a person may take part in ceremonies of passkeys."""

    def __init__(
        self, tabs: Iterable[InterceptedPage], options: NetworkOptions | None = None, *, has_person: bool = False
    ) -> None:
        # Features that must see the first page from its start are created here, all others on first use.
        from oryn.browsers.cdp.clipboard import CdpClipboard
        from oryn.browsers.cdp.console import ConsoleRecorder
        from oryn.browsers.cdp.network.log import RequestLog

        super().__init__(tabs)
        self._options = options
        self.visits = VisitedOrigins()
        self.log = self.register(RequestLog())
        self.recorder = self.register(ConsoleRecorder())
        self.clipboard = self.register(CdpClipboard())
        if not has_person:
            self.register(RefusedPasskeys())
        if options is not None:
            # They apply from the first request on.
            assert self.conditions and self.interception

    @cached_property
    def interception(self) -> RequestInterception:
        from oryn.browsers.cdp.network.interception import RequestInterception

        options = self._options
        if options is None:
            return self.register(RequestInterception())
        if options.client_certificate is None:
            return self.register(RequestInterception(options.proxy_login))
        from oryn.browsers.cdp.network.client_certificate import ClientCertificateHandler

        handler = ClientCertificateHandler(options.client_certificate)
        return self.register(RequestInterception(options.proxy_login, handler))

    @cached_property
    def conditions(self) -> NetworkEmulation:
        from oryn.browsers.cdp.network.conditions import NetworkEmulation

        options = self._options
        if options is None:
            return self.register(NetworkEmulation())
        return self.register(
            NetworkEmulation(cache=options.cache, ignore_certificate_errors=options.ignore_certificate_errors)
        )

    @cached_property
    def network(self) -> SessionNetwork:
        from oryn.browsers.cdp.network.network import SessionNetwork

        return SessionNetwork(self.log, self.interception, self.conditions)

    @cached_property
    def console(self) -> CdpConsole:
        from oryn.browsers.cdp.console_messages import CdpConsole

        return CdpConsole(self.recorder)
