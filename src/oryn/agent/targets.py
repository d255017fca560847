"""The tabs that an agent controls: what a browser must offer for that, and how a browser of ours does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from oryn.browsers.base import Browser
from oryn.browsers.common.one_tab import OneTab
from oryn.engine import Session
from oryn.errors import BrowserFailed


class Targets(Protocol):
    """A browser with tabs for an agent. Each target is a session pinned to its tab; none needs to be in front."""

    async def begin(self) -> Sequence[Session]:
        """The tabs that are targets from the start, the oldest first."""

    async def open(self) -> Session:
        """A new tab that shows nothing, in the background. Raises `OrynError`."""

    async def popups(self) -> Sequence[Session]:
        """The tabs that pages of targets have opened since this was last asked."""

    async def release(self, session: Session) -> None:
        """The agent's hands are off this tab. Never raises for a tab that is gone."""


class TabTargets:
    """Tabs of one browser that nobody else drives meanwhile. `make` makes the session of a browser with one tab;
    `adopt` has the numbers of the tabs to begin with, which stay open when they are released."""

    def __init__(self, browser: Browser, make: Callable[[Browser], Session], adopt: Sequence[int] = ()) -> None:
        self._browser = browser
        self._make = make
        self._adopted = tuple(adopt)
        self._known: set[int] = set()
        self._downloads: dict[str, str] | None = None

    async def begin(self) -> Sequence[Session]:
        await self._start()
        return [self._session(number) for number in self._adopted]

    async def open(self) -> Session:
        if self._is_down():
            await self._start()
        return self._session(await self._browser.blank_tab())

    async def popups(self) -> Sequence[Session]:
        numbers = [tab.number for tab in await self._browser.tabs()]
        return [self._session(number) for number in numbers if number not in self._known]

    async def _start(self) -> None:
        await self._browser.start()
        self._known = {tab.number for tab in await self._browser.tabs()}

    def _is_down(self) -> bool:
        try:
            self._browser.page  # noqa: B018  raises where it does not run
        except BrowserFailed:
            return True
        return self._browser.lost

    async def release(self, session: Session) -> None:
        tab = session.browser
        if isinstance(tab, OneTab) and tab.number not in self._adopted:
            await session.close()

    def _session(self, number: int) -> Session:
        self._known.add(number)
        session = self._make(OneTab(self._browser, number))
        # Downloads are the browser's: what one tab's answer has told is no news in another's.
        self._downloads = session.downloads_told = (
            session.downloads_told if self._downloads is None else self._downloads
        )
        return session
