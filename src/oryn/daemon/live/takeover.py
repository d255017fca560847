"""A person takes a session over: the WebSocket of the live page that carries their input.

The takeover lasts as long as the connection. Messages of the page are in `person_input`; the daemon sends

* `{"type": "waiting"}` while a command of the agent has to end first,
* `{"type": "taken", "token", "since"}` from when on input is delivered; requests with the token (`Oryn-Takeover`) are
  the person's own and don't wait,
* `{"type": "page", "tabs", "dialog"}` when the tabs or the page's dialog change,
* `{"type": "error", "error", "error_kind", "hint"}` if a message could not be delivered,
* `{"type": "ended", "error", "error_kind", "hint"}` before it closes the connection."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocketDisconnect

from oryn.browsers.base import Dialog, Tab
from oryn.core.records import Record
from oryn.daemon.live.login_links import SUBPROTOCOL
from oryn.daemon.live.person_input import GiveBack, MouseMove, PersonMessage, read_message
from oryn.daemon.protocol import error_kind
from oryn.errors import NotSupported, OrynError, SessionNotFound
from oryn.system.paths import SESSION_NAME

if TYPE_CHECKING:
    from starlette.routing import BaseRoute
    from starlette.websockets import WebSocket

    from oryn.daemon.dispatcher import Dispatcher
    from oryn.daemon.live.person_acts import PersonActs
    from oryn.daemon.live.screencasts import ScreencastHub
    from oryn.engine import Session
    from oryn.engine.takeover import Takeover

WATCH_SECONDS = 3600.0
TURN_SECONDS = 30.0
"""Seconds that starting the session's browser may take, and saving what the person has changed."""
MAX_QUEUED_MESSAGES = 1_000
"""Messages that may wait for a busy page; a connection that sends more is not read until some are delivered."""
TAKEOVER_NOTE = "a person took over this session meanwhile; the page may have changed: run 'observe'"


def takeover_routes(dispatcher: Dispatcher, screencasts: ScreencastHub) -> list[BaseRoute]:
    """The route of the WebSocket."""

    async def take_over(socket: WebSocket) -> None:
        offered = socket.scope.get("subprotocols", ())
        await socket.accept(SUBPROTOCOL if SUBPROTOCOL in offered else None)
        connection = TakeoverConnection(dispatcher, screencasts, socket, socket.path_params["name"])
        try:
            await connection.serve()
        except WebSocketDisconnect:
            pass
        except OrynError as error:
            with suppress(WebSocketDisconnect, RuntimeError):  # Starlette raises them for a closed connection
                await connection.send("ended", **error_fields(error))
                await socket.close()

    return [WebSocketRoute("/sessions/{name}/takeover", take_over)]


def error_fields(error: OrynError) -> dict[str, str | None]:
    """The fields of a message that reports an error."""
    return {"error": error.message, "error_kind": error_kind(error), "hint": error.hint}


class PageReport(Record):
    """What the person has to know of the session besides its picture."""

    tabs: Sequence[Tab]
    dialog: Dialog | None


class TakeoverConnection:
    """The connection of a person who takes the session `name` over."""

    def __init__(self, dispatcher: Dispatcher, screencasts: ScreencastHub, socket: WebSocket, name: str) -> None:
        self._dispatcher = dispatcher
        self._sessions = dispatcher.sessions
        self._events = dispatcher.events
        self._screencasts = screencasts
        self._socket = socket
        self._name = name
        self._messages: asyncio.Queue[PersonMessage] = asyncio.Queue(MAX_QUEUED_MESSAGES)
        self._sending = asyncio.Lock()

    async def serve(self) -> None:
        """Take the session over until the person gives it back, or the connection is lost. Raises `OrynError` if that
        is impossible."""
        session = self._find_session()
        takeover = session.control.take(secrets.token_urlsafe(32))
        self._events.publish("session.taken_over", session.owner, session=self._name)
        reading = asyncio.create_task(self._read())
        returned = False
        try:
            await self._begin(session, reading)
            session.control.note_person()
            await self.send("taken", token=takeover.token, since=takeover.since)
            returned = await self._drive(session, takeover, reading)
        finally:
            reading.cancel()
            session.control.release(takeover, returned=returned)
            self._events.publish("session.given_back", session.owner, session=self._name)
            await self._finish(session)
        with suppress(WebSocketDisconnect, RuntimeError):
            await self.send("ended", error=None, error_kind=None, hint=None)
            await self._socket.close()

    async def send(self, type: str, **fields: Any) -> None:
        """Send a message. Raises `WebSocketDisconnect`."""
        async with self._sending:
            await self._socket.send_text(json.dumps({"type": type, **fields}, separators=(",", ":")))

    def _find_session(self) -> Session:
        names = self._sessions.own_of([*self._sessions.names, *self._sessions.dormant])
        if SESSION_NAME.fullmatch(self._name) is None or self._name not in names:
            raise SessionNotFound.among(names)
        session = self._sessions.get_or_open(self._name, {})
        if session.browser.is_external:
            raise NotSupported("the session is in your own browser", "Use it there.")
        return session

    def _require_open(self, session: Session) -> None:
        if self._sessions.get(self._name) is not session:
            raise SessionNotFound(f"the session {self._name} was closed", "Choose another one, or open it again.")

    async def _begin(self, session: Session, reading: asyncio.Task[None]) -> None:
        """Wait until no command of the agent runs, and start the browser. Raises `WebSocketDisconnect` if the person
        leaves meanwhile."""
        if session.is_busy:
            await self.send("waiting")
        starting = asyncio.create_task(self._prepare(session))
        await asyncio.wait((starting, reading), return_when=asyncio.FIRST_COMPLETED)
        if not starting.done():
            starting.cancel()
            raise WebSocketDisconnect
        await starting

    async def _prepare(self, session: Session) -> None:
        async with session.turn(TURN_SECONDS):
            self._require_open(session)
            await session.startup.ensure_started()
            await session.browser.revive()
            if not session.page.sends_pictures:
                raise NotSupported("this session's browser sends no pictures", "Only sessions of headless mode do.")
        await self._screencasts.follow(self._name)

    async def _finish(self, session: Session) -> None:
        """Save what the person has changed, and note for the agent that something may have changed."""
        if self._sessions.get(self._name) is not session:
            return  # it was closed
        session.pending_notes.append(TAKEOVER_NOTE)
        await self._screencasts.follow(self._name)
        async with session.turn(TURN_SECONDS):
            pass  # the end of a turn saves the session

    # --- while it lasts ---

    async def _report_page(self, report: PageReport) -> None:
        session = self._sessions.get(self._name)
        mask = session.mask_text if session is not None else str
        dialog = report.dialog
        await self.send(
            "page",
            tabs=[
                {"number": tab.number, "title": mask(tab.title), "url": mask(tab.url), "current": tab.current}
                for tab in report.tabs
            ],
            dialog=dialog and {"kind": dialog.kind, "message": mask(dialog.message), "default": dialog.default},
        )
        await self._screencasts.follow(self._name)

    async def _drive(self, session: Session, takeover: Takeover, reading: asyncio.Task[None]) -> bool:
        """Deliver the person's input until the takeover ends; whether the person has given the session back. Raises
        what has ended it otherwise."""
        from oryn.daemon.live.person_acts import PersonActs  # seldom needed, and large

        person = PersonActs(self._dispatcher, session)
        delivering = asyncio.create_task(self._deliver(person))
        watching = asyncio.create_task(PageWatcher(session, self._report_page).run())
        ended = asyncio.create_task(takeover.ended.wait())
        tasks: tuple[asyncio.Task[Any], ...] = (delivering, watching, ended, reading)
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await person.release()
        if delivering not in done:
            self._require_open(session)  # a better reason than that its browser has ended
        for task in done:
            task.result()
        return delivering in done

    async def _read(self) -> None:
        """Queue the person's messages until the connection is closed."""
        with suppress(WebSocketDisconnect):
            while True:
                try:
                    message = read_message(await self._socket.receive_text())
                except OrynError as error:
                    await self.send("error", **error_fields(error))
                except KeyError:
                    continue  # binary
                else:
                    await self._messages.put(message)

    async def _deliver(self, person: PersonActs) -> None:
        """Deliver messages in their order, until the person gives the session back. Moves that others follow are left
        out, so that a slow page is not flooded."""
        while True:
            message = await self._messages.get()
            if isinstance(message, GiveBack):
                return
            if isinstance(message, MouseMove) and not self._messages.empty():
                continue
            try:
                await person.deliver(message)
            except OrynError as error:
                await self.send("error", **error_fields(error))


class PageWatcher:
    """Reports the tabs and the dialog of a session to the person, and brings new tabs to the front."""

    def __init__(self, session: Session, report: Callable[[PageReport], Awaitable[None]]) -> None:
        self._session = session
        self._report = report
        self._numbers: set[int] | None = None
        self._last: Any = None

    async def run(self) -> None:
        """Report until the session's browser has ended, or its page has crashed."""
        browser = self._session.browser
        while True:
            if not await browser.wait_for_tabs(self._has_changed, timeout=WATCH_SECONDS):
                continue
            if browser.lost or not browser.open_tabs() or browser.page.crashed:
                return
            await self._show_new_tab(browser.open_tabs())
            self._last = self._state(browser.open_tabs())
            await self._report(PageReport(await browser.tabs(), browser.page.dialog))

    async def _show_new_tab(self, tabs: Sequence[Tab]) -> None:
        before, self._numbers = self._numbers, {tab.number for tab in tabs}
        if before is not None and (new := self._numbers - before):
            await self._session.browser.switch_tab(max(new))

    def _has_changed(self, tabs: Sequence[Tab]) -> bool:
        return not tabs or self._state(tabs) != self._last

    def _state(self, tabs: Sequence[Tab]) -> tuple[Any, ...]:
        try:
            dialog = self._session.page.dialog
        except OrynError:  # there is no tab
            dialog = None
        return tuple((tab.number, tab.url, tab.current) for tab in tabs), dialog
