"""`SnapshotReader`: reads the tabs, cookies and storage of a running session without disturbing it.

It takes no lock and waits only briefly for pages. Values that can't be read now stay as they were last read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from oryn.browsers.base.storage import OriginStorage
from oryn.core.urls import without_credentials
from oryn.errors import NotSupported, OrynError
from oryn.sessions.persistence.models import BLANK, SessionSnapshot, TabSnapshot, is_restorable

if TYPE_CHECKING:
    from oryn.browsers.base import Browser, Cookie, Tab

PAGE_SECONDS = 2.0
"""Maximum seconds for reading a page's storage; at most a quarter of the whole limit."""
CLOSED_ORIGINS_SECONDS = 5.0
"""Maximum seconds for reading origins that no tab shows any more; at most half of the whole limit."""
MAX_AREAS = 50
"""Maximum number of origins in a tab's saved storage; the latest are kept."""
MAX_DISPLAYED_URL_CHARACTERS = 100
"""Maximum length of a URL that can't be restored, in messages."""

StoragePartition = tuple[str, str]
"""An origin, and that of the top document around it."""


class SnapshotReader:
    """The known state of one session: tabs are updated by events, storage by reads."""

    def __init__(self) -> None:
        self._tabs: dict[int, _TabRecord] = {}
        self._current = 0
        self._ids = 0
        """How many tabs there have been."""
        self._cookies: tuple[Cookie, ...] = ()
        self._local: dict[str, Mapping[str, str]] = {}
        self._read: dict[str, int] = {}
        """The version of each origin when its local storage was last read."""
        self._open: set[str] = set()
        """The origins whose pages were open then: they may have stored more since."""
        self.is_complete = True
        """Whether the last read was complete."""

    @property
    def snapshot(self) -> SessionSnapshot:
        """The tabs, cookies and storage as they were last read. Origins without entries are left out."""
        return SessionSnapshot(
            tuple(tab.snapshot() for tab in self._tabs.values()),
            self._current,
            self._cookies,
            {origin: entries for origin, entries in self._local.items() if entries},
        )

    @property
    def size(self) -> int:
        """The approximate number of characters that the session stores."""
        return sum(len(value) for entries in self._local.values() for value in entries.values())

    @property
    def urls(self) -> tuple[str, ...]:
        """The URL of each tab."""
        return tuple(tab.url for tab in self._tabs.values())

    @property
    def current(self) -> int:
        """The position of the current tab."""
        return self._current

    @property
    def ids(self) -> tuple[int, ...]:
        """The identifier of each tab, unique within the session and in the order of `urls`."""
        return tuple(tab.id for tab in self._tabs.values())

    @property
    def unrestorable_urls(self) -> tuple[str, ...]:
        """For each tab, its URL if that can't be restored, else an empty string. Empty if all URLs can be restored."""
        urls = tuple(tab.unrestorable_url for tab in self._tabs.values())
        return urls if any(urls) else ()

    @property
    def numbers(self) -> list[int]:
        """The tabs' numbers, in the order of the tabs."""
        return list(self._tabs)

    def load(
        self,
        snapshot: SessionSnapshot,
        numbers: Sequence[int] | None = None,
        ids: Sequence[int] = (),
        *,
        loaded: bool = True,
    ) -> None:
        """Set the state to a restored snapshot.

        `numbers` are the tabs' numbers now; None means that they are not open yet. With `loaded`, the tabs were loaded,
        and may not have reached their pages yet."""
        self._ids = max([self._ids, *ids])
        names = iter(ids)
        if numbers is None:
            numbers = range(-len(snapshot.tabs), 0)
        self._tabs = {
            number: _TabRecord(next(names, None) or self._next_id(), tab, loaded)
            for number, tab in zip(numbers, snapshot.tabs, strict=False)
        }
        self._current = min(snapshot.current, max(0, len(self._tabs) - 1))
        self._cookies, self._local = snapshot.cookies, dict(snapshot.local)
        self._read, self._open = {}, set()

    def _next_id(self) -> int:
        self._ids += 1
        return self._ids

    def update_tabs(self, rows: Sequence[Tab], *, stay: bool = False) -> None:
        """Update the tabs and their URLs. With `stay`, missing tabs are not removed yet."""
        present = {row.number for row in rows}
        tabs = {number: tab for number, tab in self._tabs.items() if stay and number not in present}
        for row in rows:
            tabs[row.number] = self._tabs.get(row.number) or _TabRecord(self._next_id())
            tabs[row.number].update_url(without_credentials(row.url))
        self._tabs = dict(sorted(tabs.items()))
        current = next((row.number for row in rows if row.current), None)
        self._current = 0 if current is None else list(self._tabs).index(current)

    def has_missing(self, rows: Sequence[Tab]) -> bool:
        """Whether one of the saved tabs is missing from `rows`."""
        return bool(self._tabs.keys() - {row.number for row in rows})

    async def refresh(self, browser: Browser, limit: float = 15.0) -> SessionSnapshot:
        """Read the state within `limit` seconds, unless the browser itself does not answer.

        Raises the browser's error if its cookies and tabs can't be read."""
        self.update_tabs(await browser.tabs())
        self._cookies = tuple(await browser.cookies())
        self.is_complete = True
        try:
            stored = await self._read_storage(browser, self._local, limit)
        except NotSupported:
            stored = {}
        for number, areas in stored.items():
            if number in self._tabs:
                self._tabs[number].update_areas(areas)
        return self.snapshot

    async def _read_storage(
        self, browser: Browser, local: dict[str, Mapping[str, str]], limit: float
    ) -> dict[int, list[OriginStorage]]:
        """Read the storage of open tabs, and update `local`."""
        visits = browser.storage.origin_versions()
        stored = await browser.storage.by_tab(timeout=min(PAGE_SECONDS, limit / 4))
        pages = {area.origin: area.local for areas in stored.values() for area in areas if area.origin == area.top}
        local |= pages
        left = [
            origin
            for origin, visit in visits.items()
            if origin not in pages and (origin in self._open or self._read.get(origin) != visit)
        ]
        self.is_complete = self._tabs.keys() <= stored.keys()
        if left and await _read_closed_origins(browser, left, local, min(CLOSED_ORIGINS_SECONDS, limit / 2)):
            self._read |= {origin: visits[origin] for origin in left}
            self._open -= set(left)
        elif left:
            self.is_complete = False
        self._read |= {origin: visits[origin] for origin in pages if origin in visits}
        self._open |= set(pages)
        return stored


async def _read_closed_origins(
    browser: Browser, left: Sequence[str], local: dict[str, Mapping[str, str]], limit: float
) -> bool:
    """Update `local` with the storage of the origins `left`; return whether that succeeded. A later read retries."""
    try:
        local |= await browser.storage.local(left, timeout=limit)
    except NotSupported:
        raise
    except OrynError:
        return False
    return True


class _TabRecord:
    """A tab's last known URL and storage, including the session storage of origins that it has left.

    `coming`: the tab is still loading its page."""

    def __init__(self, id: int, tab: TabSnapshot | None = None, coming: bool = False) -> None:
        self.id = id
        self.url = tab.url if tab else BLANK
        self.unrestorable_url = ""
        """The URL that it shows if that can't be restored, shortened; else empty."""
        self._is_loading = coming
        self._areas: dict[StoragePartition, OriginStorage] = (
            {(area.origin, area.top): area for area in tab.areas} if tab else {}
        )

    def update_url(self, url: str) -> None:
        if self._is_loading and url == BLANK:
            return
        self._is_loading = False
        if is_restorable(url):
            self.url, self.unrestorable_url = url, ""
        else:
            self.unrestorable_url = url[:MAX_DISPLAYED_URL_CHARACTERS]

    def update_areas(self, areas: Iterable[OriginStorage]) -> None:
        for area in areas:
            key = area.origin, area.top
            self._areas.pop(key, None)
            # The local storage of the top document's origin belongs to the session and not to the tab.
            self._areas[key] = area.replace(local={}) if area.origin == area.top else area
        while len(self._areas) > MAX_AREAS:
            del self._areas[next(iter(self._areas))]

    def snapshot(self) -> TabSnapshot:
        return TabSnapshot(self.url, tuple(area for area in self._areas.values() if area.session or area.local))
