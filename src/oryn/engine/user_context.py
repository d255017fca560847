"""Limits of a session in the context of its browser's user (`Browser.has_foreign_tabs`), whatever the settings say.

The user's tabs are no pages that the session has opened, so nothing has checked their addresses, and its domains hold
as a limit on acts alone. What would end or replace something of the user's waits for a person's confirmation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.engine.output.changes import page_line
from oryn.engine.policy.urls import check_address
from oryn.errors import OrynError
from oryn.language import (
    Back,
    Command,
    CookiesClear,
    Forward,
    Goto,
    StateLoad,
    StorageClear,
    TabClose,
    TabNew,
    TabRelease,
    Tabs,
    TabSwitch,
    TabTake,
)

if TYPE_CHECKING:
    from oryn.browsers.base import Tab
    from oryn.engine.session import Session

_LISTING = (Tabs, TabNew, TabRelease, TabClose)
_LEAVING = (*_LISTING, Goto, Back, Forward)
_BLANK = ("", "about:blank")


def check_user_context(session: Session, command: Command, describe: str) -> None:
    """Check a command whose browser runs, before it begins.

    describe: the command as a person reads it. Raises `UrlNotAllowed` and `DomainNotAllowed` if it acts on a tab whose
    page no command may open, and `ConfirmationRequired`."""
    rows = {tab.number: tab for tab in session.browser.open_tabs()}
    current = next((tab for tab in rows.values() if tab.current), None)
    if isinstance(command, TabSwitch | TabTake):
        _check_tab(session, rows.get(command.number))
    elif current is not None and current.own:
        # The first request of a pop-up may have been under way before the session's domains applied to it.
        if not isinstance(command, _LEAVING) and session.options.policy is not None and current.url not in _BLANK:
            session.options.policy.check_url(current.url)
    elif not isinstance(command, _LISTING):
        _check_tab(session, current)
    closed = None
    if isinstance(command, TabClose):
        closed = current if command.number is None else rows.get(command.number)
    if what := _endangered(session, command, closed):
        session.confirmations.require(command, lambda: f"{describe}, {what},")


def _check_tab(session: Session, tab: Tab | None) -> None:
    if tab is None or tab.own or tab.url in _BLANK:
        return
    check_address(tab.url, session.files, session.browser.mode)
    if session.options.policy is not None:
        session.options.policy.check_url(tab.url)


def _endangered(session: Session, command: Command, closed: Tab | None) -> str | None:
    """What of the user's a command would end or replace; None if nothing."""
    match command:
        case CookiesClear():
            return "which logs the browser's user out everywhere"
        case StateLoad():
            return "which changes cookies and storage of the browser's user"
        case StorageClear():
            return f"which empties the user's storage of {_site(session)}"
        case TabClose() if closed is not None and not closed.own:
            return f"a tab that this session has not opened ({page_line(closed.url, closed.title)})"
    return None


def _site(session: Session) -> str:
    try:
        return page_line(session.page.url, "").partition(" ")[0]
    except OrynError:
        return "this page"
