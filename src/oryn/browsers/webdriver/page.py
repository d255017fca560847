"""One tab of an embedded browser: `browsers.base.Page` over WebDriver."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urldefrag

from oryn.browsers.base import (
    Checkpoint,
    DialogPolicy,
    Frame,
    ImageFormat,
    Keyboard,
    Mouse,
    Rect,
    Tab,
)
from oryn.browsers.base.recording import ByteWriter, PdfOptions
from oryn.browsers.common.keyboard import KeySequencer
from oryn.browsers.common.main_world import is_for_main_world
from oryn.browsers.common.page import BasePage
from oryn.browsers.common.reported_console import ReportedConsole
from oryn.browsers.common.synthetic_input import InputRequests, SyntheticMouse
from oryn.browsers.common.tab_state import DocumentGone
from oryn.browsers.webdriver.capture import WebDriverCapture
from oryn.browsers.webdriver.channel import DriverSession, WebDriverChannel
from oryn.browsers.webdriver.dialogs import WebDriverDialogs
from oryn.browsers.webdriver.error_mapping import DriverLost
from oryn.browsers.webdriver.frames import WebDriverFrameNode, WebDriverFrameTree
from oryn.browsers.webdriver.input import ActionInput, WebDriverKeyboard, WebDriverMouse, set_files
from oryn.browsers.webdriver.navigator import (
    BLANK,
    WebDriverInflightTracker,
    WebDriverNavigationTracker,
    WebDriverNavigator,
)
from oryn.browsers.webdriver.scripts import (
    WebDriverEvaluation,
    WebDriverScannerClient,
    error_page_data,
)
from oryn.core.urls import origin_of
from oryn.errors import CannotAccessPage, NotSupported, OrynError, ScriptError, TabNotFound

if TYPE_CHECKING:
    from oryn.scanner.protocol import ScannerRequest, ScannerResponse

PING_SECONDS = 2.0
RECENT_SECONDS = 0.2
"""A page that has reported within these needs no question whether it answers."""
REPORT_SECONDS = 0.5
"""Maximum seconds that a document in a tab behind has to report itself."""
MAX_WATCH_FAILURES = 5
UNREADABLE_SECONDS = 2.0
"""Seconds for which failures are those of an unreadable document that a navigation leaves, if the driver reports no
documents: it stays until the server has answered."""
_RETRY_SECONDS = 0.02
_BLANK_SECONDS = 0.02
"""Before the watch of an empty page: a `goto` that follows at once comes first. Driver and browser talk over TCP
with Nagle's algorithm, so after a message without an answer, as a watch is, the next one waits up to 40 ms."""


class PageOwner(Protocol):
    """The browser that a page belongs to."""

    @property
    def policy(self) -> DialogPolicy | None:
        """The dialog policy."""

    @property
    def console_log(self) -> ReportedConsole: ...

    @property
    def viewport(self) -> tuple[int, int]: ...

    def rows(self, pages: Sequence[WebDriverPage]) -> list[Tab]:
        """The rows of `tabs` for these pages, if they are open."""

    async def refresh_tabs(self, opener: WebDriverPage | None = None) -> None:
        """Learn which tabs there are; new ones are opened by `opener`."""

    async def refresh_titles(self) -> None:
        """Learn the titles of all tabs."""

    def on_viewport(self, size: Any) -> None:
        """A document reports the size of the viewport, if it tells the truth."""

    def on_page_changed(self, page: WebDriverPage) -> None:
        """The page shows another URL, or has closed."""


class WebDriverPage(BasePage[WebDriverFrameNode]):
    """One tab, by the driver's `window` handle."""

    channel: WebDriverChannel
    frame_tree: WebDriverFrameTree
    navigations: WebDriverNavigationTracker
    requests: WebDriverInflightTracker
    dialogs: WebDriverDialogs

    def __init__(self, session: DriverSession, window: str, owner: PageOwner, load_timeout: float) -> None:
        """`load_timeout` (seconds) limits a navigation that a command has started."""
        super().__init__(load_timeout)
        self.window = window
        self.address = ""
        """The URL according to the driver, if that is of another site than the page says; empty otherwise."""
        self._owner = owner
        self.channel = WebDriverChannel(session, window)
        self.channel.on_lost = lambda: owner.on_page_changed(self)
        self.frame_tree = WebDriverFrameTree(self.channel)
        self.navigations = WebDriverNavigationTracker(self.channel, self.frame_tree)
        self.requests = WebDriverInflightTracker(self.channel, self.frame_tree)
        self.dialogs = WebDriverDialogs(self.channel, lambda: owner.policy)
        self.evaluation = WebDriverEvaluation(self.channel)
        self.scanner_client = WebDriverScannerClient(self.channel)
        self.navigator = WebDriverNavigator(self.channel, self.frame_tree, self.navigations, self.requests)
        self._capture = WebDriverCapture(self.channel)
        sequencer = KeySequencer("linux")
        actions = ActionInput(self.channel, self.check_input_allowed)
        synthetic = SyntheticMouse(InputRequests(self, self), sequencer)
        self._mouse = WebDriverMouse(actions, sequencer, synthetic)
        self._keyboard = WebDriverKeyboard(actions, sequencer)
        self._seen = 0
        self._reported = -RECENT_SECONDS
        self._watching: asyncio.Task[None] | None = None
        self._frames_changed = False
        self._unreadable = 0
        """How many documents could not be read."""
        self._early_report: Any = None
        """What the next document has reported, before the driver reported that there is one."""

    # --- following the documents ---

    def follow(self) -> None:
        """Follow the page's documents from now on, until `unfollow`."""
        if self._watching is None or self._watching.done():
            self._watching = asyncio.ensure_future(self._watch())

    def is_followed(self) -> bool:
        """Whether its document has reported itself."""
        return bool(self.navigations.token)

    def unfollow(self) -> None:
        """Stop following, because another tab is current: its events wait in the page."""
        if self._watching is not None:
            self._watching.cancel()
            self._watching = None

    @contextmanager
    def _following(self) -> Iterator[None]:
        """Follow the page's documents for a while, also if another tab is current."""
        is_followed = self._watching is not None
        self.follow()
        try:
            yield
        finally:
            if not is_followed:
                self.unfollow()

    async def _watch(self) -> None:
        failures, loop = 0, asyncio.get_running_loop()
        attempt, since = self.navigations.pending, loop.time()
        while self.channel.failure is None:
            if self.navigations.pending is not attempt:
                attempt, since = self.navigations.pending, loop.time()
            if self.channel.blocked is not None:  # the page does not run
                await self.channel.signal.until(lambda: self.channel.blocked is None, 3600)
                continue
            try:
                report = await self.channel.watch(self._seen, self.navigations.token)
            except DocumentGone:
                report = None
            except (DriverLost, TabNotFound) as error:
                self.channel.fail(error)
                self._owner.on_page_changed(self)
                return
            except (CannotAccessPage, ScriptError):
                failures += 1
                if failures >= MAX_WATCH_FAILURES:  # fewer may be of a document that is being left
                    await self._on_unreadable(loop.time() - since)
                report = None
            except OrynError:
                report = None
            if report is None:
                with suppress(OrynError):
                    await self.channel.check_dialog()
                await asyncio.sleep(_RETRY_SECONDS)  # between two documents there is nothing to wait for
                continue
            failures = 0
            self._on_report(report)
            if self.url == BLANK:
                await asyncio.sleep(_BLANK_SECONDS)

    async def _on_unreadable(self, seconds: float) -> None:
        """The page keeps the driver's scripts from running: it has loaded, and commands report it.

        `seconds`: how long the navigation to it takes already."""
        # The document before can't be read either, and nothing reports when it is gone.
        leaves_another = self.channel.driver_document is None and self.navigations.token == self._unreadable_token
        if self.navigations.pending is not None and leaves_another and seconds < UNREADABLE_SECONDS:
            return
        if self.navigations.pending is not None and self.navigations.has_left():
            with suppress(OrynError):
                url = str(await self.channel.get("/url"))
                self._unreadable += 1
                self.navigations.on_document(self._unreadable_token, url)
                self.requests.on_document()
                self.navigations.on_progress("load")
                self._owner.on_page_changed(self)
        await self.channel.signal.until(lambda: self.navigations.pending is not None, 1)

    @property
    def _unreadable_token(self) -> str:
        """The token of the last document that could not be read."""
        return f"unreadable {self._unreadable}"

    def _on_report(self, report: Any) -> None:
        try:
            token, url, ready, reported = (str(report["token"]), str(report["url"]), report["ready"], report["events"])
        except (TypeError, KeyError):
            return
        self._reported = asyncio.get_running_loop().time()
        if not report.get("top"):
            return  # it went to a frame: the next one goes to the top document
        self._early_report = None
        if token != self.navigations.token:
            if not self.navigations.on_document(token, url):
                self._early_report = report
                return
            self._seen = 0
            self.address = ""
            self._frames_changed = True
            self.requests.on_document()
            self._owner.on_page_changed(self)
            self._owner.on_viewport(report.get("viewport"))
        for event in reported:
            if event["number"] > self._seen:
                self._seen = event["number"]
                self._on_event(event)
        if not self.frame_tree.top.is_error_page:
            self.navigations.on_moved(url)
        self.navigations.on_progress(ready)

    def on_driver_document(self) -> None:
        """The driver reports another top document, which may have reported itself before."""
        report, document = self._early_report, self.channel.driver_document
        if report is None or document is None:
            return
        if urldefrag(str(report["url"])).url == urldefrag(document.url).url:
            self._on_report(report)

    def _on_event(self, event: dict[str, Any]) -> None:
        match event["kind"]:
            case "leaving":
                self.navigations.on_leaving(str(event["url"]))
            case "moved":
                self.navigations.on_moved(str(event["url"]))
                self._owner.on_page_changed(self)
            case "opens":
                self.requested_tabs.record(self.channel.moment, str(event["url"]))
            case "request":
                self.requests.on_request(event)
            case "answered":
                self.requests.on_answered(event)
            case "console" | "error":
                self._owner.console_log.record(event)
            case "frames" if not self._frames_changed:
                self._frames_changed = True
                self.channel.on_background(asyncio.ensure_future(self._refresh_frames()))

    # --- state ---

    async def responds(self) -> bool:
        """Whether the page's scripts run."""
        if asyncio.get_running_loop().time() - self._reported < RECENT_SECONDS:
            return True
        try:
            await self.channel.execute("return 1;", timeout=PING_SECONDS)
        except (CannotAccessPage, DocumentGone, NotSupported):
            return True
        except OrynError:
            return False
        return True

    # --- the scanner and scripts ---

    async def scanner(
        self, request: ScannerRequest, frame: Frame | None = None, *, timeout: float = 30
    ) -> ScannerResponse:
        self.channel.check()
        node = self.frame_tree.node(frame)
        if node.is_error_page:
            width, height = self._owner.viewport
            data = error_page_data(node.url, {"width": width, "height": height})
            return self.error_page_of(node).answer(request, data)
        if is_for_main_world(request):
            return await self.evaluation.answer(request, node, timeout)
        return await self.scanner_client.run(request, node, timeout)

    # --- frames ---

    async def frame_of(self, element_id: int, frame: Frame | None = None) -> Frame:
        self.channel.check()
        return await self.frame_tree.frame_of(element_id, frame)

    # --- `common.settle.SettleSource` ---

    async def wait_until_displayed(self, blank: bool, timeout: float) -> None:
        with self._following():
            await self.navigations.wait_until_displayed(blank, timeout)

    async def refresh(self, timeout: float) -> None:
        """Learn the title and the URL. Raises what the driver does."""
        if not self.frame_tree.top.is_error_page:
            url = str(await self.channel.get("/url", timeout=timeout))
            if url != self.url and self._watching is None:
                with self._following():
                    await self.channel.signal.until(
                        lambda: self.url == url or self.channel.failure is not None, REPORT_SECONDS
                    )
            self.address = url if origin_of(url) != origin_of(self.url) else ""
        self.title = str(await self.channel.get("/title", timeout=timeout))

    def opened_tab_rows(self, checkpoint: Checkpoint) -> list[Tab]:
        return self._owner.rows(self.opened_tabs.since(checkpoint))

    def file_chooser_waits(self, checkpoint: Checkpoint) -> bool:
        return False

    async def scan_top_frame(self, request: ScannerRequest, timeout: float) -> ScannerResponse:
        response = await self.scanner(request, timeout=timeout)
        await self._owner.refresh_tabs(self)  # no event reports that the page has opened one
        return response

    async def on_quiet(self) -> None:
        if self._frames_changed or self.frame_tree.top.children:
            await self._refresh_frames()

    async def _refresh_frames(self) -> None:
        self._frames_changed = False
        await self.frame_tree.refresh()

    async def wait_for_current_tab(self, timeout: float) -> None:
        await self._owner.refresh_tabs()

    async def refresh_titles(self) -> None:
        await self._owner.refresh_titles()

    # --- input ---

    @property
    def mouse(self) -> Mouse:
        return self._mouse

    @property
    def keyboard(self) -> Keyboard:
        return self._keyboard

    async def set_files(self, element_id: int, paths: Sequence[str], frame: Frame | None = None) -> None:
        self.channel.check()
        await set_files(self.channel, element_id, paths, self.frame_tree.node(frame).path)

    # --- `common.synthetic_input.ClickSideEffects` ---

    async def open_tab(self, url: str) -> None:
        """A synthetic tap on a link into a new tab: the page opens it itself."""
        await self.channel.execute("window.open(arguments[0], '_blank', 'noopener');", [url])

    def on_file_chooser_opened(self) -> None:
        """Never happens: a click that opens a file chooser is the browser's own."""

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
        return await self._capture.screenshot(format, full_page, clip, quality, scale, timeout)

    async def pdf(self, paper: PdfOptions, write: ByteWriter, *, timeout: float = 30) -> None:
        self.channel.check()
        await self._capture.print_to_pdf(paper, write, timeout)
