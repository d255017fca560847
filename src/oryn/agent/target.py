"""One tab of an agent: its element numbers, its scans, and waiting for it to change.

All tabs of an agent share one sequence of element numbers. Pages may need time to render an action's effect (seed 001,
Action Timeout)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal

from oryn.agent.activity import ApiActivityLog, ApiCall, render_activity
from oryn.agent.context import MAX_ELEMENTS, PageRedactor, dialog_context, display_url, snapshot, unchanged_context
from oryn.agent.messages import join_parts, no_snapshot
from oryn.browsers.base import Frame, Page
from oryn.core.records import Record, field
from oryn.engine import Session
from oryn.engine.page.element_index import ElementIndex, Scan, query_scanner
from oryn.engine.page.elements import Element
from oryn.engine.page.polling import MAX_CHANGE_WAIT_SECONDS, wait_for_change
from oryn.errors import FrameNotFound, NavigationError, OrynError, TabNotFound
from oryn.scanner.protocol import OBSERVE_FIELDS

SNAPSHOT_FIELDS = (*OBSERVE_FIELDS, "tag", "attributes")
"""The fields of an element that a snapshot uses."""


class ElementIdCounter(Record, frozen=False):
    """The next element number that is unused in all targets."""

    next: int = 1


class TargetTabElementIndex(ElementIndex, frozen=False):
    """Continues the shared numbers, also in a new document, so that a number never means two elements."""

    numbers: ElementIdCounter = field(factory=ElementIdCounter)

    if not TYPE_CHECKING:  # a type checker rejects a property that replaces a field

        @property
        def next_id(self) -> int:
            return self.numbers.next

        @next_id.setter
        def next_id(self, value: int) -> None:
            self.numbers.next = max(self.numbers.next, value)

    def first_id(self) -> int:
        return self.numbers.next

    def record_observation(self, elements: Sequence[Element], *, narrowed: bool = False) -> None:
        """Record what a snapshot lists. Each lists the whole page, so earlier elements that it lacks are gone."""
        self.reported_ids.clear()
        super().record_observation(elements, narrowed=narrowed)

    async def rescan(self, page: Page, within: Frame | None, *, timeout: float) -> Scan:
        """Scan as every index does, with the fields of a snapshot, so that the scan after an action serves for the
        snapshot. `timeout` is in seconds."""
        request: dict[str, Any] = {"fields": list(SNAPSHOT_FIELDS), "max_elements": 0}
        scan = await self.scan(page, within, request, timeout=timeout)
        self.elements = {element["id"]: element for element in scan.elements}
        return scan


SnapshotDetail = Literal["whole", "all", "news"]
"""Which snapshots a message has. `whole`: those of all tabs. `all`: those of changed tabs, and a note for each
unchanged one. `news`: those of changed tabs only."""

MAX_SCAN_ATTEMPTS = 3
"""How often a tab is scanned if its document changes meanwhile."""


class TabScan(Record):
    """The result of scanning a tab. `text` is its context; `fingerprint` distinguishes states of the page."""

    text: str
    fingerprint: tuple[str, ...]
    url: str


class TargetTab:
    """One tab that the agent controls. A snapshot has at most `text_limit` characters of the text of its page."""

    def __init__(self, session: Session, numbers: ElementIdCounter, redactor: PageRedactor, text_limit: int) -> None:
        session.view = self.view = TargetTabElementIndex(numbers=numbers)
        self.session = session
        self.url = "about:blank"
        """The URL at the last scan."""
        self.redactor = redactor
        self._text_limit = text_limit
        self._activity = ApiActivityLog(session)
        self._calls: list[ApiCall] = []
        """Requests that are in no message yet."""
        self._last_scan: TabScan | None = None

    @property
    def display_url(self) -> str:
        """The tab's URL as snapshots display it."""
        return display_url(self.url, self.redactor)

    @property
    def fingerprint(self) -> tuple[str, ...] | None:
        """The fingerprint of the page as the model knows it, to be compared with that of a later scan; None before the
        first snapshot."""
        return self._last_scan.fingerprint if self._last_scan else None

    @property
    def is_closed(self) -> bool:
        """Whether the tab is closed, or its browser has died."""
        try:
            self.session.browser.page  # noqa: B018  raises if the tab is closed
        except TabNotFound:
            return True
        return self.session.browser.lost

    def has_element(self, number: int) -> bool:
        """Return whether a snapshot of the current document has listed an element with this number."""
        return number in self.view.reported_ids and self.view.elements is not None

    def watch(self) -> None:
        """Report requests of the current document, too. Called before each command."""
        try:
            self._activity.watch()
        except OrynError:  # the tab has lost its page, which the next scan reports
            return

    async def scan(self) -> TabScan:
        """Scan the tab. Raises `OrynError`."""
        session = self.session
        async with session.turn(session.options.timeout):
            await session.startup.ensure_started()
            await session.browser.before_command()
            page = session.page
            self.url = page.url
            if dialog := page.dialog:
                context = dialog_context(self.url, dialog.kind, dialog.message, self.redactor)
                return TabScan(context, (context,), self.url)
            scan = await self.view.rescan(page, session.frame, timeout=session.deadline.remaining())
            text, html = await self._read_content("text"), await self._read_content("html")
            self.url = scan.url
        self.view.record_observation(scan.elements[:MAX_ELEMENTS])
        bases = {number: frame.url for number, frame in self.view.frames.items()}
        context = snapshot(
            scan.url, scan.elements, self.redactor, bases=bases, page_text=text, text_limit=self._text_limit
        )
        focused = [str(each["id"]) for each in scan.elements if _takes_text(each)]
        return TabScan(context, (context, text, scan.url, str(hash(html)), *focused), scan.url)

    async def _read_content(self, what: Literal["text", "html"]) -> str:
        """Return all visible text of the page or the HTML of its documents, including frames."""
        session, found = self.session, []
        for position, frame in enumerate(session.page.roots(session.frame)):
            request = {"cmd": f"get_{what}", "selector": None}
            try:
                found.append((await query_scanner(session.page, request, frame, session.deadline.remaining()))[what])
            except FrameNotFound:
                if position == 0:
                    raise
        return "\n".join(filter(None, found))

    async def render_scan(self, look: TabScan, detail: SnapshotDetail) -> str:
        """Render the blocks that a message has for a scan."""
        self._calls += await self._activity.take_new()
        is_news = self._last_scan is None or self._last_scan.fingerprint[:3] != look.fingerprint[:3]
        self._last_scan = look
        if is_news or detail == "whole":
            context = look.text
        else:
            context = unchanged_context(look.url, self.redactor) if detail == "all" else ""
        return join_parts((context, render_activity(self._calls, look.url, self.redactor)))

    def mark_sent(self) -> None:
        """Record that the last rendered blocks are in a message."""
        self._calls = []


def _takes_text(element: Element) -> bool:
    """Return whether the element is a focused field. The purpose of a click may be just to focus it."""
    return element["type"] in ("input", "textarea", "select") and "focused" in (element.get("modifiers") or ())


async def render_tab(target: TargetTab, detail: SnapshotDetail) -> str:
    """Scan a tab and render its blocks. Never raises: if the scan fails, the result is an error message."""
    try:
        return await target.render_scan(await _scan_with_retries(target), detail)
    except OrynError as error:
        return no_snapshot(target.url, error.message, target.redactor)


async def _scan_with_retries(target: TargetTab) -> TabScan:
    for _ in range(MAX_SCAN_ATTEMPTS - 1):
        with suppress(NavigationError, FrameNotFound):  # the tab navigated during the scan
            return await target.scan()
    return await target.scan()


async def wait_for_page_change(target: TargetTab, patience: float) -> bool:
    """Return whether the tab differs from its last snapshot within `patience` seconds. Each sign of change triggers a
    scan."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + patience
    while (left := deadline - loop.time()) > 0:
        try:
            async with target.session.turn(left):
                await wait_for_change(target.session, min(left, MAX_CHANGE_WAIT_SECONDS))
            if (await target.scan()).fingerprint != target.fingerprint:
                return True
        except OrynError:  # a dialog, a crash or another page, which the next snapshot reports
            return True
    return False
