"""Where a running session stands, read without disturbing it: no lock is taken, no page is waited for long, and what
can't be read now stays as it was known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from oryn.browsers.base.storage import Area
from oryn.errors import NotSupported, OrynError
from oryn.sessions.kept import BLANK, OpenTab, Standing, is_kept

if TYPE_CHECKING:
    from oryn.browsers.base import Browser, Tab

PAGE_SECONDS = 2.0
"""What a page gets to say what it stores, and"""
LEFT_SECONDS = 5.0
"""what reading of origins takes at most that no tab shows any more; each no more than a third of the whole look."""
MOST_AREAS = 50
"""Origins that a tab's memory has, the latest."""

Place = tuple[str, str]
"""An origin, and that of the top document around it."""


class Memory:
    """What is known of one session, from look to look."""

    def __init__(self) -> None:
        self.standing = Standing()
        self._tabs: dict[int, _TabMemory] = {}
        self._read: dict[str, int] = {}
        """The visits of each origin when its local storage was last read."""
        self._open: set[str] = set()
        """The origins whose pages were open then: they may have stored more since."""

    def recall(self, standing: Standing, numbers: Sequence[int]) -> None:
        """The session stands there again; its tabs have these numbers now."""
        self.standing = standing
        self._tabs = {number: _TabMemory(tab) for number, tab in zip(numbers, standing.tabs, strict=False)}
        self._read, self._open = {}, set()

    async def look(self, browser: Browser, limit: float = 15.0) -> Standing:
        """Look within `limit` seconds, save where the browser itself does not answer. Raises what it does when it can't
        say what cookies and tabs it has."""
        rows = await browser.tabs()
        cookies = tuple(await browser.cookies())
        local = dict(self.standing.local)
        try:
            shown = await self._storage(browser, local, limit / 3)
        except NotSupported:
            shown = {}
        self._tabs = {row.number: self._tabs.get(row.number) or _TabMemory() for row in rows}
        for row in rows:
            self._tabs[row.number].learn(row, shown.get(row.number, ()))
        current = next((position for position, row in enumerate(rows) if row.current), 0)
        tabs = tuple(tab.opened() for tab in self._tabs.values())
        self.standing = Standing(
            tabs, current, cookies, {origin: entries for origin, entries in local.items() if entries}
        )
        return self.standing

    async def _storage(
        self, browser: Browser, local: dict[str, Mapping[str, str]], share: float
    ) -> dict[int, list[Area]]:
        """What open tabs store; brings `local` up to date."""
        visits = browser.storage.visits()
        shown = await browser.storage.of_tabs(timeout=min(PAGE_SECONDS, share))
        pages = {area.origin: area.local for areas in shown.values() for area in areas if area.origin == area.top}
        local |= pages
        left = [
            origin
            for origin, visit in visits.items()
            if origin not in pages and (origin in self._open or self._read.get(origin) != visit)
        ]
        if left and await _read_left(browser, left, local, min(LEFT_SECONDS, share)):
            self._read |= {origin: visits[origin] for origin in left}
            self._open -= set(left)
        self._read |= {origin: visits[origin] for origin in pages if origin in visits}
        self._open |= set(pages)
        return shown


async def _read_left(browser: Browser, left: Sequence[str], local: dict[str, Mapping[str, str]], limit: float) -> bool:
    """Whether it could be; a later look tries again."""
    try:
        local |= await browser.storage.local(left, timeout=limit)
    except NotSupported:
        raise
    except OrynError:
        return False
    return True


class _TabMemory:
    """A tab keeps the session storage of origins that it has left; it is what it was when it was last seen."""

    def __init__(self, tab: OpenTab | None = None) -> None:
        self._url = tab.url if tab else BLANK
        self._areas: dict[Place, Area] = {(area.origin, area.top): area for area in tab.areas} if tab else {}

    def learn(self, row: Tab, areas: Iterable[Area]) -> None:
        if is_kept(row.url):
            self._url = row.url
        for area in areas:
            place = area.origin, area.top
            self._areas.pop(place, None)
            # A page's own local storage is the session's, not the tab's.
            self._areas[place] = area.replace(local={}) if area.origin == area.top else area
        while len(self._areas) > MOST_AREAS:
            del self._areas[next(iter(self._areas))]

    def opened(self) -> OpenTab:
        return OpenTab(self._url, tuple(area for area in self._areas.values() if area.session or area.local))
