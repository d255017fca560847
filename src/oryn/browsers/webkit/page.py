"""`WebKitPage`: one tab of WebKit, implementing `browsers.base.Page`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from oryn.browsers.base import Checkpoint, Frame, ImageFormat, Rect
from oryn.browsers.cdp.network.web_sockets import UnansweredMessages
from oryn.browsers.common.frame_tree import to_frame
from oryn.browsers.common.scanned_page import SiblingTabs
from oryn.browsers.webkit.channel import WebKitChannel
from oryn.browsers.webkit.evaluation import WebKitEvaluation
from oryn.browsers.webkit.frames import WebKitFrameTree
from oryn.browsers.webkit.inflight import WebKitInflightTracker
from oryn.browsers.webkit.input_page import WebKitInputPage
from oryn.browsers.webkit.navigator import WebKitNavigationTracker, WebKitNavigator
from oryn.browsers.webkit.network.certificates import DocumentCertificates
from oryn.browsers.webkit.scanner_client import WebKitScannerClient
from oryn.browsers.webkit.session import InnerSession
from oryn.core.records import Record
from oryn.errors import FrameNotFound, NotSupported

if TYPE_CHECKING:
    from oryn.browsers.base import DialogPolicy
    from oryn.browsers.base.recording import ScreencastCallback
    from oryn.browsers.webkit.capture import PictureConverter, WebKitScreencast
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
    ignores_certificate_errors: bool = False
    """Whether servers with invalid certificates are accepted."""
    pictures: PictureConverter | None = None


class WebKitSiblingTabs(SiblingTabs, Protocol):
    """The tabs of a session, which have to be asked for."""

    async def refresh(self) -> None:
        """Learn which tabs there are."""

    async def refresh_titles(self) -> None:
        """Learn which tabs there are, and their titles."""


class WebKitPage(WebKitInputPage):
    """One tab, created when its inspector is open. A tab that has closed or crashed does not recover.

    handle: the browser's name of the tab in the domain `Automation`.
    tabs: the tabs of the same session, with or without this one."""

    has_trusted_urls = True
    channel: WebKitChannel
    frame_tree: WebKitFrameTree
    requests: WebKitInflightTracker
    navigations: WebKitNavigationTracker
    navigator: WebKitNavigator
    scanner_client: WebKitScannerClient
    _tabs: WebKitSiblingTabs
    _features: WebKitFeatures

    def __init__(
        self, target: WebKitTarget, handle: str, tabs: WebKitSiblingTabs, settings: WebKitPageSettings
    ) -> None:
        super().__init__(settings.load_timeout)
        self.target_id = str(target.id)
        self.title = ""
        self._tabs = tabs
        self._settings = settings
        self._features = features = settings.features
        self.channel = channel = WebKitChannel(target, handle)
        self.frame_tree = frames = WebKitFrameTree(channel, features.bootstrap.names.frame)
        frames.on_commit.append(features.visits.visit)
        self.requests = WebKitInflightTracker(channel, frames)
        self.navigations = WebKitNavigationTracker(channel, frames)
        self._certificates = DocumentCertificates(ignores_errors=settings.ignores_certificate_errors)
        self._unanswered_messages = UnansweredMessages(channel)
        self.navigator = WebKitNavigator(channel, frames, self.navigations, self.requests)
        self.scanner_client = scanner = WebKitScannerClient(channel, frames, features.bootstrap)
        frames.operate = scanner.frame_operation
        self.evaluation = WebKitEvaluation(channel, scanner)
        self.prepare_input(settings.policy, features.clipboard)
        self._attached: list[InnerSession] = []
        self.follow_automation(handle)
        target.follow(self._on_session, self._on_committed)

    # --- the sessions of the tab ---

    def _on_session(self, session: InnerSession) -> None:
        """Set up a session of the tab by commands sent without waiting: its page starts to run after the last one."""
        self.frame_tree.listen(session)
        self.requests.listen(session)
        self._certificates.listen(session)
        self._unanswered_messages.listen(session)
        self.navigations.listen(session)
        self.scanner_client.install(session)
        self._attached.append(session)
        for domain in DOMAINS:
            session.send(f"{domain}.enable")
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
        automation = self.channel.automation
        automation.on("Automation.browsingContextCleared", self._on_browser_report)
        automation.on("Automation.fileChooserDismissed", self.on_file_chooser_dismissed)

    def _on_browser_report(self, event: dict[str, Any]) -> None:
        if event["browsingContextHandle"] == self.channel.handle and self.channel.failure is None:
            self.navigations.on_browser_report()

    # --- location ---

    @property
    def document(self) -> str:
        # Another process counts its documents anew.
        return f"{self.target_id}/{self.channel.session.id}/{self.frame_tree.top.loader}"

    def awaits_message(self, checkpoint: Checkpoint) -> bool:
        return self._unanswered_messages.exist(checkpoint)

    async def has_faulty_certificate(self, frame: Frame | None = None) -> bool:
        node = self.frame_tree.node(frame)  # without `check`, because a value may be entered into an open dialog
        if node.unreachable:
            return True
        return await self._certificates.is_faulty(node.url, node.loader)

    # --- frames ---

    async def frame_of(self, element_id: int, frame: Frame | None = None) -> Frame:
        self.channel.check()
        node = self.frame_tree.node(frame)
        index = await self.scanner_client.frame_index(element_id, node)
        await self.frame_tree.refresh()
        if index is None or not index < len(node.children):
            raise FrameNotFound(f"element {element_id} holds no frame", "Run 'frames' to see which there are.")
        return to_frame(node.children[index])

    # --- capture ---

    @property
    def pictures(self) -> PictureConverter:
        """Raises `NotSupported` if no other formats than the browser's can be had."""
        if self._settings.pictures is None:
            raise NotSupported
        return self._settings.pictures

    async def screenshot(
        self,
        *,
        format: ImageFormat = "png",
        full_page: bool = False,
        clip: Rect | None = None,
        quality: int | None = None,
        scale: float = 1,
        timeout: float = 30,
    ) -> bytes:
        from oryn.browsers.webkit import capture

        self.channel.check()
        return await capture.screenshot(self, format, full_page, clip, quality, scale, timeout)

    @cached_property
    def _screencast(self) -> WebKitScreencast:
        from oryn.browsers.webkit.capture import WebKitScreencast

        return WebKitScreencast(self)

    async def start_screencast(self, show: ScreencastCallback, *, frames_per_second: float = 25) -> None:
        self.channel.check()
        self._screencast.start(show, frames_per_second)

    async def stop_screencast(self, show: ScreencastCallback) -> None:
        self._screencast.stop(show)

    # --- `common.settle.SettleSource` ---

    async def on_quiet(self) -> None:
        refresh_scanner = self.scanner_client.refresh_soon(self.frame_tree.top)
        await asyncio.gather(self._tabs.refresh(), self.frame_tree.refresh(), refresh_scanner)

    async def refresh_titles(self) -> None:
        await self._tabs.refresh_titles()
