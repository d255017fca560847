"""The sessions of a browser: `default`, on the active tab, and one for each tab that a line names (`@tab2 click 3`).

Each has element numbers of its own. They are for one connection: whoever comes next begins anew.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import Callable
from typing import Protocol

from oryn.engine import Session
from oryn.engine.hosting import Known
from oryn.errors import NotSupported, SessionNotFound, TabNotFound

log = logging.getLogger(__name__)

DEFAULT = "default"
CLOSING_SECONDS = 5.0
"""How long sessions may take to let go of their tabs; the next ones wait for that."""

_OF_TAB = re.compile(r"tab([1-9][0-9]{0,8})", re.ASCII)


class Tabs(Protocol):
    """Which tabs there are, without asking the browser."""

    @property
    def active(self) -> int | None:
        """The number of the active tab of the window that had the focus last."""

    def has(self, number: int, /) -> bool: ...


def tab_of(name: str | None) -> int | None:
    """The tab that a session is called after; None for those of no tab."""
    found = _OF_TAB.fullmatch(name or "")
    return int(found[1]) if found else None


class TabSessions:
    """`make` makes the session of a name, for a tab or (None) for whichever is active. A `engine.hosting.Host`."""

    def __init__(self, tabs: Tabs, make: Callable[[str, int | None], Session]) -> None:
        self._tabs = tabs
        self._make = make
        self._open: dict[str, tuple[Session, str]] = {}
        self._closing: asyncio.Task[None] | None = None

    async def reach(self, tab: int | None) -> Session:
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
            session = self._make(name, tab)
            session.host = self
            self._open[name] = session, time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        return self._open[name][0]

    @property
    def default(self) -> Session:
        return self._session(DEFAULT, None)

    def close_after(self, running: set[asyncio.Task[None]]) -> None:
        """Close all of them once what runs has ended; whoever wants one meanwhile waits, and gets a new one."""
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
        except Exception:  # whatever is wrong with the old ones, the new ones must be let in
            log.exception("sessions did not end well")

    async def _close(self, name: str) -> bool:
        """Whether there was one."""
        session, _ = self._open.pop(name, (None, ""))
        if session is not None:
            await session.close()
        return session is not None

    # --- what a session asks of its host (engine.hosting) ---

    def known(self, by: Session | None = None) -> list[Known]:
        return [
            Known(name, session.browser.mode, started, name == DEFAULT)
            for name, (session, started) in self._open.items()
        ]

    async def open(self, name: str, mode: str | None, by: Session | None = None) -> None:
        """A browser has no sessions of other names. Raises `NotSupported`."""
        raise NotSupported(hint="There is one session for each tab: '@tab2 …' runs a line in tab 2.")

    async def close_session(self, name: str, by: Session | None = None) -> None:
        """Forget what a tab's session knows; the tab stays open. Raises `NotSupported`, `SessionNotFound`."""
        if name == DEFAULT:
            raise NotSupported(hint="The default session is the user's browser: only its user closes that.")
        if not await self._close(name):
            raise SessionNotFound.among(self._open)

    def switch(self, name: str, by: Session | None = None) -> Session:
        """Lines without a name always go to the active tab. Raises `NotSupported`, `SessionNotFound`."""
        if name == DEFAULT:
            return self.default
        tab = tab_of(name)
        if tab is None:
            raise SessionNotFound.among(self._open)
        raise NotSupported(hint=f"'tab switch {tab}' makes the tab the active one, '@{name} …' runs one line in it.")
