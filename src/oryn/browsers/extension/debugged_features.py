"""The features of a session's tabs that a debugger is attached to, over the DevTools protocol.

They are those of `oryn headless`. Only the tab's top document has a protocol session: frames in other processes, and
workers, are out of reach. https://developer.chrome.com/docs/extensions/reference/api/debugger"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from oryn.browsers.cdp.channel import TabCommands

if TYPE_CHECKING:
    import asyncio

    from oryn.browsers.cdp.clipboard import CdpClipboard
    from oryn.browsers.cdp.connection import CdpSession
    from oryn.browsers.cdp.console import ConsoleRecorder
    from oryn.browsers.cdp.feature import CdpTarget
    from oryn.browsers.cdp.network.conditions import NetworkEmulation
    from oryn.browsers.cdp.network.log import RequestLog
    from oryn.browsers.common.protocol_session import Answer


class DebuggedFeature(Protocol):
    """The part of `cdp.feature.TargetFeature` that is used here. A feature keeps its settings while no debugger is
    attached."""

    def attach(self, page: CdpTarget, session: CdpSession) -> None:
        """The debugger was attached to a tab."""

    def detach(self, page: CdpTarget, session: CdpSession) -> None:
        """The debugger was detached from a tab."""


AnyFeature = TypeVar("AnyFeature", bound=DebuggedFeature)


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
        session.on("Page.frameNavigated", self._on_navigated)
        session.send("Page.getFrameTree").add_done_callback(self._adopt)

    def _on_navigated(self, event: dict[str, Any]) -> None:
        if "parentId" not in event["frame"]:
            self.loader = event["frame"]["loaderId"]

    def _adopt(self, answer: asyncio.Future[Answer]) -> None:
        if not self.loader and not answer.cancelled() and answer.exception() is None:
            self.loader = answer.result()["frameTree"]["frame"]["loaderId"]


class DebuggedFrameTree:
    """The frame tree of a debugged tab, which has only the top document."""

    def __init__(self, top: DebuggedDocument) -> None:
        self.top = top


class DebuggedTab:
    """A tab with a debugger attached (a `CdpTarget`), until the debugger is detached."""

    def __init__(self, session: CdpSession, tab: TabCommands, target_id: str) -> None:
        self.channel = DebuggerConnection(session, tab)
        self.frame_tree = DebuggedFrameTree(DebuggedDocument(session))
        self.target_id = target_id
        self._features: list[DebuggedFeatures] = []

    def join(self, features: DebuggedFeatures) -> None:
        """Add the tab to the features of a session, in addition to others."""
        if features not in self._features:
            self._features.append(features)
            features.add_tab(self)

    def end(self) -> None:
        """The debugger was detached."""
        for features in self._features:
            features.remove_tab(self)


class DebuggedFeatures:
    """The features of one session, created when they are first used; they live as long as its browser."""

    def __init__(self, browser: object) -> None:
        """`browser` identifies the browser whose clipboard is shared."""
        self._browser = browser
        self._pages: list[DebuggedTab] = []
        self._features: list[DebuggedFeature] = []

    def __iter__(self) -> Iterator[DebuggedTab]:
        """The session's tabs that a debugger is attached to now."""
        return iter(self._pages)

    def register(self, feature: AnyFeature) -> AnyFeature:
        """Add a feature, and attach it to the present tabs and to every later one."""
        self._features.append(feature)
        for page in self._pages:
            feature.attach(page, page.channel.session)
        return feature

    def add_tab(self, page: DebuggedTab) -> None:
        """Attach the features to a tab."""
        # Created with the first tab, so that they follow its next page from the start.
        assert self.console_recorder and self.log and self.clipboard
        from oryn.browsers.cdp.network.log import KEEP_BODIES

        session = page.channel.session
        self._pages.append(page)
        for feature in self._features:
            feature.attach(page, session)
        session.send("Network.enable", KEEP_BODIES)
        session.send("Runtime.enable")

    def remove_tab(self, page: DebuggedTab) -> None:
        """Detach the features from a tab."""
        self._pages.remove(page)
        for feature in self._features:
            feature.detach(page, page.channel.session)

    @cached_property
    def console_recorder(self) -> ConsoleRecorder:
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
