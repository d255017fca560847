"""`WebKitPage`: one tab of WebKit, implementing `browsers.base.Page`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Protocol

from oryn.browsers.common.page import BasePage
from oryn.browsers.webkit.channel import WebKitChannel
from oryn.browsers.webkit.frames import WebKitFrameNode, WebKitFrameTree
from oryn.browsers.webkit.inflight import WebKitInflightTracker
from oryn.browsers.webkit.navigator import WebKitNavigationTracker, WebKitNavigator
from oryn.browsers.webkit.session import InnerSession
from oryn.core.records import Record

if TYPE_CHECKING:
    from oryn.browsers.base import DialogPolicy, Tab
    from oryn.browsers.common.events import Signal
    from oryn.browsers.webkit.session_features import WebKitFeatures
    from oryn.browsers.webkit.target import WebKitTarget

DOMAINS = ("Page", "Runtime", "Network", "Console")
"""The inspector's domains whose events every tab needs. A feature enables others itself."""


class WebKitPageSettings(Record):
    """The settings that every page of a session is created with."""

    policy: Callable[[], DialogPolicy | None]
    """Returns the session's dialog policy at the time of the call."""
    load_timeout: float
    """Seconds that a navigation started by an action may take."""
    features: WebKitFeatures


class SiblingTabs(Protocol):
    """The tabs of a session, as far as one page needs the others."""

    @property
    def current(self) -> WebKitPage | None: ...
    @property
    def changed(self) -> Signal:
        """Notified when a tab opens or closes."""

    def rows(self, pages: Iterable[WebKitPage]) -> list[Tab]:
        """The rows of those of `pages` that are open."""

    def bring_to_front(self, page: WebKitPage) -> None:
        """Bring a tab to the front, unless it is there."""


class WebKitPage(BasePage[WebKitFrameNode]):
    """One tab, created when its inspector is open. A tab that has closed or crashed does not recover.

    handle: the browser's name of the tab in the domain `Automation`.
    tabs: the tabs of the same session, with or without this one."""

    has_trusted_urls = True
    channel: WebKitChannel
    frame_tree: WebKitFrameTree
    requests: WebKitInflightTracker
    navigations: WebKitNavigationTracker
    navigator: WebKitNavigator

    def __init__(self, target: WebKitTarget, handle: str, tabs: SiblingTabs, settings: WebKitPageSettings) -> None:
        super().__init__(settings.load_timeout)
        self.target_id = str(target.id)
        self.title = ""
        self._tabs = tabs
        self._features = settings.features
        self.channel = channel = WebKitChannel(target, handle)
        self.frame_tree = frames = WebKitFrameTree(channel)
        self.requests = WebKitInflightTracker(channel, frames)
        self.navigations = WebKitNavigationTracker(channel, frames)
        self.navigator = WebKitNavigator(channel, frames, self.navigations, self.requests)
        self._attached: list[InnerSession] = []
        self.follow_automation(handle)
        target.on_session, target.on_committed = self._on_session, self._on_committed
        for session in list(target.inspector.children.values()):  # the browser has opened the inspector already
            assert isinstance(session, InnerSession)
            self._on_session(session)

    # --- location ---

    @property
    def document(self) -> str:
        # Another process counts its documents anew.
        return f"{self.channel.session.id}/{self.frame_tree.top.loader}"

    # --- the sessions of the tab ---

    def _on_session(self, session: InnerSession) -> None:
        """Set up a session of the tab by commands sent without waiting: its page starts to run after the last one."""
        self.frame_tree.listen(session)
        self.requests.listen(session)
        self.navigations.listen(session)
        for domain in DOMAINS:
            session.send(f"{domain}.enable")
        self._attached.append(session)
        for feature in self._features:
            feature.attach(self, session)
        if session.provisional:
            self.navigations.on_provisional_session()
        else:
            self.frame_tree.fetch(session)

    def _on_committed(self, session: InnerSession) -> None:
        """The page has another process, and so another session."""
        self.requests.on_session_ended()
        self.navigations.on_session_committed()
        self.frame_tree.on_session_committed()
        for former in [each for each in self._attached if each is not session]:
            self._attached.remove(former)
            for feature in self._features:
                feature.detach(self, former)

    def follow_automation(self, handle: str) -> None:
        """Follow what the browser reports about this tab, whose name is `handle` from now on."""
        self.channel.handle = handle
        self.channel.automation.on("Automation.browsingContextCleared", self._on_browser_report)

    def _on_browser_report(self, event: dict[str, Any]) -> None:
        if event["browsingContextHandle"] == self.channel.handle and self.channel.failure is None:
            self.navigations.on_browser_report()
