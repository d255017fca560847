"""Web storage of the origins that open tabs show: WebDriver reaches no others without visiting them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from oryn.browsers.base.storage import OriginStorage, Storage, StorageByOrigin, unreachable_origin
from oryn.browsers.webdriver.channel import WebDriverChannel
from oryn.core.urls import origin_of
from oryn.errors import NotStored, OrynError

_READ = "return JSON.stringify([{ ...sessionStorage }, { ...localStorage }]);"
_WRITE = """const [area, values, merge] = arguments, storage = globalThis[area];
if (!merge) storage.clear();
for (const [key, value] of Object.entries(values)) storage.setItem(key, value);"""


class StoredPage(Protocol):
    """A tab."""

    @property
    def channel(self) -> WebDriverChannel: ...

    @property
    def url(self) -> str: ...


class WebDriverStorage(Storage):
    """The web storage of one session."""

    def __init__(self, pages: Callable[[], Mapping[int, StoredPage]], current: Callable[[], StoredPage]) -> None:
        """`pages` are the open tabs by number."""
        self._pages = pages
        self._current = current
        self._visited: dict[str, int] = {}
        self._versions = 0

    def on_document(self, url: str) -> None:
        """A tab shows another document."""
        origin = origin_of(url)
        if origin is not None:
            self._versions += 1
            self._visited.pop(origin, None)
            self._visited[origin] = self._versions

    def origins(self) -> Sequence[str]:
        return list(self._visited)

    def origin_versions(self) -> Mapping[str, int]:
        return dict(self._visited)

    async def local(self, origins: Sequence[str], *, timeout: float = 30) -> dict[str, dict[str, str]]:
        return {
            origin: (await self._read(page, timeout))[1]
            for origin, page in self._by_origin().items()
            if origin in origins
        }

    async def set_local(self, areas: StorageByOrigin, *, merge: bool, timeout: float = 30) -> None:
        await self._write("localStorage", areas, merge, timeout)

    async def session(self, *, timeout: float = 30) -> dict[str, dict[str, str]]:
        return {origin: (await self._read(page, timeout))[0] for origin, page in self._by_origin().items()}

    async def set_session(self, areas: StorageByOrigin, *, merge: bool, timeout: float = 30) -> None:
        await self._write("sessionStorage", areas, merge, timeout)

    async def by_tab(self, *, timeout: float = 30) -> dict[int, list[OriginStorage]]:
        found: dict[int, list[OriginStorage]] = {}
        for number, page in self._pages().items():
            origin = origin_of(page.url)
            if origin is None:
                continue
            try:
                session, local = await self._read(page, timeout)
            except OrynError:
                continue  # it does not answer: left out
            found[number] = [OriginStorage(origin, origin, session, local)]
        return found

    async def seed(self, areas: Sequence[OriginStorage], *, timeout: float = 30) -> None:
        for area in areas:
            try:
                await self._write("sessionStorage", {area.origin: area.session}, True, timeout)
                await self._write("localStorage", {area.origin: area.local}, True, timeout)
            except NotStored:
                continue  # no tab shows the origin

    def _by_origin(self) -> dict[str, StoredPage]:
        """A tab for each origin, the current one if it shows it."""
        pages: Iterable[StoredPage] = (*self._pages().values(), self._current())
        return {origin: page for page in pages if (origin := origin_of(page.url)) is not None}

    async def _read(self, page: StoredPage, timeout: float) -> tuple[dict[str, str], dict[str, str]]:
        session, local = json.loads(await page.channel.execute(_READ, timeout=timeout))
        return _texts(session), _texts(local)

    async def _write(self, area: str, areas: StorageByOrigin, merge: bool, timeout: float) -> None:
        pages = self._by_origin()
        for origin, values in areas.items():
            if origin not in pages:
                raise unreachable_origin(origin)
            try:
                await pages[origin].channel.execute(_WRITE, [area, dict(values), merge], timeout=timeout)
            except OrynError as error:
                raise NotStored(f"{origin} did not store it: {error.message}", "Store less.") from None


def _texts(values: Any) -> dict[str, str]:
    return {str(key): str(value) for key, value in values.items()} if isinstance(values, dict) else {}
