"""`login` and `login_done`: a person logs in in a window, and the session continues from there. Without a display the
person takes the session over on the live page instead.

The session's lock is not held while the person logs in: other commands of the session run in the window too. The
handlers take the session's turn only to open the window and to restore the session."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Literal
from weakref import WeakKeyDictionary

from oryn.core.text_safety import location, quoted
from oryn.core.urls import url_pattern
from oryn.daemon.command_stream import STREAM
from oryn.daemon.host_commands import DAEMON_COMMANDS, HostCommands, SessionOpener
from oryn.daemon.login.window import LoginWindow, has_display, needs_window, require_pictures
from oryn.engine import Answer
from oryn.engine.handlers.navigation import destination, navigation_answer
from oryn.engine.page.context import page_info, require_no_dialog
from oryn.engine.runner import prepare_answer
from oryn.errors import (
    AlreadyRunning,
    LoginNotDone,
    NotRunning,
    NotSupported,
    OrynError,
    PageError,
    SessionNotFound,
    Timeout,
)
from oryn.language.commands.host import InteractiveLogin, LoginDone

if TYPE_CHECKING:
    from oryn.browsers.base import Cookie, Tab
    from oryn.engine import Session

LOGIN_SECONDS = 300.0
"""Seconds that a person gets, unless `--timeout` is given."""

CLOSING_SECONDS = 30.0
"""Seconds that restoring the session may take."""

WEB_SCHEMES = ("http://", "https://")

LoginEnd = Literal["fits", "said", "closed", "returned", "late"]
"""Why a login ended: the URL matches `--until`, `login_done` was sent, the window was closed, the person gave the
session back on the live page, or the time is over."""


class CookieWatcher:
    """The latest cookies of the browser. They are read while it runs, as it drops session cookies when its last window
    closes."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._reading: asyncio.Task[None] | None = None
        self._changed = False
        self._has_window = True
        self.cookies: Sequence[Cookie] | None = None

    def refresh(self, *, has_window: bool) -> None:
        """Read the cookies again, as something has changed; `has_window`: whether a window is still open."""
        self._has_window, self._changed = has_window, has_window
        if has_window and (self._reading is None or self._reading.done()):
            self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        while self._changed:
            self._changed = False
            with suppress(OrynError):  # the browser has ended: the cookies read before remain
                found = await self._session.browser.cookies()
                if self._has_window:
                    self.cookies = found


class PendingLogin:
    """A login that waits for a person. `last_url` is the last URL that the window was seen at."""

    def __init__(self, session: Session, command: InteractiveLogin) -> None:
        self._session = session
        self._matches = url_pattern(command.until).search if command.until else None
        self.url = command.url
        self.is_live = False
        """Whether the person logs in on the live page, without a window."""
        self.done_requested = asyncio.Event()
        self._returned = asyncio.Event()
        self.answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self.last_url = ""
        self.matching_tab: Tab | None = None
        self.cookies: Sequence[Cookie] | None = None
        """The cookies from before the window was closed; None if it was not closed."""
        self._cookie_watcher = CookieWatcher(session)

    async def wait(self, seconds: float) -> LoginEnd:
        """Wait for the login to end, for at most `seconds`; return why it ended."""
        watching = asyncio.ensure_future(self._session.browser.wait_for_tabs(self._over, timeout=seconds))
        confirmed = asyncio.ensure_future(self.done_requested.wait())
        returned = asyncio.ensure_future(self._returned.wait())
        self._session.control.on_return.append(self._returned.set)
        try:
            await asyncio.wait((watching, confirmed, returned), return_when=asyncio.FIRST_COMPLETED)
            if self.matching_tab is not None:
                return "fits"
            if confirmed.done():
                return "said"
            if self.is_live and returned.done():
                return "returned"
            if not watching.result():
                return "late"
            self.cookies = self._cookie_watcher.cookies
            return "closed"
        finally:
            self._session.control.on_return.remove(self._returned.set)
            for task in (watching, confirmed, returned):
                task.cancel()

    def _over(self, tabs: Sequence[Tab]) -> bool:
        for tab in tabs:
            if tab.current:
                self.last_url = tab.url
            if self._matches is not None and self._matches(tab.url):
                self.matching_tab, self.last_url = tab, tab.url
                return True
        self._cookie_watcher.refresh(has_window=bool(tabs))
        return not tabs


_pending_logins: WeakKeyDictionary[Session, PendingLogin] = WeakKeyDictionary()


def awaited_login(session: Session) -> str | None:
    """The URL at which a person is to log in on the live page; None if no such login is in progress."""
    login = _pending_logins.get(session)
    return login.url if login is not None and login.is_live else None


@DAEMON_COMMANDS.handles(InteractiveLogin)
async def _login(host: HostCommands, name: str, command: InteractiveLogin, opener: SessionOpener) -> Answer:
    new = name not in host.sessions.names
    session = opener()
    if session in _pending_logins:
        raise AlreadyRunning("a person is logging in already", "'login_done' ends that, or the window being closed.")
    _pending_logins[session] = login = PendingLogin(session, command)
    answer = None
    try:
        answer = await _perform_login(host, session, command, login)
    except OrynError as error:
        answer = Answer(error=error)
        if new and not session.startup.has_started and host.sessions.get(name) is session:
            await host.sessions.close_session(name)
    finally:
        del _pending_logins[session]
        if answer is None:  # cancelled, as the host ends
            login.answer.cancel()
    login.answer.set_result(prepare_answer(session, answer))
    return answer


@DAEMON_COMMANDS.handles(LoginDone)
async def _login_done(host: HostCommands, name: str, command: LoginDone, opener: SessionOpener) -> Answer:
    session = host.sessions.get_own(name)
    if session is None:
        raise SessionNotFound.among(host.sessions.own_of(host.sessions.names))
    login = _pending_logins.get(session)
    if login is None:
        raise NotRunning("no login is in progress", "'login <url>' opens a window for a person.")
    login.done_requested.set()
    await asyncio.wait([login.answer])
    if login.answer.cancelled():
        raise _session_closed()
    return login.answer.result().replace(command="")


def _session_closed() -> SessionNotFound:
    return SessionNotFound("the session was closed while a person was logging in", "The next command opens it again.")


async def _show_page(session: Session, address: str, window: LoginWindow | None) -> None:
    """Show the page at `address` to the person, in `window` if it is not None."""
    await session.startup.ensure_started()
    await session.browser.revive()
    if window is None and needs_window(session):
        require_pictures(session)
    require_no_dialog(session)
    url = await destination(session, address)
    if window is not None:
        await window.open()
    else:
        await session.browser.switch_tab(next(tab.number for tab in await session.browser.tabs() if tab.current))
    try:
        with suppress(Timeout):  # the person sees the page load
            await session.page.goto(url, timeout=session.deadline.remaining())
    except OrynError:
        if window is not None:
            await window.discard()
        raise
    finally:
        session.frame = None


async def _restore_session(session: Session, login: PendingLogin, window: LoginWindow | None) -> Answer:
    """Continue the session from where the person left it, in its own browser."""
    where = login.last_url
    try:
        if window is not None:
            await window.hand_back(login.cookies)
            if where.startswith(WEB_SCHEMES):
                return await navigation_answer(
                    session, await session.page.goto(where, timeout=session.deadline.remaining())
                )
        elif login.matching_tab is not None and not login.matching_tab.current:
            await session.browser.switch_tab(login.matching_tab.number)
        elif login.cookies is not None:
            await session.browser.revive()
            await session.browser.set_cookies(login.cookies)
        session.frame = None
        return Answer(page=await page_info(session))
    except PageError as error:  # the cookies of the login are restored nevertheless
        return Answer(page=(where, ""), notes=[f"the page is not there: {error}"])


def _report(answer: Answer, login: PendingLogin, end: LoginEnd, command: InteractiveLogin) -> Answer:
    answer.data = {"ended": end}
    at = f"the page is {location(login.last_url)}" if login.last_url else "no page was shown"
    match end:
        case "fits":
            answer.notes.append("the URL matches: the person appears to be logged in")
        case "said":
            answer.notes.append("login_done: the person reported that they are logged in")
        case "returned" if command.until is not None:
            answer.error = LoginNotDone(
                f"the person gave the session back before the URL was {quoted(command.until)}: {at}"
            )
        case "returned":
            answer.notes.append("the person gave the session back: run 'observe' to see whether they are logged in")
        case "closed" if command.until is not None:
            answer.error = LoginNotDone(f"the window was closed before the URL was {quoted(command.until)}: {at}")
        case "closed":
            answer.notes.append("the window was closed: run 'observe' to see whether the person is logged in")
        case "late":
            answer.error = Timeout(
                f"no login within {_seconds(command):g} s: {at}",
                "The person's progress is saved: run 'login' again with more --timeout.",
            )
    return answer


async def _call_person(host: HostCommands, session: Session) -> None:
    """Notify the live page, and the client that waits for the login, that a person is needed."""
    host.events.publish("login.waiting", session.owner, session=session.name)
    if (stream := STREAM.get()) is not None:
        await stream.notice(
            f"there is no display for a window: run 'oryn open', and take over the session {session.name} to log in"
        )


def _seconds(command: InteractiveLogin) -> float:
    return LOGIN_SECONDS if command.timeout is None else command.timeout


async def _perform_login(
    host: HostCommands, session: Session, command: InteractiveLogin, login: PendingLogin
) -> Answer:
    if session.options.policy is not None:
        session.options.policy.check(command)
    if session.browser.is_external:
        raise NotSupported(hint="The person logs in in their own browser, which is the session's.")
    window = None
    if needs_window(session) and has_display():
        window = LoginWindow(host.sessions, session)
    async with session.turn(session.options.timeout):
        await _show_page(session, command.url, window)
    if window is None and needs_window(session):
        login.is_live = True
        await _call_person(host, session)
    try:
        end = await login.wait(_seconds(command))
    except BaseException:  # also on cancellation: close the window
        if window is not None:
            await window.discard()
        raise
    if host.sessions.get(session.name) is not session:
        raise _session_closed()  # closing the session has closed both browsers
    if login.is_live and end != "late" and (takeover := session.control.takeover) is not None:
        session.control.release(takeover, returned=True)
    async with session.turn(CLOSING_SECONDS):
        answer = await _restore_session(session, login, window)
    return _report(answer, login, end, command)
