"""What a command has caused besides changes of the page: dialogs, tabs, navigations, for its answer."""

from __future__ import annotations

from oryn.browsers.base import NO_CONTENT_STATUSES, Dialog, Navigation, Page, PageEffects, Tab
from oryn.core.text_safety import plain, quoted
from oryn.engine.output.changes import PageChange, page_line


def event_changes(effects: PageEffects) -> list[PageChange]:
    """Return the changes that are events: dialogs and new tabs."""
    return [
        *map(dialog_change, effects.dialogs),
        *map(_tab_change, effects.tabs),
    ]


def dialog_change(dialog: Dialog) -> PageChange:
    answer = f" ({dialog.answer})" if dialog.answer else ""
    if dialog.kind == "beforeunload" and dialog.answer == "accepted":
        answer = " (accepted: what was not saved is lost)"
    data = {"change": "dialog", "kind": dialog.kind, "message": dialog.message, "answer": dialog.answer}
    return PageChange("+", f"dialog {dialog.kind} {quoted(dialog.message)}{answer}", data)


def _tab_change(tab: Tab) -> PageChange:
    data = {"change": "tab", "number": tab.number, "url": tab.url, "title": tab.title}
    return PageChange("+", f"tab {tab.number} {page_line(tab.url, tab.title)}", data)


def effect_notes(effects: PageEffects) -> list[str]:
    """Return the notes about what a command has caused."""
    notes = []
    if any(dialog.answer is None for dialog in effects.dialogs):
        notes.append("the page waits for the dialog: dialog accept, or dialog dismiss")
    if effects.failed_load:
        notes.append(f"the navigation failed: {effects.failed_load}")
    if effects.navigation:
        notes += http_notes(effects.navigation)
    if effects.no_content:
        notes.append(_no_content_note(effects.no_content))
    if effects.file_chooser:
        notes.append("the page asks for a file: upload <target> <path>")
    if effects.busy:
        notes.append(f"not quiet yet: {effects.busy}")
    return notes


def error_page_notes(page: Page) -> list[str]:
    """Return a note if the page is the browser's own error page, in which commands find no elements."""
    what = page.error_page
    return [] if what is None else [f"this is a page of the browser's own, which commands can't touch: {plain(what)}"]


def http_notes(navigation: Navigation) -> list[str]:
    """Return `HTTP 404 Not Found` for a response that is an error, and a note on one without a document."""
    if navigation.status in NO_CONTENT_STATUSES:
        return [_no_content_note(navigation.status)]
    if navigation.status is not None and navigation.status >= 400:
        return [f"HTTP {navigation.status} {plain(navigation.status_text)}".rstrip()]
    return []


def _no_content_note(status: int) -> str:
    return f"the server answered {status}, without a page: this one stays"
