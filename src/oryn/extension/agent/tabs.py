"""The agent's target tabs in the user's browser: opened in the background, each with a session of its own."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence

from oryn.browsers.base import Checkpoint
from oryn.browsers.extension.tabs import ExtensionTabs
from oryn.engine import Session
from oryn.errors import OrynError

log = logging.getLogger(__name__)

VISIBLE_SECONDS = 10.0


class AgentTabs:
    """The target tabs of one run: an `oryn.agent.tabs.TabProvider`."""

    def __init__(
        self,
        tabs: ExtensionTabs,
        create_session: Callable[[int], Session],
        initial: Sequence[int],
        opener: Callable[[], int],
        changed: Callable[[], object],
    ) -> None:
        """`create_session` takes the number of a tab. `initial` are tabs to begin with, by the browser's ids; new tabs
        open in the window of `opener`. `changed` is called when the set of targets has changed."""
        self._tabs = tabs
        self._create_session = create_session
        self._initial = initial
        self._opener = opener
        self._changed = changed
        self._sessions: dict[int, Session] = {}
        self._checkpoints: dict[int, Checkpoint] = {}
        """The moment when each of them became a target."""
        self._reported: set[int] = set()
        """The tabs opened by pages that `popups` has returned."""

    @property
    def ids(self) -> list[int]:
        """The targets, the oldest first."""
        return [tab for tab in self._sessions if self._tabs.is_open(tab)]

    def session_of(self, tab: int) -> Session | None:
        """The session of a target, given by the browser's id; None for another tab."""
        return self._sessions.get(tab)

    async def begin(self) -> Sequence[Session]:
        return [self._adopt(tab) for tab in self._initial if self._tabs.is_open(tab)]

    async def open(self) -> Session:
        tab = await self._tabs.create("about:blank", active=False, opener=self._opener())
        await self._tabs.page(tab).wait_until_displayed(True, VISIBLE_SECONDS)
        return self._adopt(tab)

    async def popups(self) -> Sequence[Session]:
        found = []
        for tab in self.ids:
            found += [opened.tab for opened in self._tabs.page(tab).opened_tabs.since(self._checkpoints[tab])]
        new = [tab for tab in found if tab not in self._reported and self._tabs.is_open(tab)]
        self._reported.update(found)
        sessions = [self._adopt(tab) for tab in new if tab not in self._sessions]
        for session in sessions:  # their pages are read right afterwards
            await session.startup.ensure_started()
            await session.browser.before_command()
        return sessions

    async def release(self, session: Session) -> None:
        tab = next(tab for tab, each in self._sessions.items() if each is session)
        del self._sessions[tab], self._checkpoints[tab]
        self._tabs.revoke_access(tab)
        self._changed()
        try:
            await session.close()
        except OrynError as error:
            log.warning("a target tab was not left well: %s", error)

    async def close(self) -> None:
        """Release all targets. They stay open: they are the user's."""
        for session in list(self._sessions.values()):
            await self.release(session)

    def on_replaced(self, new: int, old: int) -> None:
        """The browser has given a tab another id."""
        renamed: Mapping[int, int] = {old: new}
        self._sessions = {renamed.get(tab, tab): session for tab, session in self._sessions.items()}
        self._checkpoints = {renamed.get(tab, tab): checkpoint for tab, checkpoint in self._checkpoints.items()}

    def _adopt(self, tab: int) -> Session:
        self._tabs.grant_access(tab)
        session = self._sessions[tab] = self._create_session(self._tabs.number(tab))
        self._checkpoints[tab] = self._tabs.page(tab).channel.checkpoint()
        self._changed()
        return session
