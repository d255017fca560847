"""`CdpPage`: one tab of Chromium, implementing `browsers.base.Page`, and its workers.

The browser holds every target that a tab starts, its workers too, until we release it: one that nobody attaches to
would never run. https://chromedevtools.github.io/devtools-protocol/tot/Target/#method-setAutoAttach"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from oryn.browsers.base import (
    Checkpoint,
    Dialog,
    Download,
    FileChooser,
    Frame,
    ImageFormat,
    LoadState,
    Navigation,
    Page,
    PageEffects,
    Rect,
    Tab,
)
from oryn.browsers.cdp import error_mapping
from oryn.browsers.cdp.connection import CdpSession
from oryn.browsers.cdp.dialogs import Dialogs
from oryn.browsers.cdp.evaluation import CdpEvaluation
from oryn.browsers.cdp.frames import CdpFrameNode, CdpFrameTree
from oryn.browsers.cdp.input import CdpKeyboard, CdpMouse
from oryn.browsers.cdp.network.certificates import CertificateTracker
from oryn.browsers.cdp.network.inflight import CdpInflightTracker
from oryn.browsers.cdp.network.log import KEEP_BODIES
from oryn.browsers.cdp.network.web_sockets import UnansweredMessages
from oryn.browsers.cdp.page_tools import CdpPageTools
from oryn.browsers.cdp.tab_connection import TabConnection
from oryn.browsers.chromium import files, geometry
from oryn.browsers.chromium.navigator import CdpNavigationTracker, CdpNavigator
from oryn.browsers.chromium.scanner_client import CdpScannerClient, ScannerScripts
from oryn.browsers.common.events import EventLog, Signal
from oryn.browsers.common.keyboard import KeySequencer
from oryn.browsers.common.main_world import is_for_main_world
from oryn.browsers.common.network_errors import READ_COMMANDS, ErrorPage
from oryn.browsers.common.settle import SettleWaiter
from oryn.browsers.common.tab_state import DocumentGone
from oryn.core.records import Record
from oryn.errors import PageCrashed

if TYPE_CHECKING:
    from oryn.browsers.base import DialogPolicy
    from oryn.browsers.base.recording import ByteWriter, PdfOptions, ScreencastCallback
    from oryn.browsers.cdp.capture import Screencast
    from oryn.browsers.chromium.session_features import ChromiumFeatures

WORKER_TYPE = "worker"
_WORKER_AUTO_ATTACH = {
    "autoAttach": True,
    "waitForDebuggerOnStart": True,
    "flatten": True,
    "filter": [{"type": WORKER_TYPE}, {"exclude": True}],
}


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


class PageTabs(Protocol):
    """The tabs of a session, as far as one page needs the others."""

    @property
    def current(self) -> CdpPage | None: ...
    @property
    def changed(self) -> Signal:
        """Notified when a tab opens or closes."""

    def rows(self, pages: Iterable[CdpPage]) -> list[Tab]:
        """The rows of those of `pages` that are open."""

    async def refresh_titles(self, root: CdpSession) -> None:
        """Update the titles of all tabs, which no event reports."""

    def bring_to_front(self, page: CdpPage) -> None:
        """Bring a tab to the front, unless it is there."""


class CdpWorkers:
    """Dedicated workers, and those that they start in turn."""

    def __init__(self, page: CdpPage, features: ChromiumFeatures) -> None:
        self._page = page
        self._features = features
        self._sessions: dict[str, CdpSession] = {}

    def on_attached(self, event: dict[str, Any]) -> None:
        session = self._page.channel.session.connection.session(event["sessionId"])
        self._sessions[session.id] = session
        session.on("Target.attachedToTarget", self.on_attached)
        session.on("Target.detachedFromTarget", self.on_detached)
        self._page.requests.listen_worker(session)
        session.send("Network.enable", KEEP_BODIES)
        session.send("Runtime.enable")
        for feature in self._features:
            feature.attach_worker(self._page, session)
        session.send("Target.setAutoAttach", _WORKER_AUTO_ATTACH)
        session.send("Runtime.runIfWaitingForDebugger")

    def on_detached(self, event: dict[str, Any]) -> None:
        session = self._sessions.pop(event["sessionId"], None)
        if session is not None:
            session.connection.end_session(session, error_mapping.frame_gone_error())


# The frames in other processes, and workers.
_SUBTARGET_AUTO_ATTACH = {
    "autoAttach": True,
    "waitForDebuggerOnStart": True,
    "flatten": True,
    "filter": [{"type": "iframe"}, {"type": WORKER_TYPE}, {"exclude": True}],
}


class CdpPage(Page):
    """One tab, created when the browser attaches it. A tab that has closed or crashed does not recover.

    session: the DevTools session of the tab, which the browser has paused.
    tabs: the tabs of the same session, with or without this one."""

    has_trusted_urls = True

    def __init__(self, session: CdpSession, target_id: str, tabs: PageTabs, settings: CdpPageSettings) -> None:
        self.target_id = target_id
        self.title = ""
        self._tabs = tabs
        self._features = settings.features
        self.channel = channel = TabConnection(session)
        self.frame_tree = frames = CdpFrameTree(channel, target_id)
        self.dialogs = Dialogs(channel, settings.policy)
        self._tools = CdpPageTools(channel, frames)
        self.file_choosers: EventLog[files.OpenedFileChooser] = EventLog()
        self.scanner_client = CdpScannerClient(channel, frames, settings.scripts)
        self.evaluation = CdpEvaluation(channel)
        sequencer = KeySequencer()
        self._mouse = CdpMouse(channel, self.check_input_allowed, sequencer)
        self._keyboard = CdpKeyboard(
            channel, self.check_input_allowed, sequencer, lambda: self._features.clipboard.pasting(self)
        )
        self._screencast: Screencast | None = None
        self.requests = CdpInflightTracker(channel, frames)
        self._unanswered_messages = UnansweredMessages(channel)
        self._certificates = CertificateTracker()
        self.navigations = CdpNavigationTracker(channel, frames)
        self.downloads: EventLog[Download] = EventLog()
        self.requested_tabs: EventLog[str] = EventLog()
        """URLs of the tabs that this page has requested."""
        self.opened_tabs: EventLog[CdpPage] = EventLog()
        frames.on_commit.append(settings.features.visits.visit)
        self._workers = CdpWorkers(self, settings.features)
        self.navigator = CdpNavigator(channel, frames, self.navigations, self.requests)
        self._settle_waiter = SettleWaiter(self, settings.load_timeout)
        self.command_running = False
        """Whether a tab that the page opens is a command's effect: it stays behind this one."""
        self._prepare(session, settings.viewport)

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

    def _listen(self, session: CdpSession) -> None:
        """Set up a session of the tab: that of the top document, or of a frame in another process."""
        self.frame_tree.listen(session)
        self.requests.listen(session)
        self._unanswered_messages.listen(session)
        self._certificates.listen(session)
        self.dialogs.listen(session)
        self._tools.listen(session)
        session.on("Page.fileChooserOpened", lambda event: self._on_file_chooser_opened(session, event))
        session.on("Target.attachedToTarget", self._on_attached)
        session.on("Target.detachedFromTarget", self._on_detached)
        session.send("Page.enable")
        session.send("Page.getFrameTree").add_done_callback(lambda answer: self._adopt(session, answer))
        session.send("Page.setLifecycleEventsEnabled", {"enabled": True})
        session.send("Page.setInterceptFileChooserDialog", {"enabled": True})
        session.send("Network.enable", KEEP_BODIES)
        session.send("Runtime.enable")
        self.scanner_client.install(session)
        for feature in self._features:
            feature.attach(self, session)
        session.send("Target.setAutoAttach", _SUBTARGET_AUTO_ATTACH)

    def _adopt(self, session: CdpSession, answer: asyncio.Future[dict[str, Any]]) -> None:
        if not answer.cancelled() and answer.exception() is None:
            self.frame_tree.adopt(session, answer.result()["frameTree"])

    def _on_attached(self, event: dict[str, Any]) -> None:
        if event["targetInfo"]["type"] == WORKER_TYPE:
            self._workers.on_attached(event)
            return
        session = self.channel.session.connection.session(event["sessionId"])
        self.channel.sessions.append(session)
        self.frame_tree.on_moved(event["targetInfo"]["targetId"], session)
        self._listen(session)
        session.send("Runtime.runIfWaitingForDebugger")

    def _on_detached(self, event: dict[str, Any]) -> None:
        self._workers.on_detached(event)
        session = next((one for one in self.channel.sessions if one.id == event["sessionId"]), None)
        if session is None or session is self.channel.session:
            return
        for ended in self.channel.descendants(session):  # the browser reports only the outermost
            self.channel.sessions.remove(ended)
            for feature in self._features:
                feature.detach(self, ended)
            self.requests.on_session_ended(ended)
            self.frame_tree.on_session_ended(ended)
        session.connection.end_session(session, error_mapping.frame_gone_error())

    # --- location ---

    @property
    def url(self) -> str:
        return self.frame_tree.top.url

    @property
    def document(self) -> str:
        return self.frame_tree.top.loader or self.target_id

    async def has_faulty_certificate(self, frame: Frame | None = None) -> bool:
        node = self.frame_tree.node(frame)  # without `check`, because a value may be entered into an open dialog
        if node.unreachable:
            return True
        return await self._certificates.is_faulty(node.url, self.channel.session, top=node.parent is None)

    @property
    def crashed(self) -> bool:
        return isinstance(self.channel.failure, PageCrashed)

    # --- error pages ---

    @property
    def error_page(self) -> str | None:
        top = self.frame_tree.top
        return str(self.error_page_of(top)) if top.is_error_page else None

    def error_page_of(self, node: CdpFrameNode) -> ErrorPage:
        attempt = self.navigations.attempt(node.loader) if node is self.frame_tree.top else None
        if attempt is None:
            return ErrorPage(node.unreachable)
        return ErrorPage(attempt.url, attempt.failed or "", attempt.status)

    def require_page(self, node: CdpFrameNode) -> CdpFrameNode:
        """Return `node`. Raises `CannotAccessPage` if it shows an error page."""
        if node.is_error_page:
            raise self.error_page_of(node).access_error()
        return node

    # --- the scanner and scripts ---

    def roots(self, within: Frame | None = None) -> list[Frame]:
        return self.frame_tree.roots(within)

    async def scanner(
        self, request: dict[str, Any], frame: Frame | None = None, *, timeout: float = 30
    ) -> dict[str, Any]:
        self.channel.check()
        node = self.frame_tree.node(frame)
        if node.is_error_page and request.get("cmd") not in READ_COMMANDS:
            return await self._answer_for_error_page(request, node, timeout)
        if is_for_main_world(request):
            return await self.evaluation.answer(request, node, timeout)
        try:
            found = await self.scanner_client.run(request, node, timeout)
        except DocumentGone as error:
            self.frame_tree.node(frame)  # raises if the frame itself is gone
            raise await self.navigator.explain(error) from None
        if node.is_error_page and request["cmd"] not in READ_COMMANDS:  # the error page has come meanwhile
            return await self._answer_for_error_page(request, node, timeout)
        return found

    async def _answer_for_error_page(
        self, request: dict[str, Any], node: CdpFrameNode, timeout: float
    ) -> dict[str, Any]:
        """The answer to a scanner request for an error page. Raises `CannotAccessPage`."""
        page = await self.scanner_client.run({"cmd": "page"}, node, timeout)
        return self.error_page_of(node).answer(request, page["data"])

    async def evaluate(self, expression: str, frame: Frame | None = None, *, timeout: float = 30) -> Any:
        self.channel.check()
        node = self.require_page(self.frame_tree.node(frame))
        return await self.evaluation.evaluate(expression, node, timeout)

    @property
    def tools(self) -> CdpPageTools:
        return self._tools

    # --- frames ---

    def frames(self) -> list[Frame]:
        return self.frame_tree.all()

    async def frame_of(self, element_id: int, frame: Frame | None = None) -> Frame:
        self.channel.check()
        return await files.frame_of(self.channel, self.scanner_client, self.frame_tree, element_id, frame)

    async def to_viewport(self, x: float, y: float, frame: Frame) -> tuple[float, float]:
        self.channel.check()
        # Scrolls the frame into view, because only visible frames are drawn.
        await geometry.to_viewport(self.channel, self.frame_tree, x, y, frame)
        # The browser routes input to a frame of another process once it is drawn, which takes two animation frames.
        await self.scanner({"cmd": "settle", "timeout": 200}, frame, timeout=5)
        return await geometry.to_viewport(self.channel, self.frame_tree, x, y, frame)

    # --- navigation ---

    async def goto(
        self,
        url: str,
        *,
        headers: dict[str, str] | None = None,
        until: LoadState = "load",
        timeout: float = 30,
    ) -> Navigation:
        if not headers:
            return await self.navigator.goto(url, until, timeout)
        async with self._features.interception.navigation_headers(self, url, headers):
            return await self.navigator.goto(url, until, timeout)

    async def history(self, delta: int, *, timeout: float = 30) -> Navigation:
        return await self.navigator.history(delta, timeout)

    async def reload(self, *, hard: bool = False, timeout: float = 30) -> Navigation:
        return await self.navigator.reload(hard, timeout)

    async def wait_for(self, state: LoadState, *, timeout: float = 30) -> None:
        await self.navigator.wait_for(state, timeout)

    async def wait_for_navigation(self, *, timeout: float = 30) -> Navigation:
        return await self.navigator.wait_for_navigation(timeout)

    # --- trusted input ---

    @property
    def mouse(self) -> CdpMouse:
        return self._mouse

    @property
    def keyboard(self) -> CdpKeyboard:
        return self._keyboard

    async def check_input_allowed(self, *point: float) -> None:
        """See `cdp.input.InputCheck`."""
        if self.frame_tree.top.is_error_page:
            raise self.error_page_of(self.frame_tree.top).access_error()
        if failed := [node for node in self.frame_tree.top.subtree() if node.is_error_page]:
            self.channel.check()
            if (node := await geometry.find_input_target(self.channel, failed, point)) is not None:
                raise self.error_page_of(node).access_error()

    # --- files ---

    def _on_file_chooser_opened(self, session: CdpSession, event: dict[str, Any]) -> None:
        self.file_choosers.record(
            self.channel.moment, files.OpenedFileChooser(session, event["mode"], event.get("backendNodeId"))
        )
        self.channel.signal.notify()

    async def set_files(self, element_id: int, paths: Sequence[str], frame: Frame | None = None) -> None:
        self.channel.check()
        node = self.require_page(self.frame_tree.node(frame))
        await files.set_files(self.channel, self.scanner_client, node, element_id, paths)

    async def drop_files(self, x: float, y: float, paths: Sequence[str]) -> None:
        await self._mouse.drop_files(x, y, paths)

    async def accepts_drop(self, element_id: int, frame: Frame | None = None) -> bool:
        self.channel.check()
        return await files.accepts_drop(self.channel, self.scanner_client, self.frame_tree.node(frame), element_id)

    async def file_chooser(self, checkpoint: Checkpoint, *, timeout: float) -> FileChooser | None:
        def has_opened() -> bool:
            return bool(self.file_choosers.since(checkpoint) or self.channel.failure or self.channel.blocked)

        await self.channel.signal.until(has_opened, timeout)
        opened = self.file_choosers.since(checkpoint)
        return await files.describe_chooser(self.channel, opened[-1]) if opened else None

    async def choose_files(self, chooser: FileChooser, paths: Sequence[str]) -> None:
        self.channel.check()
        everything = self.file_choosers.since(Checkpoint(0))
        await files.choose(self.channel, next(one for one in everything if one.id == chooser.id), paths)

    # --- capture ---

    async def screenshot(
        self,
        *,
        format: ImageFormat = "png",
        full_page: bool = False,
        clip: Rect | None = None,
        quality: int | None = None,
        timeout: float = 30,
    ) -> bytes:
        from oryn.browsers.cdp import capture

        self.channel.check()
        return await capture.screenshot(self.channel, format, full_page, clip, quality, timeout)

    async def frame_bounds(self, frame: Frame, *, timeout: float = 30) -> tuple[Rect, Rect]:
        self.channel.check()
        return await geometry.frame_bounds(self.channel, self.frame_tree, frame, timeout)

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

    # --- dialogs ---

    @property
    def dialog(self) -> Dialog | None:
        return self.dialogs.open

    async def answer_dialog(self, accept: bool, text: str | None = None) -> Dialog:
        return await self.dialogs.answer(accept, text)

    # --- effects of an action ---

    def checkpoint(self) -> Checkpoint:
        self._tabs.bring_to_front(self)
        self.command_running = True
        return self.channel.checkpoint()

    async def settle(self, checkpoint: Checkpoint, *, limit: float = 3) -> PageEffects:
        try:
            return await self._settle_waiter.settle(checkpoint, limit)
        finally:
            self.command_running = False

    def has_effects(self, checkpoint: Checkpoint) -> bool:
        return self._settle_waiter.has_effects(checkpoint)

    def awaits_message(self, checkpoint: Checkpoint) -> bool:
        return self._unanswered_messages.exist(checkpoint)

    async def wait_until_displayed(self, blank: bool, timeout: float) -> None:
        """Wait until a new tab shows the document that it was opened for, or a blank one if `blank` is set."""
        await self.navigations.wait_until_displayed(blank, timeout)

    # --- `common.settle.SettleSource` ---

    def opened_tab_rows(self, checkpoint: Checkpoint) -> list[Tab]:
        return self._tabs.rows(self.opened_tabs.since(checkpoint))

    def file_chooser_waits(self, checkpoint: Checkpoint) -> bool:
        return any(not chooser.answered for chooser in self.file_choosers.since(checkpoint))

    def scan_top_frame(self, request: dict[str, Any], timeout: float) -> Coroutine[Any, Any, dict[str, Any]]:
        return self.scanner_client.run(request, self.frame_tree.top, timeout)

    async def on_quiet(self) -> None:
        await self.scanner_client.refresh_soon(self.frame_tree.top)

    async def wait_for_current_tab(self, timeout: float) -> None:
        await self._tabs.changed.until(lambda: self._tabs.current is not None, timeout)

    async def refresh_titles(self) -> None:
        await self._tabs.refresh_titles(self.channel.session.connection.root)
