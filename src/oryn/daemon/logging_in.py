"""`login` and `login_done`: a person logs in, in a window, and the session goes on from there (seed 004, Action queue).

While the person is at it no lock is held: other commands of the session run in the window, too. Only to open it and to
take the session back is it the session's turn.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Literal

from oryn.browsers.base.patterns import url_pattern
from oryn.daemon.hosting import Hosting, Open, performs
from oryn.daemon.window import Window, needs_window, require_display
from oryn.engine import Answer
from oryn.engine.actions import page_info, require_no_dialog
from oryn.engine.escape import location, quoted
from oryn.engine.execute.moving import arrived, destination
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
from oryn.language.commands.hosting import InteractiveLogin, LoginDone

if TYPE_CHECKING:
    from oryn.browsers.base import Cookie, Tab
    from oryn.engine import Session

LOGIN_SECONDS = 300.0
"""What a person gets, unless `--timeout` says otherwise."""

CLOSING_SECONDS = 30.0
"""What taking the session back may take."""

WEB = ("http://", "https://")

End = Literal["fits", "said", "closed", "late"]
"""Why a login is over: the URL fits, `login_done`, nobody has the window any more, or the time is over."""


class Kept:
    """The cookies as they were last: with its last window, a browser drops those that have no end."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._reading: asyncio.Task[None] | None = None
        self._news = False
        self._shown = True
        self.cookies: Sequence[Cookie] | None = None

    def look(self, *, shown: bool) -> None:
        """Something has happened; `shown`: there still is a window."""
        self._shown, self._news = shown, shown
        if shown and (self._reading is None or self._reading.done()):
            self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        while self._news:
            self._news = False
            with suppress(OrynError):  # the browser has gone: those before it count
                found = await self._session.browser.cookies()
                if self._shown:
                    self.cookies = found


class Login:
    """One that waits for a person. `where` is the last URL that the person was seen at."""

    def __init__(self, session: Session, command: InteractiveLogin) -> None:
        self._session = session
        self._fits = url_pattern(command.until).search if command.until else None
        self.said = asyncio.Event()
        self.answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self.where = ""
        self.fitting: Tab | None = None
        self.cookies: Sequence[Cookie] | None = None
        """Those that there were before the window was closed; None where it was not."""
        self._kept = Kept(session)

    async def end(self, seconds: float) -> End:
        """Wait for it."""
        watching = asyncio.ensure_future(self._session.browser.tabs_until(self._over, timeout=seconds))
        said = asyncio.ensure_future(self.said.wait())
        try:
            await asyncio.wait((watching, said), return_when=asyncio.FIRST_COMPLETED)
            if self.fitting is not None:
                return "fits"
            if said.done():
                return "said"
            if not watching.result():
                return "late"
            self.cookies = self._kept.cookies
            return "closed"
        finally:
            watching.cancel()
            said.cancel()

    def _over(self, tabs: Sequence[Tab]) -> bool:
        for tab in tabs:
            if tab.current:
                self.where = tab.url
            if self._fits is not None and self._fits(tab.url):
                self.fitting, self.where = tab, tab.url
                return True
        self._kept.look(shown=bool(tabs))
        return not tabs


@performs(InteractiveLogin, opens=True)
async def _login(hosting: Hosting, name: str, command: InteractiveLogin, opened: Open) -> Answer:
    new = name not in hosting.sessions.names
    session = opened()
    if session in hosting.logins:
        raise AlreadyRunning("a person is logging in already", "'login_done' ends that, or the window being closed.")
    hosting.logins[session] = login = Login(session, command)
    answer = None
    try:
        answer = await _performed(hosting, session, command, login)
    except OrynError as error:
        answer = Answer(error=error)
        if new and not session.has_started and hosting.sessions.get(name) is session:
            await hosting.sessions.close_session(name)
    finally:
        del hosting.logins[session]
        if answer is None:  # given up, with the host
            login.answer.cancel()
    login.answer.set_result(session.sent(answer))
    return answer


@performs(LoginDone)
async def _login_done(hosting: Hosting, name: str, command: LoginDone) -> Answer:
    session = hosting.sessions.get(name)
    if session is None:
        raise SessionNotFound.among(hosting.sessions.names)
    login = hosting.logins.get(session)
    if login is None:
        raise NotRunning("nobody is logging in", "'login <url>' opens a window for a person.")
    login.said.set()
    await asyncio.wait([login.answer])
    if login.answer.cancelled():
        raise _closed()
    return login.answer.result().replace(command="")


def _closed() -> SessionNotFound:
    return SessionNotFound("the session was closed while a person was logging in", "The next command opens it anew.")


async def _begin(session: Session, address: str, window: Window | None) -> None:
    """Show the page to the person."""
    await session.started()
    await session.browser.revive()
    require_no_dialog(session)
    url = await destination(session, address)
    if window is not None:
        await window.open()
    else:
        await session.browser.switch_tab(next(tab.number for tab in await session.browser.tabs() if tab.current))
    try:
        with suppress(Timeout):  # the person sees how far it has come
            await session.page.goto(url, timeout=session.remaining())
    except OrynError:
        if window is not None:
            await window.discard()
        raise
    finally:
        session.frame = None


async def _taken_back(session: Session, login: Login, window: Window | None) -> Answer:
    """The session where the person has left it, in its own browser."""
    where = login.where
    try:
        if window is not None:
            await window.give_back(login.cookies)
            if where.startswith(WEB):
                return await arrived(session, await session.page.goto(where, timeout=session.remaining()))
        elif login.fitting is not None and not login.fitting.current:
            await session.browser.switch_tab(login.fitting.number)
        elif login.cookies is not None:
            await session.browser.revive()
            await session.browser.set_cookies(login.cookies)
        session.frame = None
        return Answer(page=await page_info(session))
    except PageError as error:  # what the person did is kept all the same
        return Answer(page=(where, ""), notes=[f"the page is not there: {error}"])


def _told(answer: Answer, login: Login, end: End, command: InteractiveLogin) -> Answer:
    answer.data = {"ended": end}
    at = f"the page is {location(login.where)}" if login.where else "no page was shown"
    match end:
        case "fits":
            answer.notes.append("the person is logged in, as far as the URL tells")
        case "said":
            answer.notes.append("login_done: the person is logged in, as far as they say")
        case "closed" if command.until is not None:
            answer.error = LoginNotDone(f"the window was closed before the URL was {quoted(command.until)}: {at}")
        case "closed":
            answer.notes.append("the window was closed: 'observe' tells whether the person is logged in")
        case "late":
            answer.error = Timeout(
                f"nobody has logged in within {_seconds(command):g} s: {at}",
                "What the person has done is kept: 'login' again, with more --timeout.",
            )
    return answer


def _seconds(command: InteractiveLogin) -> float:
    return LOGIN_SECONDS if command.timeout is None else command.timeout


async def _performed(hosting: Hosting, session: Session, command: InteractiveLogin, login: Login) -> Answer:
    if session.options.policy is not None:
        session.options.policy.check(command)
    if session.browser.elsewhere:
        raise NotSupported(hint="The person logs in in their own browser, which is the session's.")
    window = None
    if needs_window(session):
        require_display()
        window = Window(hosting.sessions, session)
    async with session.turn(session.options.timeout):
        await _begin(session, command.url, window)
    try:
        end = await login.end(_seconds(command))
    except BaseException:  # given up, too: no window stays that nobody waits for
        if window is not None:
            await window.discard()
        raise
    if hosting.sessions.get(session.name) is not session:
        raise _closed()  # with both browsers
    async with session.turn(CLOSING_SECONDS):
        answer = await _taken_back(session, login, window)
    return _told(answer, login, end, command)
