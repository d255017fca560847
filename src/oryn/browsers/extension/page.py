"""One tab of the user's browser: `browsers.base.Page` over the extension APIs.

Its parts follow the browser's events (navigations, requests, frames), send mouse and keyboard input, run scripts, and
answer dialogs. Input, scripts and dialogs use the debugger if the user allows it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from oryn.browsers.base import (
    Checkpoint,
    Dialog,
    FileChooser,
    Frame,
    ImageFormat,
    Keyboard,
    LoadState,
    Mouse,
    Navigation,
    Rect,
    Tab,
)
from oryn.browsers.cdp.dialogs import Dialogs
from oryn.browsers.cdp.network.web_sockets import UnansweredMessages
from oryn.browsers.common.events import EventLog
from oryn.browsers.common.main_world import is_for_main_world
from oryn.browsers.common.page import BasePage
from oryn.browsers.extension import scanner_client
from oryn.browsers.extension.capture import ExtensionCapture
from oryn.browsers.extension.channel import ExtensionChannel
from oryn.browsers.extension.debugger import TabDebugger
from oryn.browsers.extension.error_mapping import (
    UNRESPONSIVE_HINT,
    dialogs_not_supported,
    is_restricted,
    may_open,
    require_access,
    require_no_cookies,
)
from oryn.browsers.extension.evaluation import ExtensionEvaluation
from oryn.browsers.extension.firefox_navigation import FirefoxNavigations
from oryn.browsers.extension.frames import TOP, ExtensionFrameNode, ExtensionFrameTree
from oryn.browsers.extension.input import ExtensionInput
from oryn.browsers.extension.navigator import ExtensionNavigationTracker, ExtensionNavigator
from oryn.browsers.extension.page_tools import ExtensionPageTools
from oryn.browsers.extension.scanner_client import ExtensionScannerClient
from oryn.browsers.extension.uploads import ExtensionUploads
from oryn.browsers.extension.web_request import ExtensionInflightTracker
from oryn.errors import CannotAccessPage, OrynError, TabNotFound, Timeout

if TYPE_CHECKING:
    from oryn.browsers.base.recording import ByteWriter, PdfOptions
    from oryn.browsers.extension.bridge import Bridge
    from oryn.browsers.extension.debugged_features import DebuggedTab
    from oryn.browsers.extension.tab_protocols import TabOpener, TabOwner
    from oryn.scanner.protocol import ScannerRequest, ScannerResponse


WAKE_SECONDS = 10.0
PING_SECONDS = 2.0


class ExtensionPage(BasePage[ExtensionFrameNode]):
    """One tab, by the browser's id of it.

    All sessions share the page; `claim` makes one of them its owner. `ExtensionTabs` passes the browser's events to it.
    """

    has_trusted_urls = True
    channel: ExtensionChannel
    frame_tree: ExtensionFrameTree
    navigations: ExtensionNavigationTracker
    requests: ExtensionInflightTracker
    scanner_client: ExtensionScannerClient
    dialogs: Dialogs

    def __init__(self, bridge: Bridge, tab: int, tabs: TabOpener, load_timeout: float) -> None:
        """`tabs` opens the links that scripts may not open. `load_timeout` (seconds) limits a navigation that a
        command has started."""
        super().__init__(load_timeout)
        self.channel = ExtensionChannel(bridge, tab)
        self.frame_tree = ExtensionFrameTree(self.channel)
        self.tabs = tabs
        self.owner: TabOwner | None = None
        self._scripted_choosers: EventLog[None] = EventLog()
        """Those that a scripted click has opened, which the browser displays."""
        self.navigations = ExtensionNavigationTracker(self.channel, self.frame_tree)
        self.debugger = TabDebugger(
            self.channel,
            allowed=self._may_attach_debugger,
            reachable=lambda: tabs.is_accessible(tab),
            policy=lambda: self.owner.policy if self.owner else None,
            features=lambda: self.owner.features if self.owner else None,
            navigations=self.navigations,
        )
        self.dialogs = self.debugger.dialogs
        self.debugger.input_watch = tabs.leases.input_watch(tab)
        self.evaluation = ExtensionEvaluation(self.channel, self.debugger)
        self._tools = ExtensionPageTools(self.evaluation, self.frame_tree)
        self._input = ExtensionInput(self, self.debugger, self, self._pasting, tabs.platform)
        self.requests = ExtensionInflightTracker(self.channel, self.frame_tree)
        self._unanswered_messages = UnansweredMessages(self.channel)
        self.debugger.listeners.append(self._unanswered_messages.listen)
        self.scanner_client = ExtensionScannerClient(self.channel, self.frame_tree, self.debugger)
        self.navigator = ExtensionNavigator(
            self.channel, self.frame_tree, self.navigations, self.requests, self.scanner_client
        )
        self.capture = ExtensionCapture(self.channel, self.frame_tree, self.scanner_client, self.debugger, tabs)
        self._uploads = ExtensionUploads(
            self.channel, self.frame_tree, self.scanner_client, self.debugger, self._input.synthetic_mouse
        )
        self.debugger.listeners.append(self._uploads.listen)
        self._firefox = (
            FirefoxNavigations(self._on_navigated, self._on_top_requested, self.frame_tree.on_error_page)
            if bridge.is_firefox
            else None
        )
        self._claims = 0

    @property
    def tab(self) -> int:
        """The browser's id of the tab."""
        return self.channel.tab

    def on_closed(self) -> None:
        """The tab has closed."""
        self.channel.fail(TabNotFound("the tab is closed", "Run 'tabs' to see which are open."))

    # --- the debugger ---

    def _may_attach_debugger(self) -> bool:
        # The browser would let a debugger into the extension's own pages.
        top = self.frame_tree.top
        accessible = top.is_error_page or not is_restricted(top.url)
        return accessible and self.owner is not None and self.owner.allows_trusted_input()

    def require_debugger(self) -> DebuggedTab:
        """The tab as its debugger has it. Raises `NotSupported` if none is attached."""
        if self.debugger.debugged is None:
            raise self.debugger.missing()
        return self.debugger.debugged

    def _pasting(self) -> AbstractAsyncContextManager[str | None]:
        page = self.debugger.debugged
        return nullcontext() if page is None or self.owner is None else self.owner.features.clipboard.pasting(page)

    # --- the browser's events ---

    def on_navigated(self, kind: str, event: dict[str, Any]) -> None:
        """An event of `webNavigation`, by its name."""
        if event.get("documentLifecycle", "active") != "active":
            return  # a prerendered page, or one in the back/forward cache
        if self._firefox is not None:
            self._firefox.on_navigated(kind, event)
        else:
            self._on_navigated(kind, event)

    def _on_navigated(self, kind: str, event: dict[str, Any]) -> None:
        (self._on_top_navigated if str(event["frameId"]) == TOP else self._on_frame_navigated)(kind, event)

    def _on_top_navigated(self, kind: str, event: dict[str, Any]) -> None:
        match kind:
            case "onBeforeNavigate":
                self.navigations.on_before_navigate(event)
            case "onCommitted":
                self.navigations.on_committed(event)
                self.requests.on_committed(TOP, event["documentId"], top=True)
                self._tools.on_committed()
                if self.crashed:  # it works again
                    self.channel.failure = None
            case "onErrorOccurred":
                self.navigations.on_error(event)
            case "onDOMContentLoaded":
                self.navigations.on_progress(event, "ready")
            case "onCompleted":
                self.navigations.on_progress(event, "load")
            case "onHistoryStateUpdated" | "onReferenceFragmentUpdated":
                self.navigations.on_history_changed(event)

    def _on_frame_navigated(self, kind: str, event: dict[str, Any]) -> None:
        match kind:
            case "onBeforeNavigate":
                self.frame_tree.on_loading(event)
            case "onCommitted":
                self.frame_tree.on_committed(event)
                self.requests.on_committed(str(event["frameId"]), event["documentId"], top=False)
            case "onHistoryStateUpdated" | "onReferenceFragmentUpdated":
                self.frame_tree.moved_within(event)

    def on_requested(self, kind: str, event: dict[str, Any]) -> None:
        """An event of `webRequest`, by its name."""
        if event.get("documentLifecycle", "active") != "active":
            return
        match kind:
            case "onBeforeRequest":
                self.requests.on_request(event)
            case "onResponseStarted":
                self.requests.on_response(event)
            case "onCompleted" | "onErrorOccurred":
                self.requests.on_finished(event)
        if event["type"] == "main_frame":
            (self._on_top_requested if self._firefox is None else self._firefox.on_requested)(kind, event)

    def _on_top_requested(self, kind: str, event: dict[str, Any]) -> None:
        match kind:
            case "onBeforeRequest":
                self.navigations.on_request(event)
            case "onBeforeRedirect":
                self.navigations.on_redirect(event)
            case "onResponseStarted":
                self.navigations.on_response(event)

    # --- the start of a command ---

    def claim(self, owner: TabOwner) -> None:
        """From now on `owner` gives the elements their numbers; those of another session are no longer valid."""
        if owner is not self.owner:
            self.owner = owner
            self._claims += 1

    async def before_command(self) -> None:
        """Refresh the state that no event reports. Reloads a page that the browser has discarded."""
        if self.tabs.is_discarded(self.tab):
            await self.navigator.reload(False, WAKE_SECONDS)
        await self.debugger.update_attachment()
        if not self.frame_tree.top.document:
            await self._adopt()
        await self.frame_tree.refresh()

    async def responds(self) -> bool:
        """Whether the page's scripts run. True also if none of the extension's scripts is in it."""
        self.dialogs.dismiss()
        try:
            await self.channel.send(self.frame_tree.top, {"oryn": "ping"}, timeout=PING_SECONDS)
        except Timeout:
            return False
        except OrynError:
            return True
        return True

    async def _adopt(self) -> None:
        """Learn how far a document has loaded that was there before its events were followed."""
        await self.frame_tree.refresh()
        try:
            answer = await self.channel.send(self.frame_tree.top, {"oryn": "frame"}, timeout=2)
            self.navigations.adopt(answer["state"])
        except (OrynError, TypeError):  # no content script; whatever is wrong, the command itself will meet it
            self.navigations.adopt("complete")

    # --- location ---

    @property
    def document(self) -> str:
        return f"{self.frame_tree.top.loader}/{self._claims}"

    # --- restricted pages ---

    def require_access(self) -> None:
        """Raises `CannotAccessPage` if commands have no effect on the page."""
        self.require_page(self.frame_tree.top)
        require_access(self.frame_tree.top.url, files=self.reads_files)

    @property
    def reads_files(self) -> bool:
        """Whether commands may read `file:` pages."""
        return self.owner is not None and self.owner.may_read_files()

    # --- the scanner ---

    async def scanner(
        self, request: ScannerRequest, frame: Frame | None = None, *, timeout: float = 30
    ) -> ScannerResponse:
        self.channel.check()
        node = self.frame_tree.node(frame)
        if is_for_main_world(request):
            return await self.evaluation.answer(request, node, timeout)
        return await self._scan(request, node, timeout)

    async def _scan(self, request: ScannerRequest, node: ExtensionFrameNode, timeout: float) -> ScannerResponse:
        try:
            if node.is_error_page:
                raise CannotAccessPage  # the extension has no script there
            require_access(self.frame_tree.top.url, files=self.reads_files)
            return await self.scanner_client.run(request, node, timeout)
        except CannotAccessPage:
            if node.parent is not None:
                raise
            tab = await self.channel.call("tabs.get", self.tab, timeout=timeout)
            if node.is_error_page:
                return self.error_page_of(node).answer(request, scanner_client.page_data(node.url, tab))
            if (
                node.url != scanner_client.BLANK
                or (answer := scanner_client.answer_blank_page(request, scanner_client.page_data(node.url, tab)))
                is None
            ):
                raise
            return answer

    # --- scripts ---

    async def evaluate(self, expression: str, frame: Frame | None = None, *, timeout: float = 30) -> Any:
        self.channel.check()
        self.require_access()
        return await self.evaluation.evaluate(expression, self.frame_tree.node(frame), timeout)

    @property
    def tools(self) -> ExtensionPageTools:
        return self._tools

    # --- frames ---

    async def frame_of(self, element_id: int, frame: Frame | None = None) -> Frame:
        self.channel.check()
        return await self.frame_tree.frame_of(element_id, frame)

    async def to_viewport(self, x: float, y: float, frame: Frame) -> tuple[float, float]:
        self.channel.check()
        # Scrolls the frame into view: only then is it drawn.
        await self.frame_tree.to_viewport(x, y, frame)
        # The browser sends input to a frame of another process only after it has drawn it: in two frames at the latest.
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
        require_access(url, files=self.reads_files)
        await self.debugger.wait_until_configured()
        async with self._navigation_headers(url, headers):
            return await super().goto(url, until=until, timeout=timeout)

    def _navigation_headers(self, url: str, headers: dict[str, str] | None) -> AbstractAsyncContextManager[None]:
        if not headers:
            return nullcontext()
        page = self.require_debugger()
        require_no_cookies(headers)
        return page.features.interception.navigation_headers(page, url, headers)

    async def history(self, delta: int, *, timeout: float = 30) -> Navigation:
        await self.debugger.wait_until_configured()
        return await super().history(delta, timeout=timeout)

    # --- effects of an action ---

    def awaits_message(self, checkpoint: Checkpoint) -> bool:
        return self._unanswered_messages.exist(checkpoint)

    # --- `common.settle.SettleSource` ---

    def opened_tab_rows(self, checkpoint: Checkpoint) -> list[Tab]:
        return self.tabs.rows([page.tab for page in self.opened_tabs.since(checkpoint)])

    def file_chooser_waits(self, checkpoint: Checkpoint) -> bool:
        return self._uploads.waits(checkpoint) or bool(self._scripted_choosers.since(checkpoint))

    async def scan_top_frame(self, request: ScannerRequest, timeout: float) -> ScannerResponse:
        return await self._scan(request, self.frame_tree.top, timeout)

    async def on_quiet(self) -> None:
        await asyncio.gather(self.frame_tree.refresh(), self.scanner_client.refresh_soon(self.frame_tree.top))

    async def wait_for_current_tab(self, timeout: float) -> None:
        await self.tabs.activate_successor(self.tab, timeout)

    async def refresh_titles(self) -> None:
        await self.tabs.refresh()

    # --- files ---

    async def set_files(self, element_id: int, paths: Sequence[str], frame: Frame | None = None) -> None:
        self.channel.check()
        await self._uploads.set(element_id, paths, self.require_page(self.frame_tree.node(frame)))

    async def drop_files(self, x: float, y: float, paths: Sequence[str]) -> None:
        self.channel.check()
        await self._uploads.drop(x, y, paths)

    async def accepts_drop(self, element_id: int, frame: Frame | None = None) -> bool:
        self.channel.check()
        return await self._uploads.accepts_drop(element_id, self.frame_tree.node(frame))

    async def file_chooser(self, checkpoint: Checkpoint, *, timeout: float) -> FileChooser | None:
        return await self._uploads.find(checkpoint, timeout)

    async def choose_files(self, chooser: FileChooser, paths: Sequence[str]) -> None:
        self.channel.check()
        await self._uploads.choose(chooser, paths)

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
        self.channel.check()
        if not self.frame_tree.top.is_error_page:
            self.require_access()
        return await self.capture.screenshot(format, full_page, clip, quality, scale, timeout)

    @property
    def draws_larger(self) -> bool:
        return self.debugger.debugged is not None

    async def pdf(self, options: PdfOptions, write: ByteWriter, *, timeout: float = 30) -> None:
        self.channel.check()
        self.require_debugger()
        self.require_access()
        await self.capture.print_to_pdf(options, write, timeout)

    # --- input ---

    @property
    def trusted_input(self) -> bool:
        return self._input.was_trusted

    def take_notices(self) -> list[str]:
        notices, self.debugger.notices = self.debugger.notices, []
        return notices

    @property
    def mouse(self) -> Mouse:
        return self._input.mouse

    @property
    def keyboard(self) -> Keyboard:
        return self._input.keyboard

    # --- `common.synthetic_input.ClickSideEffects` ---

    async def open_tab(self, url: str) -> None:
        if not may_open(url):  # the browser refuses it to the page, but not to the extension
            return
        tab = await self.tabs.create(url, active=False, opener=self.channel.tab)
        self.tabs.on_opened(self.channel.tab, tab, url)

    def on_file_chooser_opened(self) -> None:
        self._scripted_choosers.record(self.channel.moment, None)
        self.channel.signal.notify()

    # --- dialogs ---

    def timeout_hint(self) -> str | None:
        return UNRESPONSIVE_HINT if self.channel.is_unresponsive and not self.debugger.is_attached else None

    async def answer_dialog(self, accept: bool, text: str | None = None) -> Dialog:
        if not self.debugger.is_attached:
            raise dialogs_not_supported()
        return await super().answer_dialog(accept, text)
