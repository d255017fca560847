"""One tab of an agent: its element numbers, its scans, and waiting for it to change.

All tabs of an agent share one sequence of element numbers. Pages may need time to render an action's effect."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from oryn.agent.activity import ApiActivityLog, ApiCall, render_activity
from oryn.agent.context import (
    MAX_ELEMENTS,
    PageRedactor,
    dialog_context,
    display_url,
    element_line,
    element_words,
    snapshot,
    unchanged_context,
)
from oryn.agent.messages import join_parts, no_snapshot, person_note
from oryn.agent.unread_changes import UnreadChanges, read_unread, render_texts, wait_for_unread
from oryn.browsers.base import Frame, Page
from oryn.core.records import Record
from oryn.engine import Session
from oryn.engine.handlers.notes import refresh_notes
from oryn.engine.output.elements import Element
from oryn.engine.page.element_index import ElementIdCounter, ElementIndex, Scan
from oryn.engine.page.marks import numbers_of, place_words
from oryn.engine.page.polling import MAX_CHANGE_WAIT_SECONDS, wait_for_change
from oryn.engine.page.scanner import FRAME_GONE, query_scanner
from oryn.errors import FrameNotFound, NavigationError, OrynError, TabNotFound
from oryn.scanner import OBSERVE_FIELDS

if TYPE_CHECKING:
    from oryn.scanner.protocol import ElementField, GetTextRequest, ScanRequest, TextChange

SNAPSHOT_FIELDS: tuple[ElementField, ...] = (*OBSERVE_FIELDS, "tag", "attributes")
"""The fields of an element that a snapshot uses."""


class TargetTabElementIndex(ElementIndex, frozen=False):
    """The numbered elements of one of an agent's tabs, all of which share a counter."""

    def record_observation(self, elements: Sequence[Element], *, narrowed: bool = False) -> None:
        """Record what a snapshot lists. Each lists the whole page, so earlier elements that it lacks are gone."""
        self.reported_ids.clear()
        super().record_observation(elements, narrowed=narrowed)

    async def rescan(self, page: Page, within: Frame | None, *, timeout: float) -> Scan:
        """Scan as every index does, with the fields of a snapshot, so that the scan after an action serves for the
        snapshot. `timeout` is in seconds."""
        request: ScanRequest = {"cmd": "scan", "fields": SNAPSHOT_FIELDS, "max_elements": 0}
        scan = await self.scan(page, within, request, timeout=timeout)
        self.elements = {element["id"]: element for element in scan.elements}
        return scan


SnapshotDetail = Literal["whole", "all", "changed"]
"""Which snapshots a message has. `whole`: those of all tabs. `all`: those of changed tabs, and a note for each
unchanged one. `changed`: those of changed tabs only."""

MAX_TEXT_CHANGES = 60
"""How many changes of text wait for the next message of a tab; it lists the most telling ones."""

MAX_SCAN_ATTEMPTS = 3
"""How often a tab is scanned if its document changes meanwhile."""

RETRY_SECONDS = 1.0
"""How often a tab that can't be watched (a dialog is open, it navigates) is scanned."""


class TabScan(Record):
    """The result of scanning a tab."""

    url: str
    document: str = ""
    rows: Mapping[int, str] = MappingProxyType({})
    """The lines of the listed elements by number, in the order of the page."""
    elements: Sequence[Element] = ()
    bases: Mapping[int, str] = MappingProxyType({})
    """The URLs of the frames that elements are in, by their numbers."""
    page_text: str = ""
    dialog: str = ""
    """The context of the dialog that is open, or empty."""
    focused: tuple[int, ...] = ()
    """The focused fields. The purpose of a click may be just to focus one."""
    unread: UnreadChanges = UnreadChanges()
    tools: tuple[str, ...] = ()
    """The names of the tools of plugins and of the page."""
    notes: tuple[str, ...] = ()
    """The open notes of the user about the tab, a line each."""

    def gains_focus(self, before: TabScan) -> bool:
        """Return whether a field has the focus that did not have it in `before`."""
        return not set(self.focused) <= set(before.focused)

    def new_rows(self, before: TabScan) -> set[int]:
        """Return the elements whose lines `before` does not have."""
        return {number for number, row in self.rows.items() if before.rows.get(number) != row}

    def differs(self, before: TabScan) -> bool:
        """Return whether the snapshot says anything else than `before`. What feeds have changed does not count."""
        same = self.url, self.document, self.dialog, self.tools, self.notes
        if same != (before.url, before.document, before.dialog, before.tools, before.notes):
            return True
        if self.new_rows(before) - self.unread.feeds:
            return True
        return not self.unread.feeding and list(self.rows) != list(before.rows)


class TargetTab:
    """One tab that the agent controls. A snapshot has at most `text_limit` characters of the text of its page."""

    def __init__(self, session: Session, numbers: ElementIdCounter, redactor: PageRedactor, text_limit: int) -> None:
        session.element_index = self.element_index = TargetTabElementIndex(numbers=numbers)
        self.session = session
        self.url = "about:blank"
        """The URL at the last scan."""
        self.redactor = redactor
        self.revision = 0
        """Increases whenever a scan finds that the page has changed since the scan before it."""
        self._text_limit = text_limit
        self._activity = ApiActivityLog(session)
        self._calls: list[ApiCall] = []
        """Requests that are in no message yet."""
        self._texts: list[TextChange] = []
        """Changes of text that are in no message yet."""
        self._last_scan: TabScan | None = None
        self._rendered: TabScan | None = None
        """The scan that the next message has as a snapshot."""
        self._sent: TabScan | None = None
        """The scan of the last snapshot that the model got."""
        self._failure, self._sent_failure = "", ""
        """Why the last scan has failed, and what the model knows of it."""

    def describe_element(self, number: int) -> str:
        """Role and name of an element for a person, as `button "Buy"`; empty if there is no such element."""
        element = (self.element_index.elements or {}).get(number)
        return element_words(element, self.redactor) if element else ""

    @property
    def display_url(self) -> str:
        """The tab's URL as snapshots display it."""
        return display_url(self.url, self.redactor)

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
        return number in self.element_index.reported_ids and self.element_index.elements is not None

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
                return self._record(TabScan(self.url, page.document, dialog=context))
            found = await self.element_index.rescan(page, session.frame, timeout=session.deadline.remaining())
            text = await self._read_text() if self._text_limit else ""
            scan = self._build_scan(found, text)
            candidates = scan.new_rows(self._sent) if self._sent else ()
            unread = await read_unread(page, session.frame, candidates, timeout=session.deadline.remaining())
            tools = await self._tool_names()
            notes = await self._notes()
            self.url = found.url
        self.element_index.record_observation(found.elements[:MAX_ELEMENTS])
        if session.has_person_notes:
            for note in session.person_notes.open:
                self.element_index.mark_reported(numbers_of(note.mark, page.document))
        return self._record(scan.replace(unread=unread, document=page.document, tools=tools, notes=notes))

    async def _tool_names(self) -> tuple[str, ...]:
        session = self.session
        await session.page.tools.refresh(timeout=session.deadline.remaining())
        return (*(tool.name for tool in await session.tools.all()), *session.page.tools.names())

    async def _notes(self) -> tuple[str, ...]:
        """The user's open notes. The page's words for their elements are in the snapshot, as what a page says."""
        session = self.session
        if not session.has_person_notes:
            return ()
        found = session.person_notes.open
        document = await refresh_notes(session, found)
        lines = []
        for note in found:
            note.told = True
            numbers = ", ".join(map(str, numbers_of(note.mark, document)))
            if note.mark.is_region:
                about = place_words(note.mark, document) + (f" with the elements {numbers}" if numbers else "")
            else:
                about = f"element {numbers}" if numbers else "an element that is gone"
            texts = [note.text, *(answer.text for answer in note.answers if answer.author == "person")]
            lines += [person_note(note.number, about, session.mask_text(text)) for text in texts]
        return tuple(lines)

    def _build_scan(self, found: Scan, text: str) -> TabScan:
        bases = {number: frame.url for number, frame in self.element_index.frames.items()}
        rows = {
            each["id"]: element_line(each, bases.get(each["id"], found.url), self.redactor)
            for each in found.elements[:MAX_ELEMENTS]
        }
        focused = tuple(
            each["id"]
            for each in found.elements
            if each["type"] in ("input", "textarea", "select") and "focused" in (each.get("modifiers") or ())
        )
        return TabScan(found.url, "", rows, found.elements, bases, text, focused=focused)

    def _record(self, scan: TabScan) -> TabScan:
        before, self._last_scan = self._last_scan, scan
        self._texts = [*self._texts, *scan.unread.texts][-MAX_TEXT_CHANGES:]
        # Any press takes the focus away from a field: only a field that has got it is an effect.
        if before is None or scan.unread.touched or scan.differs(before) or scan.gains_focus(before):
            self.revision += 1
        return scan

    async def note_meanwhile(self) -> None:
        """Take what has changed by itself before a command, so that it is not taken for the command's effect."""
        session = self.session
        if self._last_scan is None:
            return
        try:
            async with session.turn(session.options.timeout):
                if session.page.dialog is not None:
                    return
                unread = await read_unread(session.page, session.frame, (), timeout=session.deadline.remaining())
            self._texts = [*self._texts, *unread.texts][-MAX_TEXT_CHANGES:]
            if unread.touched:
                await self.scan()
        except OrynError:  # a dialog, a crash or another page, which the next snapshot reports
            return

    async def _read_text(self) -> str:
        """Return all visible text of the page, including frames."""
        session, found = self.session, []
        for position, frame in enumerate(session.page.roots(session.frame)):
            request: GetTextRequest = {"cmd": "get_text", "selector": None}
            try:
                found.append((await query_scanner(session.page, request, frame, session.deadline.remaining()))["text"])
            except FrameNotFound:
                if position == 0:
                    raise
        return "\n".join(filter(None, found))

    async def render_scan(self, scan: TabScan, detail: SnapshotDetail, *, acted: bool) -> str:
        """Render the blocks that a message has for a scan. `acted`: the last command was for this tab, so new elements
        count as a change even if they are in a feed."""
        self._calls += await self._activity.take_new()
        self._failure, sent = "", self._sent
        is_changed = sent is None or bool(self._texts) or scan.differs(sent)
        if sent is not None and acted:
            is_changed = is_changed or any(number not in sent.rows for number in scan.rows)
        if is_changed or detail == "whole":
            self._rendered = scan
            context = scan.dialog or snapshot(
                scan.url,
                scan.elements,
                self.redactor,
                bases=scan.bases,
                page_text=scan.page_text,
                text_limit=self._text_limit,
                changed_text=render_texts(self._texts, [str(each["text"]) for each in scan.elements]),
                tools=scan.tools,
            )
        else:
            context = unchanged_context(scan.url, self.redactor) if detail == "all" else ""
        notes = "\n".join(scan.notes) if is_changed or detail == "whole" else ""
        return join_parts((context, notes, render_activity(self._calls, scan.url, self.redactor)))

    def render_failure(self, reason: str) -> str:
        """Render the blocks that a message has if the tab can't be scanned."""
        self._failure = reason
        return no_snapshot(self.url, reason, self.redactor)

    @property
    def has_update(self) -> bool:
        """Whether the last rendered blocks say anything that no message has said yet."""
        return self._rendered is not None or self._failure not in ("", self._sent_failure)

    def mark_sent(self) -> None:
        """Record that the last rendered blocks are in a message."""
        self._calls, self._sent_failure = [], self._failure
        if self._rendered is not None:
            self._sent, self._rendered, self._texts = self._rendered, None, []


async def render_tab(target: TargetTab, detail: SnapshotDetail, *, acted: bool = False) -> str:
    """Scan a tab and render its blocks. Never raises: if the scan fails, the result is an error message."""
    try:
        return await target.render_scan(await _scan_with_retries(target), detail, acted=acted)
    except OrynError as error:
        return target.render_failure(error.message)


async def _scan_with_retries(target: TargetTab) -> TabScan:
    for _ in range(MAX_SCAN_ATTEMPTS - 1):
        with suppress(NavigationError, FrameNotFound):  # the tab navigated during the scan
            return await target.scan()
    return await target.scan()


async def wait_for_page_change(target: TargetTab, patience: float) -> bool:
    """Return whether the tab differs from its last scan within `patience` seconds. Each sign of change triggers a
    scan."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + patience
    revision = target.revision
    while (left := deadline - loop.time()) > 0:
        try:
            async with target.session.turn(left):
                await wait_for_change(target.session, min(left, MAX_CHANGE_WAIT_SECONDS))
            await target.scan()
        except OrynError:  # a dialog, a crash or another page, which the next snapshot reports
            return True
        if target.revision != revision:
            return True
    return False


async def wait_for_update(target: TargetTab, seconds: float) -> None:
    """Wait, at most `seconds`, until the tab may have changed in a meaningful way."""
    for _ in range(MAX_SCAN_ATTEMPTS):
        try:
            async with target.session.turn(seconds):
                await wait_for_unread(target.session, seconds)
            return
        except FRAME_GONE:  # the new document is waited for
            continue
        except OrynError:
            await asyncio.sleep(min(seconds, RETRY_SECONDS))
            return
