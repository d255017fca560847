"""`CdpPage`: one tab of Chromium, implementing `browsers.base.Page`, and its workers.

The browser holds every target that a tab starts, its workers too, until we release it: one that nobody attaches to
would never run. https://chromedevtools.github.io/devtools-protocol/tot/Target/#method-setAutoAttach"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from oryn.browsers.base import (
    Checkpoint,
    FileChooser,
    Frame,
    ImageFormat,
    LoadState,
    Navigation,
    Rect,
)
from oryn.browsers.cdp import error_mapping
from oryn.browsers.cdp.channel import CdpChannel
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
from oryn.browsers.chromium.navigator import CdpNavigationTracker, CdpNavigator
from oryn.browsers.chromium.scanner_client import CdpScannerClient, ScannerScripts
from oryn.browsers.common.events import EventLog
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


class PageTabs(SiblingTabs, Protocol):
    """The tabs of a session, whose titles have to be asked for."""

    async def refresh_titles(self, root: CdpSession) -> None:
        """Update the titles of all tabs, which no event reports."""


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


class OpenedFileChooser(Record, frozen=False):
    """A file chooser that a page has opened. It is reported, but never displayed."""

    session: CdpSession
    mode: str
    node: int | None
    """The browser's id of the file input, or None if a script opened the chooser without one."""
    answered: bool = False

    @property
    def id(self) -> str:
        return f"{self.session.id} {self.node}" if self.node is not None else ""


# The element and those around it, up to where a page listens for everything.
_ANCESTORS = """function() {
  const around = [];
  for (let node = this; node && node !== document.body && node !== document.documentElement;
       node = node.assignedSlot || node.parentElement || (node.getRootNode().host ?? null)) around.push(node);
  return around;
}"""


class CdpPage(ScannedPage[CdpFrameNode]):
    """One tab, created when the browser attaches it. A tab that has closed or crashed does not recover.

    session: the DevTools session of the tab, which the browser has paused.
    tabs: the tabs of the same session, with or without this one."""

    has_trusted_urls = True
    channel: CdpChannel
    frame_tree: CdpFrameTree
    requests: CdpInflightTracker
    navigations: CdpNavigationTracker
    navigator: CdpNavigator
    scanner_client: CdpScannerClient
    dialogs: Dialogs
    _tabs: PageTabs

    def __init__(self, session: CdpSession, target_id: str, tabs: PageTabs, settings: CdpPageSettings) -> None:
        super().__init__(settings.load_timeout)
        self.target_id = target_id
        self._tabs = tabs
        self._features = settings.features
        self.channel = channel = CdpChannel(session)
        self.frame_tree = frames = CdpFrameTree(channel, target_id)
        self.dialogs = Dialogs(channel, settings.policy)
        self._tools = CdpPageTools(channel, frames)
        self.file_choosers: EventLog[OpenedFileChooser] = EventLog()
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
        frames.on_commit.append(settings.features.visits.visit)
        self._workers = CdpWorkers(self, settings.features)
        self.navigator = CdpNavigator(channel, frames, self.navigations, self.requests)
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
            return await super().goto(url, until=until, timeout=timeout)
        async with self._features.interception.navigation_headers(self, url, headers):
            return await super().goto(url, until=until, timeout=timeout)

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

        async def call(method: str, **params: Any) -> Any:
            return await self.channel.call(method, params, session=node.session)

        described = await call("DOM.describeNode", objectId=await self._object_id(node, element_id))
        # Without a context it is the page's own world of the frame that the element is in, which has its listeners.
        resolved = await call("DOM.resolveNode", backendNodeId=described["node"]["backendNodeId"])
        around = await call(
            "Runtime.callFunctionOn", objectId=resolved["object"]["objectId"], functionDeclaration=_ANCESTORS
        )
        listed = await call("Runtime.getProperties", objectId=around["result"]["objectId"], ownProperties=True)
        for each in listed["result"]:
            if each["name"].isdigit() and "objectId" in each.get("value", {}):
                found = await call("DOMDebugger.getEventListeners", objectId=each["value"]["objectId"])
                if any(listener["type"] == "drop" for listener in found["listeners"]):
                    return True
        return False

    def _on_file_chooser_opened(self, session: CdpSession, event: dict[str, Any]) -> None:
        opened = OpenedFileChooser(session, event["mode"], event.get("backendNodeId"))
        self.file_choosers.record(self.channel.moment, opened)
        self.channel.signal.notify()

    async def file_chooser(self, checkpoint: Checkpoint, *, timeout: float) -> FileChooser | None:
        def has_opened() -> bool:
            return bool(self.file_choosers.since(checkpoint) or self.channel.failure or self.channel.blocked)

        await self.channel.signal.until(has_opened, timeout)
        choosers = self.file_choosers.since(checkpoint)
        if not choosers:
            return None
        opened = choosers[-1]
        multiple = opened.mode == "selectMultiple"
        if opened.node is None:
            return FileChooser(opened.id, multiple)
        described = await self.channel.call("DOM.describeNode", {"backendNodeId": opened.node}, session=opened.session)
        listed = described["node"].get("attributes", [])
        attributes = dict(zip(listed[::2], listed[1::2], strict=True))
        return FileChooser(opened.id, multiple, attributes.get("accept", ""))

    async def choose_files(self, chooser: FileChooser, paths: Sequence[str]) -> None:
        self.channel.check()
        opened = next(one for one in self.file_choosers.since(Checkpoint(0)) if one.id == chooser.id)
        opened.answered = True
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
        timeout: float = 30,
    ) -> bytes:
        from oryn.browsers.cdp import capture

        self.channel.check()
        return await capture.screenshot(self.channel, format, full_page, clip, quality, timeout)

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
        return any(not chooser.answered for chooser in self.file_choosers.since(checkpoint))

    async def on_quiet(self) -> None:
        await self.scanner_client.refresh_soon(self.frame_tree.top)

    async def refresh_titles(self) -> None:
        await self._tabs.refresh_titles(self.channel.session.connection.root)
