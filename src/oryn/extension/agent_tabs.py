"""The agent's target tabs in the user's browser: opened behind the tab in front, each with a session of its own."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence

from oryn.browsers.base import Mark
from oryn.browsers.extension.tabs import Tabs
from oryn.engine import Session
from oryn.errors import OrynError

log = logging.getLogger(__name__)

SHOWN_SECONDS = 10.0


class AgentTabs:
    """`oryn.agent.targets.Targets`. `make` makes the session of a tab, by its number; `given` are tabs to begin with,
    by the browser's ids, `beside` is the tab whose window new ones open in. `changed` is called when another tab is a
    target."""

    def __init__(
        self,
        tabs: Tabs,
        make: Callable[[int], Session],
        given: Sequence[int],
        beside: Callable[[], int],
        changed: Callable[[], object],
    ) -> None:
        self._tabs = tabs
        self._make = make
        self._given = given
        self._beside = beside
        self._changed = changed
        self._sessions: dict[int, Session] = {}
        self._begun: dict[int, Mark] = {}
        """When each of them became one."""
        self._told: set[int] = set()
        """The tabs that pages have opened, as far as `popups` has told of them."""

    @property
    def ids(self) -> list[int]:
        """The targets, the oldest first."""
        return [tab for tab in self._sessions if self._tabs.is_open(tab)]

    async def begin(self) -> Sequence[Session]:
        return [self._take(tab) for tab in self._given if self._tabs.is_open(tab)]

    async def open(self) -> Session:
        tab = await self._tabs.create("about:blank", active=False, opener=self._beside())
        await self._tabs.page(tab).until_shown(True, SHOWN_SECONDS)
        return self._take(tab)

    async def popups(self) -> Sequence[Session]:
        found = []
        for tab in self.ids:
            found += [opened.tab for opened in self._tabs.page(tab).opened.since(self._begun[tab])]
        new = [tab for tab in found if tab not in self._told and self._tabs.is_open(tab)]
        self._told.update(found)
        sessions = [self._take(tab) for tab in new if tab not in self._sessions]
        for session in sessions:  # which are asked for their pages at once
            await session.started()
            await session.browser.attend()
        return sessions

    async def release(self, session: Session) -> None:
        tab = next(tab for tab, known in self._sessions.items() if known is session)
        del self._sessions[tab], self._begun[tab]
        self._tabs.free(tab)
        self._changed()
        try:
            await session.close()
        except OrynError as error:
            log.warning("a target tab was not left well: %s", error)

    async def close(self) -> None:
        """Let go of all that are left. They stay open: they are the user's."""
        for session in list(self._sessions.values()):
            await self.release(session)

    def replaced(self, new: int, old: int) -> None:
        """The browser has given a tab another id."""
        renamed: Mapping[int, int] = {old: new}
        self._sessions = {renamed.get(tab, tab): session for tab, session in self._sessions.items()}
        self._begun = {renamed.get(tab, tab): mark for tab, mark in self._begun.items()}

    def _take(self, tab: int) -> Session:
        self._tabs.take(tab)
        session = self._sessions[tab] = self._make(self._tabs.number(tab))
        self._begun[tab] = self._tabs.page(tab).channel.mark()
        self._changed()
        return session
