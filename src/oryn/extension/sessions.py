"""The sessions of a browser: `default`, on the active tab, and one for each tab that a line names (`@tab2 click 3`).

Each has element numbers of its own. They belong to one connection: the next connection begins with new sessions."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import Callable
from typing import Protocol

from oryn.engine import Session
from oryn.engine.session_host import SessionInfo
from oryn.errors import NotSupported, SessionNotFound, TabNotFound

log = logging.getLogger(__name__)

DEFAULT = "default"
CLOSING_SECONDS = 5.0
"""How long sessions may take to release their tabs; the next sessions wait for that."""

_OF_TAB = re.compile(r"tab([1-9][0-9]{0,8})", re.ASCII)


class TabLookup(Protocol):
    """The tabs, without a query to the browser."""

    @property
    def active(self) -> int | None:
        """The number of the active tab of the window that had the focus last."""

    def has(self, number: int, /) -> bool:
        """Whether commands may reach a tab of this number."""

    def on_left(self) -> None:
        """A command has ended, perhaps in a tab that commands may no longer reach."""


def tab_of(name: str | None) -> int | None:
    """The number of the tab in a session's name; None if it names no tab."""
    found = _OF_TAB.fullmatch(name or "")
    return int(found[1]) if found else None


class TabSessions:
    """The open sessions: the `SessionHost` of each."""

    def __init__(self, tabs: TabLookup, create: Callable[[str, int | None], Session]) -> None:
        """`create` takes the name of a session, and the number of its tab; None for the active one."""
        self._tabs = tabs
        self._create = create
        self._open: dict[str, tuple[Session, str]] = {}
        self._closing: asyncio.Task[None] | None = None

    async def session_for(self, tab: int | None) -> Session:
        """The session of a tab, or the default one. Raises `TabNotFound`."""
        if self._closing is not None:
            await asyncio.shield(self._closing)
        if tab is None:
            return self._session(DEFAULT, None)
        name = f"tab{tab}"
        if not self._tabs.has(tab):
            await self._close(name)
            raise TabNotFound("tab not found", "Run 'tabs' to see which there are.")
        return self._session(name, tab)

    def _session(self, name: str, tab: int | None) -> Session:
        if name not in self._open:
            session = self._create(name, tab)
            session.host = self
            self._open[name] = session, time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        return self._open[name][0]

    @property
    def default(self) -> Session:
        """The default session."""
        return self._session(DEFAULT, None)

    def close_after(self, running: set[asyncio.Task[None]]) -> None:
        """Close all sessions as soon as the tasks in `running` have ended. `session_for` waits for that meanwhile, and
        returns a new session."""
        opened, self._open = self._open, {}
        if opened:
            sessions = [session for session, _ in opened.values()]
            self._closing = asyncio.create_task(self._end(sessions, running, self._closing))

    async def _end(
        self, sessions: list[Session], running: set[asyncio.Task[None]], before: asyncio.Task[None] | None
    ) -> None:
        try:
            async with asyncio.timeout(CLOSING_SECONDS):
                if before is not None:
                    await asyncio.wait([before])
                if running:
                    await asyncio.wait(running)
                await asyncio.gather(*(session.close() for session in sessions))
        except TimeoutError:
            log.warning("%d sessions did not end in time", len(sessions))
        except Exception:  # failures of old sessions must not prevent new ones
            log.exception("sessions did not end well")

    async def _close(self, name: str) -> bool:
        """Close a session; whether there was one."""
        session, _ = self._open.pop(name, (None, ""))
        if session is not None:
            await session.close()
        return session is not None

    # --- `engine.host_port.SessionHost` ---

    def session_infos(self, by: Session | None = None) -> list[SessionInfo]:
        return [
            SessionInfo(name, session.browser.mode, started, name == DEFAULT)
            for name, (session, started) in self._open.items()
        ]

    def address_hint(self, name: str) -> str:
        return f"'@{name} …' runs one line in it"

    async def open(self, name: str, mode: str | None, by: Session | None = None) -> None:
        """Raises `NotSupported`: a browser has no sessions of other names."""
        raise NotSupported(hint="There is one session for each tab: '@tab2 …' runs a line in tab 2.")

    async def close_session(self, name: str, by: Session | None = None) -> None:
        """Close a tab's session; the tab stays open. Raises `NotSupported`, `SessionNotFound`."""
        if name == DEFAULT:
            raise NotSupported(hint="The default session is the user's browser: only its user closes that.")
        if not await self._close(name):
            raise SessionNotFound.among(self._open)

    def switch(self, name: str, by: Session | None = None) -> Session:
        """The default session; others can't be switched to, because lines without a name always go to the active tab.
        Raises `NotSupported`, `SessionNotFound`."""
        if name == DEFAULT:
            return self.default
        tab = tab_of(name)
        if tab is None:
            raise SessionNotFound.among(self._open)
        raise NotSupported(hint=f"'tab switch {tab}' makes the tab the active one, '@{name} …' runs one line in it.")
