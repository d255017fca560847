"""Doing something to a page and saying what it changed: the frame around every action's handler."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from oryn import errors
from oryn.browsers.base import Dialog, Happened, Navigation, Page, Tab
from oryn.engine import changes
from oryn.engine.answer import Answer
from oryn.engine.changes import Change, page_line
from oryn.engine.elements import Element
from oryn.engine.escape import plain, quoted
from oryn.engine.view import ask

if TYPE_CHECKING:
    from oryn.engine.session import Session


class Action:
    """What was before an action, and the report of what is after it.

    action = await Action.begin(session)
    await session.page.press(["enter"])
    return await action.report()
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.page = session.page
        self.view = session.view
        self.mark = self.page.mark()
        self.url = self.page.url
        self.document = self.page.document
        self.title = self.view.title
        self.before: dict[int, Element] = {}

    @classmethod
    async def begin(cls, session: Session) -> Action:
        """Look at the page unless it is known already: changes are measured from what the agent was last told."""
        session.view.enter(session.page)
        if session.view.elements is None:
            await session.view.refresh(session.page, session.frame, timeout=session.remaining())
        action = cls(session)
        action.before = session.view.elements or {}
        return action

    async def report(self, notes: Sequence[str] = (), happened: Happened | None = None) -> Answer:
        """Wait until what the action started has ended, unless that is what `happened`, look again, and say what is
        different."""
        if happened is None:
            limit = min(self.session.options.settle_limit, self.session.remaining())
            happened = await self.page.settle(self.mark, limit=limit)
        answer = Answer(notes=[*notes, *_notes(happened)])
        answer.changes += _events(happened)
        if self.session.browser.downloads():
            await add_downloads(self.session, answer)
        if happened.closed:
            self.session.frame = None
            answer.changes.append(Change("-", "tab", {"change": "tab_closed"}))
        if self.session.page.dialog is None:
            await self._compare(answer)
        return answer

    async def _compare(self, answer: Answer) -> None:
        session, page, view = self.session, self.session.page, self.view
        view.enter(page)
        if view.document != self.document or page is not self.page:
            session.frame = None
            info = await page_info(session)
            answer.changes.insert(0, changes.page_changed(*info))
            return
        after = await view.refresh(page, session.frame, timeout=session.remaining())
        found, answer.more_changes = changes.between(self.before, after)
        if page.url != self.url:
            found.insert(0, changes.url_changed(self.url, page.url))
            if view.title != self.title:
                found.insert(1, changes.title_changed(view.title))
        view.report(found)
        answer.changes += found


async def page_info(session: Session) -> tuple[str, str]:
    """URL and title of the page that is there now."""
    data = await ask(session.page, {"cmd": "page"}, None, session.remaining())
    return data["url"], data["title"]


def _events(happened: Happened) -> list[Change]:
    return [
        *map(dialog_change, happened.dialogs),
        *map(_tab_change, happened.tabs),
    ]


async def add_downloads(session: Session, answer: Answer) -> None:
    from oryn.engine import downloads

    found, notes = await downloads.news(session)
    answer.changes += found
    answer.notes += notes


def dialog_change(dialog: Dialog) -> Change:
    answer = f" ({dialog.answer})" if dialog.answer else ""
    data = {"change": "dialog", "kind": dialog.kind, "message": dialog.message, "answer": dialog.answer}
    return Change("+", f"dialog {dialog.kind} {quoted(dialog.message)}{answer}", data)


def _tab_change(tab: Tab) -> Change:
    data = {"change": "tab", "number": tab.number, "url": tab.url, "title": tab.title}
    return Change("+", f"tab {tab.number} {page_line(tab.url, tab.title)}", data)


def _notes(happened: Happened) -> list[str]:
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
    """What stands in the place of a page that did not load, and why it has no elements."""
    what = page.error_page
    return [] if what is None else [f"this is a page of the browser's own, which commands can't touch: {plain(what)}"]


def http_notes(navigation: Navigation) -> list[str]:
    """`HTTP 404 Not Found` for an answer that is an error."""
    if navigation.status is not None and navigation.status >= 400:
        return [f"HTTP {navigation.status} {plain(navigation.status_text)}".rstrip()]
    return []


def require_no_dialog(session: Session) -> None:
    """Raises `DialogOpen` while a dialog keeps the page from answering."""
    if dialog := session.page.dialog:
        raise errors.DialogOpen(
            f"a dialog is open: {dialog.kind} {quoted(dialog.message)}", "Answer it: dialog accept, or dialog dismiss."
        )
