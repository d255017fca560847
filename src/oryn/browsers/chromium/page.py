"""`CdpPage`: one tab of Chromium, implementing `browsers.base.Page`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Protocol

from oryn.browsers.base import (
    Checkpoint,
    FileChooser,
    Frame,
    ImageFormat,
    Rect,
)
from oryn.browsers.cdp.channel import CdpChannel
from oryn.browsers.cdp.connection import CdpSession
from oryn.browsers.cdp.dialogs import Dialogs
from oryn.browsers.cdp.evaluation import CdpEvaluation
from oryn.browsers.cdp.file_choosers import CdpFileChoosers, accepts_drop
from oryn.browsers.cdp.frames import WORLD_NAME, CdpFrameNode, CdpFrameTree
from oryn.browsers.cdp.input import CdpKeyboard, CdpMouse
from oryn.browsers.cdp.network.certificates import CertificateTracker
from oryn.browsers.cdp.network.inflight import CdpInflightTracker
from oryn.browsers.cdp.network.log import KEEP_BODIES
from oryn.browsers.cdp.network.web_sockets import UnansweredMessages
from oryn.browsers.cdp.page_tools import CdpPageTools
from oryn.browsers.cdp.subtargets import Subtargets
from oryn.browsers.chromium.navigator import CdpNavigationTracker, CdpNavigator
from oryn.browsers.chromium.scanner_client import CdpScannerClient, ScannerScripts
from oryn.browsers.common.frame_tree import to_frame
from oryn.browsers.common.keyboard import KeySequencer
from oryn.browsers.common.scanned_page import ScannedPage, SiblingTabs
from oryn.browsers.common.tab_state import DocumentGone
from oryn.core.records import Record
from oryn.errors import ElementNotFound, FrameNotFound, OrynError

if TYPE_CHECKING:
    from oryn.browsers.base import DialogPolicy
    from oryn.browsers.base.recording import ByteWriter, PdfOptions, ScreencastCallback
    from oryn.browsers.cdp.capture import Screencast
    from oryn.browsers.cdp.feature import TargetFeature
    from oryn.browsers.chromium.session_features import ChromiumFeatures


class CdpPageSettings(Record):
    """The settings that every page of a session is created with."""

    scripts: ScannerScripts
    policy: Callable[[], DialogPolicy | None]
    """Returns the session's dialog policy at the time of the call."""
    viewport: tuple[int, int] | None
    """CSS pixels; None leaves the size to the window."""
    load_timeout: float
    """Seconds that a navigation started by an action may take."""
    features: ChromiumFeatures
    world_name: str = WORLD_NAME
    """The name of the scanner's worlds; another one for each session where several are in one tab."""


class PageTabs(SiblingTabs, Protocol):
    """The tabs of a session, whose titles have to be asked for."""

    async def refresh_titles(self, root: CdpSession) -> None:
        """Update the titles of all tabs, which no event reports."""


class CdpPage(ScannedPage[CdpFrameNode]):
    """One tab, created when the browser attaches it. A tab that has closed or crashed does not recover.

    session: the DevTools session of the tab, which the browser has paused.
    tabs: the tabs of the same session, with or without this one.
    own: whether the session has opened the tab. A tab that it has not gets none of its features and settings, and its
        dialogs and file choosers stay with the person."""

    has_trusted_urls = True
    channel: CdpChannel
    frame_tree: CdpFrameTree
    requests: CdpInflightTracker
    navigations: CdpNavigationTracker
    navigator: CdpNavigator
    scanner_client: CdpScannerClient
    dialogs: Dialogs
    _tabs: PageTabs
    _features: ChromiumFeatures

    def __init__(
        self, session: CdpSession, target_id: str, tabs: PageTabs, settings: CdpPageSettings, *, own: bool = True
    ) -> None:
        super().__init__(settings.load_timeout)
        self.own = own
        self.target_id = target_id
        self._tabs = tabs
        self._features = settings.features
        self._tab_features: Iterable[TargetFeature] = settings.features if own else settings.features.for_any_tab
        self.channel = channel = CdpChannel(session)
        self.frame_tree = frames = CdpFrameTree(channel, target_id, settings.world_name)
        self.dialogs = Dialogs(channel, settings.policy if own else lambda: "off")
        self._tools = CdpPageTools(channel, frames)
        self._choosers = CdpFileChoosers(channel, channel)
        self.scanner_client = CdpScannerClient(channel, frames, settings.scripts)
        self.evaluation = CdpEvaluation(channel)
        sequencer = KeySequencer()
        self._mouse = CdpMouse(channel, self.check_input_allowed, sequencer)
        self._keyboard = CdpKeyboard(
            channel,
            self.check_input_allowed,
            sequencer,
            lambda: settings.features.clipboard.pasting(self) if own else nullcontext(),
        )
        self._screencast: Screencast | None = None
        self.requests = CdpInflightTracker(channel, frames)
        self._unanswered_messages = UnansweredMessages(channel)
        self._certificates = CertificateTracker()
        self.navigations = CdpNavigationTracker(channel, frames)
        if own:
            frames.on_commit.append(settings.features.visits.visit)
        self._subtargets = Subtargets(self, channel.sessions)
        self.navigator = CdpNavigator(channel, frames, self.navigations, self.requests)
        self._prepare(session, settings.viewport if own else None)

    def _prepare(self, session: CdpSession, viewport: tuple[int, int] | None) -> None:
        """Set up the tab by commands sent without waiting. The page starts to run after the last one."""
        self.navigations.listen(session)
        session.on("Inspector.targetCrashed", lambda _: self.channel.on_crashed())
        session.on("Page.windowOpen", lambda event: self.requested_tabs.record(self.channel.moment, event["url"]))
        # Before the features attach, because the emulated device may set another size.
        if viewport is not None:
            width, height = viewport
            metrics = {"width": width, "height": height, "deviceScaleFactor": 0, "mobile": False}
            session.send("Emulation.setDeviceMetricsOverride", metrics)
        self._listen(session)
        session.send("Emulation.setFocusEmulationEnabled", {"enabled": True})
        session.send("Runtime.runIfWaitingForDebugger")
        self.navigator.preparation = session.unanswered()

    def _listen(self, session: CdpSession) -> None:
        """Set up a session of the tab: that of the top document, or of a frame in another process."""
        self.frame_tree.listen(session)
        self.requests.listen(session)
        self._unanswered_messages.listen(session)
        self._certificates.listen(session)
        self.dialogs.listen(session)
        self._tools.listen(session)
        if self.own:
            self._choosers.listen(session)
        session.send("Page.enable")
        session.send("Page.getFrameTree").add_done_callback(lambda answer: self._adopt(session, answer))
        session.send("Page.setLifecycleEventsEnabled", {"enabled": True})
        session.send("Network.enable", KEEP_BODIES)
        session.send("Runtime.enable")
        self.scanner_client.install(session)
        for feature in self._tab_features:
            feature.attach(self, session)
        self._subtargets.follow(session)

    def _adopt(self, session: CdpSession, answer: asyncio.Future[dict[str, Any]]) -> None:
        if not answer.cancelled() and answer.exception() is None:
            self.frame_tree.adopt(session, answer.result()["frameTree"])

    # --- `cdp.subtargets.SubtargetOwner` ---

    def begin_frame(self, session: CdpSession, frame_id: str) -> None:
        self.frame_tree.on_moved(frame_id, session)
        self._listen(session)

    def end_frame(self, session: CdpSession) -> None:
        for feature in self._tab_features:
            feature.detach(self, session)
        self.requests.on_session_ended(session)
        self.frame_tree.on_session_ended(session)

    def begin_worker(self, session: CdpSession) -> None:
        self.requests.listen_worker(session)
        for feature in self._tab_features:
            feature.attach_worker(self, session)

    # --- location ---

    @property
    def document(self) -> str:
        return self.frame_tree.top.loader or self.target_id

    async def has_faulty_certificate(self, frame: Frame | None = None) -> bool:
        node = self.frame_tree.node(frame)  # without `check`, because a value may be entered into an open dialog
        if node.unreachable:
            return True
        return await self._certificates.is_faulty(node.url, self.channel.session, top=node.parent is None)

    # --- the scanner and scripts ---

    async def explain(self, error: DocumentGone) -> OrynError:
        return await self.navigator.explain(error)

    @property
    def tools(self) -> CdpPageTools:
        return self._tools

    # --- frames ---

    async def frame_of(self, element_id: int, frame: Frame | None = None) -> Frame:
        self.channel.check()
        node = self.frame_tree.node(frame)
        described = await self.channel.call(
            "DOM.describeNode", {"objectId": await self._object_id(node, element_id)}, session=node.session
        )
        # A frame in a process of its own is known by its id, which the element carries as well.
        found = self.frame_tree.get(described["node"].get("frameId", ""))
        if found is None or found is node:
            raise FrameNotFound(f"element {element_id} holds no frame", "Run 'frames' to see which there are.")
        return to_frame(found)

    async def _object_id(self, node: CdpFrameNode, element_id: int) -> str:
        """The protocol's id of an element. Raises `ElementNotFound`."""
        found = await self.scanner_client.element(element_id, node)
        if found is None:
            raise ElementNotFound("element not found", "Run 'observe' to see which elements there are.")
        return found

    async def to_viewport(self, x: float, y: float, frame: Frame) -> tuple[float, float]:
        # Scrolls the frame into view, because only visible frames are drawn.
        await super().to_viewport(x, y, frame)
        # The browser routes input to a frame of another process once it is drawn, which takes two animation frames.
        await self.scanner({"cmd": "settle", "timeout": 200}, frame, timeout=5)
        return await self.frame_tree.to_viewport(x, y, frame)

    # --- trusted input ---

    @property
    def mouse(self) -> CdpMouse:
        return self._mouse

    @property
    def keyboard(self) -> CdpKeyboard:
        return self._keyboard

    async def check_input_allowed(self, *point: float) -> None:
        top = self.require_page(self.frame_tree.top)
        if top.children and (failed := [node for node in top.subtree() if node.is_error_page]):
            self.channel.check()
            if (node := await self.frame_tree.find_input_target(failed, point)) is not None:
                raise self.error_page_of(node).access_error()

    # --- files ---

    async def set_files(self, element_id: int, paths: Sequence[str], frame: Frame | None = None) -> None:
        self.channel.check()
        node = self.require_page(self.frame_tree.node(frame))
        params = {"files": list(paths), "objectId": await self._object_id(node, element_id)}
        await self.channel.call("DOM.setFileInputFiles", params, session=node.session)

    async def drop_files(self, x: float, y: float, paths: Sequence[str]) -> None:
        await self._mouse.drop_files(x, y, paths)

    async def accepts_drop(self, element_id: int, frame: Frame | None = None) -> bool:
        self.channel.check()
        node = self.frame_tree.node(frame)
        return await accepts_drop(self.channel, node.session, await self._object_id(node, element_id))

    async def file_chooser(self, checkpoint: Checkpoint, *, timeout: float) -> FileChooser | None:
        return await self._choosers.find(checkpoint, timeout)

    async def choose_files(self, chooser: FileChooser, paths: Sequence[str]) -> None:
        self.channel.check()
        opened = self._choosers.answer(chooser)
        params = {"files": list(paths), "backendNodeId": opened.node}
        await self.channel.call("DOM.setFileInputFiles", params, session=opened.session)

    # --- capture ---

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
        from oryn.browsers.cdp import capture

        self.channel.check()
        return await capture.screenshot(self.channel, format, full_page, clip, quality, scale, timeout)

    @property
    def draws_larger(self) -> bool:
        return True

    async def pdf(self, options: PdfOptions, write: ByteWriter, *, timeout: float = 30) -> None:
        from oryn.browsers.cdp.capture import print_to_pdf

        self.channel.check()
        await print_to_pdf(self.channel, options, write, timeout)

    async def start_screencast(self, callback: ScreencastCallback, *, frames_per_second: float = 25) -> None:
        from oryn.browsers.cdp.capture import Screencast

        self.channel.check()
        if self._screencast is None or self._screencast.has_ended:
            self._screencast = Screencast(self.channel.session)
        await self._screencast.start(callback, frames_per_second)

    async def stop_screencast(self, callback: ScreencastCallback) -> None:
        if self._screencast is not None:
            self._screencast.stop(callback)

    # --- effects of an action ---

    def awaits_message(self, checkpoint: Checkpoint) -> bool:
        return self._unanswered_messages.exist(checkpoint)

    # --- `common.settle.SettleSource` ---

    def file_chooser_waits(self, checkpoint: Checkpoint) -> bool:
        return self._choosers.waits(checkpoint)

    async def on_quiet(self) -> None:
        await self.scanner_client.refresh_soon(self.frame_tree.top)

    async def refresh_titles(self) -> None:
        await self._tabs.refresh_titles(self.channel.session.connection.root)
