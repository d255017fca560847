"""An action on a page: records the page's state before it, and reports what it changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from oryn import errors
from oryn.browsers.base import Dialog, Navigation, Page, PageEffects, Tab
from oryn.core.text_safety import plain, quoted
from oryn.engine.output.answer import Answer
from oryn.engine.page import changes
from oryn.engine.page.changes import PageChange, page_line
from oryn.engine.page.element_index import query_scanner
from oryn.engine.page.elements import Element

if TYPE_CHECKING:
    from oryn.engine.session import Session


class Action:
    """The state of a page before an action, and the report of what the action changed.

    action = await Action.begin(session)
    await session.page.keyboard.press(["enter"])
    return await action.report()"""

    def __init__(self, session: Session, page: Page) -> None:
        self.session = session
        self.page = page
        self.view = session.view
        self.mark = self.page.mark()
        self.url = self.page.url
        self.document = self.page.document
        self.title = self.view.title
        self.before: dict[int, Element] = {}

    @classmethod
    async def begin(cls, session: Session) -> Action:
        """Record the page's state; scan it unless it was scanned already. Changes are compared with what the agent has
        seen last."""
        page, view = session.enter_page(), session.view
        if view.elements is None:
            await view.refresh(page, session.frame, timeout=session.deadline.remaining())
        action = cls(session, page)
        action.before = session.view.elements or {}
        return action

    async def report(self, notes: Sequence[str] = (), happened: PageEffects | None = None) -> Answer:
        """Wait until the effects of the action have ended, scan again, and report the differences.

        `happened`: the effects that the caller has already waited for; this method doesn't wait then."""
        if happened is None:
            limit = min(self.session.options.settle_limit, self.session.deadline.remaining())
            happened = await self.page.settle(self.mark, limit=limit)
        answer = Answer(notes=[*notes, *_notes(happened)])
        answer.changes += _event_changes(happened)
        if self.session.browser.downloads():
            await add_downloads(self.session, answer)
        if happened.closed:
            self.session.frame = None
            answer.changes.append(PageChange("-", "tab", {"change": "tab_closed"}))
        page = self.session.page
        if page.dialog is None:
            await self._compare(answer, page)
        return answer

    async def _compare(self, answer: Answer, page: Page) -> None:
        session, view = self.session, self.view
        view.enter(page)
        if view.document != self.document or page is not self.page:
            session.frame = None
            info = await page_info(session)
            answer.changes.insert(0, changes.page_changed(*info))
            return
        after = await view.refresh(page, session.frame, timeout=session.deadline.remaining())
        found, answer.more_changes = changes.diff_elements(self.before, after)
        if page.url != self.url:
            found.insert(0, changes.url_changed(self.url, page.url))
            if view.title != self.title:
                found.insert(1, changes.title_changed(view.title))
        view.record_changes(found)
        answer.changes += found


async def page_info(session: Session) -> tuple[str, str]:
    """Return URL and title of the current page."""
    data = await query_scanner(session.page, {"cmd": "page"}, None, session.deadline.remaining())
    return data["url"], data["title"]


def _event_changes(happened: PageEffects) -> list[PageChange]:
    return [
        *map(dialog_change, happened.dialogs),
        *map(_tab_change, happened.tabs),
    ]


async def add_downloads(session: Session, answer: Answer) -> None:
    from oryn.engine.files import downloads

    limit = min(session.options.settle_limit, session.deadline.remaining())
    found, notes = await downloads.report_downloads(session.browser, session.reported_downloads, timeout=limit)
    answer.changes += found
    answer.notes += notes


def dialog_change(dialog: Dialog) -> PageChange:
    answer = f" ({dialog.answer})" if dialog.answer else ""
    data = {"change": "dialog", "kind": dialog.kind, "message": dialog.message, "answer": dialog.answer}
    return PageChange("+", f"dialog {dialog.kind} {quoted(dialog.message)}{answer}", data)


def _tab_change(tab: Tab) -> PageChange:
    data = {"change": "tab", "number": tab.number, "url": tab.url, "title": tab.title}
    return PageChange("+", f"tab {tab.number} {page_line(tab.url, tab.title)}", data)


def _notes(happened: PageEffects) -> list[str]:
    notes = []
    if any(dialog.answer is None for dialog in happened.dialogs):
        notes.append("the page waits for the dialog: dialog accept, or dialog dismiss")
    if happened.failed_load:
        notes.append(f"the navigation failed: {happened.failed_load}")
    if happened.navigation:
        notes += http_notes(happened.navigation)
    if happened.file_chooser:
        notes.append("the page asks for a file: upload <target> <path>")
    if happened.busy:
        notes.append(f"not quiet yet: {happened.busy}")
    return notes


def error_page_notes(page: Page) -> list[str]:
    """Return a note if the page is the browser's own error page, in which commands find no elements."""
    what = page.error_page
    return [] if what is None else [f"this is a page of the browser's own, which commands can't touch: {plain(what)}"]


def http_notes(navigation: Navigation) -> list[str]:
    """Return `HTTP 404 Not Found` for a response that is an error."""
    if navigation.status is not None and navigation.status >= 400:
        return [f"HTTP {navigation.status} {plain(navigation.status_text)}".rstrip()]
    return []


def require_no_dialog(session: Session) -> None:
    """Raise `DialogOpen` while a dialog blocks the page."""
    if dialog := session.page.dialog:
        raise errors.DialogOpen(
            f"a dialog is open: {dialog.kind} {quoted(dialog.message)}", "Answer it: dialog accept, or dialog dismiss."
        )
