"""Waits until what an action started has ended: navigation, requests, mutations, new tabs, downloads.

Event-driven: the only clock here is the limit. Only what began after the checkpoint counts, so a page that never
becomes quiet (polling, animation) is not waited for because of its earlier requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from oryn.browsers.base import NO_CONTENT_STATUSES, Checkpoint, Dialog, Download, Navigation, PageEffects, Tab
from oryn.browsers.common.events import Deadline, EventLog, pluralize
from oryn.browsers.common.inflight import InflightTracker
from oryn.browsers.common.navigation import NavigationTracker, NavigationWaiter
from oryn.browsers.common.network_errors import describe_error
from oryn.browsers.common.scanner_client import ScannerClient
from oryn.browsers.common.tab_state import TabState
from oryn.core.records import Record
from oryn.core.spans import span
from oryn.errors import (
    DialogOpen,
    DomainNotAllowed,
    FrameNotFound,
    NavigationError,
    PageCrashed,
    TabNotFound,
    Timeout,
)

if TYPE_CHECKING:
    from oryn.scanner.protocol import ScannerRequest, ScannerResponse, SettleRequest, SettleResponse

QUIET_MILLISECONDS = 500
# Limit until the browser begins a navigation, or opens a tab, that the page has requested.
BEGIN_SECONDS = 0.5


class OpenedTab(Protocol):
    """A tab that a page has opened."""

    async def wait_until_displayed(self, blank: bool, timeout: float) -> None:
        """Wait until it shows the document that it was opened for; with `blank`, `about:blank` is enough."""


class PageDialogs(Protocol):
    """The dialogs that a page has opened."""

    @property
    def open(self) -> Dialog | None:
        """The dialog that is open now."""

    def since(self, checkpoint: Checkpoint) -> list[Dialog]:
        """The dialogs since a checkpoint, in their present state."""

    async def answer(self, accept: bool, text: str | None) -> Dialog:
        """See `browsers.base.Page.answer_dialog`."""


class SettleSource:
    """The parts of a page that `SettleWaiter` uses, which an engine sets, and what each engine does in its own way."""

    channel: TabState
    requests: InflightTracker[Any]
    navigations: NavigationTracker
    navigator: NavigationWaiter
    scanner_client: ScannerClient[Any]
    dialogs: PageDialogs

    def __init__(self) -> None:
        self.downloads: EventLog[Download] = EventLog()
        self.requested_tabs: EventLog[str] = EventLog()
        """URLs of the tabs that this page has requested."""
        self.opened_tabs: EventLog[Any] = EventLog()
        """The tabs that this page has opened (`OpenedTab`)."""

    def opened_tab_rows(self, checkpoint: Checkpoint) -> list[Tab]:
        """The tabs that this page has opened since a checkpoint, and that are still open."""
        raise NotImplementedError

    def file_chooser_waits(self, checkpoint: Checkpoint) -> bool:
        """Whether the page has opened a file chooser since a checkpoint that has no files yet."""
        raise NotImplementedError

    async def scan_top_frame(self, request: ScannerRequest, timeout: float) -> ScannerResponse:
        """Send a request to the scanner of the top frame, as part of the present command."""
        raise NotImplementedError

    async def on_quiet(self) -> None:
        """The page has become quiet: refresh the state that no event reports."""
        raise NotImplementedError

    async def wait_for_current_tab(self, timeout: float) -> None:
        """Wait until another tab is current, now that this one has closed."""
        raise NotImplementedError

    async def refresh_titles(self) -> None:
        """Refresh the titles of all tabs."""
        raise NotImplementedError


class QuietState(Record):
    """Whether a document has become quiet, and whether a script has closed its window (None if it did not answer)."""

    quiet: bool
    closed: bool | None = None
    busy: str | None = None
    """What is still on its way in the page, in words."""
    pending: bool | None = None
    """See `PageEffects.pending`."""


class SettleWaiter:
    """Waits for the effects of actions in one tab."""

    def __init__(self, page: SettleSource, load_timeout: float) -> None:
        self._page = page
        self._load_timeout = load_timeout
        self._reported_loader = ""
        """The loader of the navigation in the present `PageEffects`."""

    async def settle(self, checkpoint: Checkpoint, limit: float, unheard: bool = False) -> PageEffects:
        """See `browsers.base.Page.settle`."""
        effects = PageEffects()
        try:
            with span("settle"):
                await self._wait(checkpoint, Deadline(limit), effects, unheard)
        except (DialogOpen, TabNotFound, PageCrashed):
            pass  # reported below, or raised by the next command
        if isinstance(self._page.channel.failure, TabNotFound):
            effects.closed = True
            await self._page.wait_for_current_tab(BEGIN_SECONDS)
        self._report(checkpoint, effects)
        return effects

    def has_effects(self, checkpoint: Checkpoint) -> bool:
        """See `browsers.base.Page.has_effects`."""
        page = self._page
        logs = page.requested_tabs, page.opened_tabs, page.downloads, page.navigations.same_document_log
        return (
            self._interrupted(checkpoint)
            or page.requests.in_flight(checkpoint) > 0
            or bool(page.dialogs.since(checkpoint))
            or any(log.since(checkpoint) for log in logs)
            or page.file_chooser_waits(checkpoint)
        )

    async def _wait(self, checkpoint: Checkpoint, deadline: Deadline, effects: PageEffects, unheard: bool) -> None:
        page = self._page
        while True:
            page.channel.check()
            await self._navigation(checkpoint, effects)
            state = await self._wait_quiet(deadline, unheard)
            if self._navigating(checkpoint):
                continue
            if page.requests.in_flight(checkpoint) and deadline.left and not effects.busy:
                await page.channel.signal.until(
                    lambda: not page.requests.in_flight(checkpoint) or self._interrupted(checkpoint), deadline.left
                )
                continue
            if state.closed is False:
                break
            if state.closed or await page.scanner_client.is_closing():
                await page.channel.signal.until(lambda: page.channel.failure is not None, BEGIN_SECONDS)
                page.channel.check()
            if not self._navigating(checkpoint):
                break
        effects.pending = state.pending
        if unfinished := page.requests.in_flight(checkpoint):
            effects.busy = effects.busy or f"{pluralize(unfinished, 'request')} in flight"
        elif not state.quiet:
            effects.busy = effects.busy or "the page is still changing"
        elif state.busy:
            effects.busy = effects.busy or state.busy
        await self._tabs(checkpoint, deadline)
        reported = len(page.opened_tabs.since(checkpoint))
        await page.on_quiet()
        if len(page.opened_tabs.since(checkpoint)) > reported:  # no event had told of them
            await self._tabs(checkpoint, deadline)

    async def _wait_quiet(self, deadline: Deadline, unheard: bool) -> QuietState:
        """Wait until the document is quiet."""
        left = deadline.left
        try:
            request: SettleRequest = {
                "cmd": "settle",
                "timeout": min(QUIET_MILLISECONDS, left * 1000),
                "busy": left * 1000,
                "unheard": unheard,
            }
            response = await self._page.scan_top_frame(request, left + 1)
        except (FrameNotFound, NavigationError):
            return QuietState(True)  # another document has come
        except Timeout:
            return QuietState(False)
        data: SettleResponse | None = response.get("data")
        if not data:
            return QuietState(False)
        return QuietState(data["quiet"], data["closed"], data["busy"], data["pending"])

    # --- navigation ---

    def _navigating(self, checkpoint: Checkpoint) -> bool:
        """Whether a navigation has begun, or is about to, that is not reported yet."""
        navigations = self._page.navigations
        if navigations.requested:
            return True
        latest = navigations.latest(checkpoint)
        if latest is None or latest.refusal is not None:
            return False
        if latest.stopped and latest.status not in NO_CONTENT_STATUSES:
            return False
        return self._reported_loader != latest.loader

    def _interrupted(self, checkpoint: Checkpoint) -> bool:
        channel = self._page.channel
        return channel.failure is not None or channel.blocked is not None or self._navigating(checkpoint)

    async def _navigation(self, checkpoint: Checkpoint, effects: PageEffects) -> None:
        """Wait for the latest navigation since `checkpoint`, if any, and report its outcome."""
        page = self._page
        navigations = page.navigations
        if navigations.requested:
            await page.channel.signal.until(
                lambda: not navigations.requested or page.channel.failure is not None, BEGIN_SECONDS
            )
            navigations.requested = False
        attempt = navigations.latest(checkpoint)
        if attempt is None or attempt.loader == self._reported_loader:
            return
        try:
            effects.navigation = await page.navigator.finish(checkpoint, "load", Deadline(self._load_timeout))
        except Timeout:
            effects.busy = "the page is still loading"
            if attempt.committed:
                effects.navigation = navigations.describe(attempt)
        except NavigationError as error:
            latest = navigations.latest(checkpoint) or attempt
            if latest.failed is not None:
                effects.failed_load = describe_error(latest.failed)
            elif not latest.stopped:
                effects.failed_load = error.message
        except DomainNotAllowed:
            pass  # the page stays as it is; `Browser.take_refusals` reports it
        self._reported_loader = (navigations.latest(checkpoint) or attempt).loader

    # --- tabs and other effects ---

    async def _tabs(self, checkpoint: Checkpoint, deadline: Deadline) -> None:
        """Wait until the tabs that the page has opened have a URL and a title."""
        page = self._page
        requested = page.requested_tabs.since(checkpoint)
        opened: list[OpenedTab] = page.opened_tabs.since(checkpoint)
        if len(requested) > len(opened):
            # A popup may be blocked, or reuse a window.
            await page.channel.signal.until(
                lambda: len(page.opened_tabs.since(checkpoint)) >= len(requested), BEGIN_SECONDS
            )
            opened = page.opened_tabs.since(checkpoint)
        if not opened:
            return
        requested = page.requested_tabs.since(checkpoint)
        blank = all(url in ("", "about:blank") for url in requested)
        for tab in opened:
            if not requested:  # nothing has announced the tab: it may be meant to stay empty, or load a page yet
                await tab.wait_until_displayed(False, BEGIN_SECONDS)
            await tab.wait_until_displayed(blank, max(deadline.left, BEGIN_SECONDS))
        await page.refresh_titles()

    def _report(self, checkpoint: Checkpoint, effects: PageEffects) -> None:
        page = self._page
        urls = page.navigations.same_document_log.since(checkpoint)
        if effects.navigation is None and urls:
            effects.navigation = Navigation(urls[-1], same_document=True)
        found = effects.navigation
        if found is not None and found.status in NO_CONTENT_STATUSES:
            effects.no_content = found.status
        if found is not None and (found.download or effects.no_content):
            effects.navigation = None  # the page stayed; a download is reported below
        effects.dialogs = page.dialogs.since(checkpoint)
        effects.tabs = page.opened_tab_rows(checkpoint)
        effects.downloads = page.downloads.since(checkpoint)
        effects.file_chooser = page.file_chooser_waits(checkpoint)
