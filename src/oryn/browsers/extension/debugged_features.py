"""The features of a session's tabs that a debugger is attached to: those of `oryn headless`, over the same protocol.

A tab has the features of one session. The frames in other processes and the workers of a tab have protocol sessions of
their own. https://developer.chrome.com/docs/extensions/reference/api/debugger#attach_to_related_targets"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from oryn.browsers.cdp.channel import TabCommands
from oryn.browsers.cdp.connection import CdpSession
from oryn.browsers.cdp.network.log import KEEP_BODIES
from oryn.browsers.cdp.subtargets import Subtargets
from oryn.browsers.common.target_feature import SessionFeatures

if TYPE_CHECKING:
    import asyncio

    from oryn.browsers.cdp.clipboard import CdpClipboard
    from oryn.browsers.cdp.console import ReattachingConsoleRecorder
    from oryn.browsers.cdp.network.conditions import NetworkEmulation
    from oryn.browsers.cdp.network.interception import RequestInterception
    from oryn.browsers.cdp.network.log import RequestLog
    from oryn.browsers.common.protocol_session import Answer
    from oryn.browsers.common.target_feature import NavigationRefusals


class DebuggerConnection(TabCommands):
    """The commands to a tab while its debugger is attached; `tab` outlives it."""

    def __init__(self, session: CdpSession, tab: TabCommands) -> None:
        self.session = session
        self.sessions = [session]
        self._tab = tab

    def check(self) -> None:
        self._tab.check()

    def check_alive(self) -> None:
        self._tab.check_alive()


class DebuggedDocument:
    """The top document of a tab, as the protocol names it."""

    def __init__(self, session: CdpSession) -> None:
        self.loader = ""
        self.url = ""
        session.on("Page.frameNavigated", self._on_navigated)
        session.send("Page.getFrameTree").add_done_callback(self._adopt)

    def _on_navigated(self, event: dict[str, Any]) -> None:
        if "parentId" not in event["frame"]:
            self.loader, self.url = event["frame"]["loaderId"], event["frame"]["url"]

    def _adopt(self, answer: asyncio.Future[Answer]) -> None:
        if not self.loader and not answer.cancelled() and answer.exception() is None:
            self._on_navigated(answer.result()["frameTree"])


class DebuggedFrameTree:
    """The frame tree of a debugged tab, which has only the top document."""

    def __init__(self, top: DebuggedDocument) -> None:
        self.top = top


class DebuggedTab:
    """A tab with a debugger attached (an `InterceptedPage`), until the debugger is detached.

    features: those of the session that controls the tab.
    listen: called with the session of each of its documents, to follow its events."""

    def __init__(
        self,
        session: CdpSession,
        tab: TabCommands,
        target_id: str,
        *,
        features: DebuggedFeatures,
        navigations: NavigationRefusals,
        listen: Callable[[CdpSession], object],
    ) -> None:
        self.channel = DebuggerConnection(session, tab)
        self.frame_tree = DebuggedFrameTree(DebuggedDocument(session))
        self.target_id = target_id
        self.features = features
        self.navigations = navigations
        self._listen = listen
        self._subtargets = Subtargets(self, self.channel.sessions)
        features.tabs.append(self)
        self._begin(session)

    @property
    def url(self) -> str:
        return self.frame_tree.top.url

    def _begin(self, session: CdpSession) -> None:
        self._listen(session)
        for feature in self.features:
            feature.attach(self, session)
        session.send("Network.enable", KEEP_BODIES)
        session.send("Runtime.enable")
        self._subtargets.follow(session)

    def end(self) -> None:
        """The debugger was detached."""
        self.features.tabs.remove(self)
        self._subtargets.end_frames(self.channel.session)

    # --- `cdp.subtargets.SubtargetOwner` ---

    def begin_frame(self, session: CdpSession, frame_id: str) -> None:
        self._begin(session)

    def end_frame(self, session: CdpSession) -> None:
        for feature in self.features:
            feature.detach(self, session)

    def begin_worker(self, session: CdpSession) -> None:
        for feature in self.features:
            feature.attach_worker(self, session)


class DebuggedFeatures(SessionFeatures[CdpSession]):
    """The features of one session; they live as long as its browser, and keep their settings while no debugger is
    attached."""

    def __init__(self, browser: object) -> None:
        """`browser` identifies the browser whose clipboard is shared."""
        self._browser = browser
        self.tabs: list[DebuggedTab] = []
        """The session's tabs that a debugger is attached to now."""
        super().__init__(self.tabs)

    def follow_pages(self) -> None:
        """Create the features that follow pages from the start. Called with the first tab: sessions without a debugger
        have none of them."""
        assert self.console_recorder and self.log and self.clipboard

    @cached_property
    def console_recorder(self) -> ReattachingConsoleRecorder:
        """Records the console messages."""
        from oryn.browsers.cdp.console import ReattachingConsoleRecorder

        return self.register(ReattachingConsoleRecorder())

    @cached_property
    def log(self) -> RequestLog:
        """Records the requests."""
        from oryn.browsers.cdp.network.log import RequestLog

        return self.register(RequestLog())

    @cached_property
    def clipboard(self) -> CdpClipboard:
        """The session's clipboard."""
        from oryn.browsers.cdp.clipboard import CdpClipboard

        return self.register(CdpClipboard(self._browser))

    @cached_property
    def conditions(self) -> NetworkEmulation:
        """Emulates network conditions."""
        from oryn.browsers.cdp.network.conditions import NetworkEmulation

        return self.register(NetworkEmulation())

    @cached_property
    def interception(self) -> RequestInterception:
        """Holds requests back, for rules and headers."""
        from oryn.browsers.cdp.network.interception import RequestInterception

        return self.register(RequestInterception())
