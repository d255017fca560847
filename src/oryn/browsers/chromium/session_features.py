"""`ChromiumFeatures`: creates the features of one session and attaches them to the tabs that are open; and two features
that need no more than this."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Protocol, cast

from oryn.browsers.cdp.channel import TabCommands
from oryn.browsers.cdp.connection import CdpSession
from oryn.browsers.cdp.feature import TargetFeature
from oryn.browsers.common.target_feature import SessionFeatures
from oryn.browsers.common.visited_origins import VisitedOrigins
from oryn.scanner import page_call

if TYPE_CHECKING:
    from oryn.browsers.cdp.console_messages import CdpConsole
    from oryn.browsers.cdp.feature import InterceptedPage
    from oryn.browsers.cdp.network.conditions import NetworkEmulation
    from oryn.browsers.cdp.network.interception import RequestInterception
    from oryn.browsers.cdp.network.network import SessionNetwork
    from oryn.browsers.chromium.network_options import NetworkOptions
    from oryn.browsers.common.leases import SharedTabs
    from oryn.core.passkey import PasskeyStore


class SharedTab(Protocol):
    """A tab of a browser that others use too."""

    own: bool
    """Whether the session has opened it."""
    channel: TabCommands


class SharedTabInput(TargetFeature):
    """Takes the leases of the tabs that the session opens, and reports a person's input in every tab that it uses.

    world_name: that of the world of the script that reports it, which no page can reach.
    https://chromedevtools.github.io/devtools-protocol/tot/Runtime/#method-addBinding"""

    def __init__(self, tabs: SharedTabs, world_name: str) -> None:
        self._tabs = tabs
        self._world_name = world_name
        self._binding = "__input_" + world_name.replace(" ", "_")
        """Its name is the session's own: the browser tells every session of a call that has one of this name."""

    def attach(self, page: InterceptedPage, session: CdpSession) -> None:
        watch = self._tabs.leases.input_watch(page.target_id)
        if session is page.channel.session:
            tab = cast(SharedTab, page)
            tab.channel.input_watch = watch
            if tab.own:
                self._tabs.leases.take(page.target_id, self._tabs.holder)
        session.on("Runtime.bindingCalled", partial(self._on_binding_called, page))
        session.send("Runtime.addBinding", {"name": self._binding, "executionContextName": self._world_name})
        script = {
            "source": page_call("input_report", self._binding),
            "worldName": self._world_name,
            "runImmediately": True,
        }
        session.send("Page.addScriptToEvaluateOnNewDocument", script)

    def detach(self, page: InterceptedPage, session: CdpSession) -> None:
        if session is page.channel.session:
            self._tabs.leases.input_watch(page.target_id).leave(page)

    def _on_binding_called(self, page: InterceptedPage, event: dict[str, Any]) -> None:
        if event["name"] == self._binding:
            kind, _, count = event["payload"].partition(" ")
            self._tabs.leases.input_watch(page.target_id).on_reported(kind, int(count), page)


class ChromiumFeatures(SessionFeatures[CdpSession]):
    """The features of one session, which exist as long as its `ChromiumBrowser`.

    tabs: the session's open tabs, read anew each time a feature is registered.
    options: how the browser reaches the network; None for the browser's defaults.
    has_person: a person may take part in ceremonies of passkeys.
    passkeys: those that pages use without a person, and what gets notes about them for the agent."""

    def __init__(
        self,
        tabs: Iterable[InterceptedPage],
        options: NetworkOptions | None = None,
        *,
        has_person: bool = False,
        passkeys: tuple[PasskeyStore, Callable[[str], object]] | None = None,
    ) -> None:
        # Features that must see the first page from its start are created here, all others on first use.
        from oryn.browsers.cdp.clipboard import CdpClipboard
        from oryn.browsers.cdp.console import ConsoleRecorder
        from oryn.browsers.cdp.network.log import RequestLog
        from oryn.browsers.cdp.webauthn import RefusedPasskeys, VirtualAuthenticators

        super().__init__(tabs)
        self.for_any_tab: list[TargetFeature] = []
        """The features that also attach to a tab that the session has not opened: none that changes anything there."""
        self._options = options
        self.visits = VisitedOrigins()
        self.log = self.register(RequestLog())
        self.recorder = self.register(ConsoleRecorder())
        self.clipboard = self.register(CdpClipboard())
        if passkeys is not None:
            self.register(VirtualAuthenticators(*passkeys))
        elif not has_person:
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
