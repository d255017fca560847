"""Where a running session stands, read without disturbing it: no lock is taken, no page is waited for long, and what
can't be read now stays as it was known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from oryn.browsers.base.storage import Area
from oryn.errors import NotSupported, OrynError
from oryn.sessions.kept import BLANK, OpenTab, Standing, is_kept

if TYPE_CHECKING:
    from oryn.browsers.base import Browser, Cookie, Tab

PAGE_SECONDS = 2.0
"""What a page gets to say what it stores, but for a quarter of the whole look, and"""
LEFT_SECONDS = 5.0
"""what reading of origins takes at most that no tab shows any more, but for half of it."""
MOST_AREAS = 50
"""Origins that a tab's memory has, the latest."""
MOST_SHOWN = 100
"""Characters of a URL that can't be come back to."""

Place = tuple[str, str]
"""An origin, and that of the top document around it."""


class Memory:
    """What is known of one session: its tabs from event to event, what they store from look to look."""

    def __init__(self) -> None:
        self._tabs: dict[int, _TabMemory] = {}
        self._current = 0
        self._ids = 0
        """How many tabs there have been."""
        self._cookies: tuple[Cookie, ...] = ()
        self._local: dict[str, Mapping[str, str]] = {}
        self._read: dict[str, int] = {}
        """The visits of each origin when its local storage was last read."""
        self._open: set[str] = set()
        """The origins whose pages were open then: they may have stored more since."""
        self.is_whole = True
        """Whether the last look saw everything."""

    @property
    def standing(self) -> Standing:
        return Standing(
            tuple(tab.opened() for tab in self._tabs.values()),
            self._current,
            self._cookies,
            {origin: entries for origin, entries in self._local.items() if entries},
        )

    @property
    def size(self) -> int:
        """Characters that the session stores, about."""
        return sum(len(value) for entries in self._local.values() for value in entries.values())

    @property
    def urls(self) -> tuple[str, ...]:
        return tuple(tab.url for tab in self._tabs.values())

    @property
    def current(self) -> int:
        """The position of the current tab."""
        return self._current

    @property
    def ids(self) -> tuple[int, ...]:
        """One for each tab, which no other tab of the session has had."""
        return tuple(tab.id for tab in self._tabs.values())

    @property
    def shown(self) -> tuple[str, ...]:
        """What tabs show that can't be come back to, else empty; none at all where none does."""
        shown = tuple(tab.shown for tab in self._tabs.values())
        return shown if any(shown) else ()

    @property
    def numbers(self) -> list[int]:
        """Of the tabs, in their order."""
        return list(self._tabs)

    def recall(
        self, standing: Standing, numbers: Sequence[int] | None = None, ids: Sequence[int] = (), *, loaded: bool = True
    ) -> None:
        """The session stands there again; its tabs have these numbers now, or are not open yet. Those that were
        `loaded` may not have come to their pages yet."""
        self._ids = max([self._ids, *ids])
        names = iter(ids)
        if numbers is None:
            numbers = range(-len(standing.tabs), 0)
        self._tabs = {
            number: _TabMemory(next(names, None) or self._another(), tab, loaded)
            for number, tab in zip(numbers, standing.tabs, strict=False)
        }
        self._current = min(standing.current, max(0, len(self._tabs) - 1))
        self._cookies, self._local = standing.cookies, dict(standing.local)
        self._read, self._open = {}, set()

    def _another(self) -> int:
        self._ids += 1
        return self._ids

    def place(self, rows: Sequence[Tab], *, stay: bool = False) -> None:
        """The tabs are these, and show this. With `stay` those that are missing have not gone yet."""
        present = {row.number for row in rows}
        tabs = {number: tab for number, tab in self._tabs.items() if stay and number not in present}
        for row in rows:
            tabs[row.number] = self._tabs.get(row.number) or _TabMemory(self._another())
            tabs[row.number].show(row.url)
        self._tabs = dict(sorted(tabs.items()))
        current = next((row.number for row in rows if row.current), None)
        self._current = 0 if current is None else list(self._tabs).index(current)

    def misses(self, rows: Sequence[Tab]) -> bool:
        """Whether a tab that is known is none of these."""
        return bool(self._tabs.keys() - {row.number for row in rows})

    async def look(self, browser: Browser, limit: float = 15.0) -> Standing:
        """Look within `limit` seconds, save where the browser itself does not answer. Raises what it does when it can't
        say what cookies and tabs it has."""
        self.place(await browser.tabs())
        self._cookies = tuple(await browser.cookies())
        self.is_whole = True
        try:
            shown = await self._storage(browser, self._local, limit)
        except NotSupported:
            shown = {}
        for number, areas in shown.items():
            if number in self._tabs:
                self._tabs[number].learn(areas)
        return self.standing

    async def _storage(
        self, browser: Browser, local: dict[str, Mapping[str, str]], limit: float
    ) -> dict[int, list[Area]]:
        """What open tabs store; brings `local` up to date."""
        visits = browser.storage.visits()
        shown = await browser.storage.of_tabs(timeout=min(PAGE_SECONDS, limit / 4))
        pages = {area.origin: area.local for areas in shown.values() for area in areas if area.origin == area.top}
        local |= pages
        left = [
            origin
            for origin, visit in visits.items()
            if origin not in pages and (origin in self._open or self._read.get(origin) != visit)
        ]
        self.is_whole = self._tabs.keys() <= shown.keys()
        if left and await _read_left(browser, left, local, min(LEFT_SECONDS, limit / 2)):
            self._read |= {origin: visits[origin] for origin in left}
            self._open -= set(left)
        elif left:
            self.is_whole = False
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
    """A tab keeps the session storage of origins that it has left; it is what it was when it was last seen. `coming`:
    it is on its way to its page."""

    def __init__(self, id: int, tab: OpenTab | None = None, coming: bool = False) -> None:
        self.id = id
        self.url = tab.url if tab else BLANK
        self.shown = ""
        """What it shows that can't be come back to, shortened."""
        self._coming = coming
        self._areas: dict[Place, Area] = {(area.origin, area.top): area for area in tab.areas} if tab else {}

    def show(self, url: str) -> None:
        if self._coming and url == BLANK:
            return
        self._coming = False
        if is_kept(url):
            self.url, self.shown = url, ""
        else:
            self.shown = url[:MOST_SHOWN]

    def learn(self, areas: Iterable[Area]) -> None:
        for area in areas:
            place = area.origin, area.top
            self._areas.pop(place, None)
            # A page's own local storage is the session's, not the tab's.
            self._areas[place] = area.replace(local={}) if area.origin == area.top else area
        while len(self._areas) > MOST_AREAS:
            del self._areas[next(iter(self._areas))]

    def opened(self) -> OpenTab:
        return OpenTab(self.url, tuple(area for area in self._areas.values() if area.session or area.local))
