"""`VisitedStorage`: the web storage of a session. Local storage and IndexedDB are accessed in a hidden tab, which can
show an empty document of any origin, session storage in the tabs that have it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, Generic, Protocol

from oryn.browsers.base.storage import (
    OriginDatabases,
    OriginStorage,
    Storage,
    StorageByOrigin,
    unreachable_origin,
)
from oryn.browsers.common.tabs import AnyPage, OpenTabs
from oryn.browsers.common.visited_origins import WEB, VisitedOrigins
from oryn.core.error_text import round_up_seconds
from oryn.errors import NotStored, OrynError, ScriptError, Timeout
from oryn.scanner import page_call

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

SEEN_MILLISECONDS = 3000
"""How long an open page may take to see what was stored elsewhere."""


class OriginTab(Protocol):
    """A hidden tab, which shows empty documents."""

    async def visit(self, origin: str) -> bool:
        """Open an empty document of `origin`. Returns False if the browser refuses to open such an address."""

    async def value(self, expression: str) -> Any:
        """The JSON value of an expression; a promise is awaited. Raises `ScriptError` if it throws."""

    async def delete_database(self, name: str) -> None:
        """Delete a database in the IndexedDB of the origin."""


class PendingSeeds(Protocol[AnyPage]):  # type: ignore[misc]  # of one kind of page
    """Session storage that waits for a document of its origin in a tab."""

    async def add(self, page: AnyPage, areas: Sequence[OriginStorage], timeout: float) -> None:
        """Seed `areas` when `page` loads documents of their origins. Raises `Timeout`, and errors of the tab."""

    def forget(self, origin: str) -> None:
        """Drop pending seeds for top documents of this origin."""


class VisitedStorage(Storage, Generic[AnyPage]):
    """The web storage of one session."""

    has_databases = True

    def __init__(self, tabs: OpenTabs[AnyPage], origins: VisitedOrigins, seeds: PendingSeeds[AnyPage]) -> None:
        self._tabs = tabs
        self._origins = origins
        self._seeds = seeds

    # --- what an engine provides ---

    def _hidden_tab(self, timeout: float) -> AbstractAsyncContextManager[OriginTab]:
        """A hidden tab, for the time of the block."""
        raise NotImplementedError

    async def _read_areas(self, page: AnyPage, timeout: float) -> list[OriginStorage]:
        """The storage of a tab's page and its frames. Frames that do not answer are left out.

        Raises `Timeout` if the page itself does not answer."""
        raise NotImplementedError

    async def _read_session(self, page: AnyPage, timeout: float) -> Mapping[str, str]:
        """The session storage of a tab's page."""
        raise NotImplementedError

    async def _write_session(self, page: AnyPage, entries: Mapping[str, str], merge: bool, timeout: float) -> None:
        """Replace the session storage of a tab's page, or add to it."""
        raise NotImplementedError

    async def _wait_until_seen(self, page: AnyPage, entries: Mapping[str, str], merge: bool) -> None:
        """Wait until an open page has seen entries of its local storage that were stored elsewhere. Never raises."""
        raise NotImplementedError

    # --- origins ---

    def origins(self) -> Sequence[str]:
        return list(self._origins.origins)

    def origin_versions(self) -> Mapping[str, int]:
        return dict(self._origins.first_party)

    # --- local storage ---

    async def local(self, origins: Sequence[str], *, timeout: float = 30) -> dict[str, dict[str, str]]:
        found = {}
        async with time_limit(timeout), self._hidden_tab(timeout) as tab:
            for origin in origins:
                if await tab.visit(origin):
                    found[origin] = parse_entries(await tab.value(page_call("storage", "read", "localStorage")))
        return found

    async def set_local(self, areas: StorageByOrigin, *, merge: bool, timeout: float = 30) -> None:
        async with time_limit(timeout), self._hidden_tab(timeout) as tab:
            for origin, entries in areas.items():
                if not await tab.visit(origin):
                    raise unreachable_origin(origin)
                self._origins.note(origin)
                try:
                    await tab.value(page_call("storage", "write", "localStorage", list(entries.items()), merge))
                except ScriptError as error:
                    raise NotStored(f"{origin} can't store that: {error.message}", "It may be too much.") from error
            await asyncio.gather(
                *(
                    self._wait_until_seen(page, areas[origin], merge)
                    for page, origin in self._storing_pages()
                    if origin in areas
                )
            )

    # --- IndexedDB ---

    async def databases(self, origins: Sequence[str], *, timeout: float = 30) -> dict[str, OriginDatabases]:
        found = {}
        async with time_limit(timeout), self._hidden_tab(timeout) as tab:
            for origin in origins:
                if await tab.visit(origin):
                    data = json.loads(await tab.value(page_call("indexed_db", "read")))
                    found[origin] = OriginDatabases(data["databases"], data["skipped"])
        return found

    async def set_databases(self, databases: Mapping[str, Sequence[Any]], *, merge: bool, timeout: float = 30) -> None:
        async with time_limit(timeout), self._hidden_tab(timeout) as tab:
            for origin, rows in databases.items():
                if not await tab.visit(origin):
                    raise unreachable_origin(origin)
                self._origins.note(origin)
                arguments = list(rows), not merge
                try:
                    for name in await tab.value(page_call("indexed_db", "unfit", *arguments)):
                        await tab.delete_database(name)
                    await tab.value(page_call("indexed_db", "write", *arguments))
                except ScriptError as error:
                    message = f"{origin} can't store IndexedDB: {error.message}"
                    raise NotStored(message, "It may be too much.") from error

    # --- session storage ---

    async def session(self, *, timeout: float = 30) -> dict[str, dict[str, str]]:
        found: dict[str, dict[str, str]] = {}
        async with time_limit(timeout):
            for page, origin in self._storing_pages():
                if origin not in found:
                    found[origin] = dict(await self._read_session(page, timeout))
        return found

    async def set_session(self, areas: StorageByOrigin, *, merge: bool, timeout: float = 30) -> None:
        storing = list(self._storing_pages())
        async with time_limit(timeout):
            for page, origin in storing:
                if origin in areas:
                    await self._write_session(page, areas[origin], merge, timeout)
            for origin in set(areas) - {origin for _, origin in storing}:
                self._seeds.forget(origin)
                if areas[origin]:
                    area = OriginStorage(origin, origin, areas[origin], {})
                    await self._seeds.add(self._tabs.get(None), [area], timeout)

    # --- by tab ---

    async def by_tab(self, *, timeout: float = 30) -> dict[int, list[OriginStorage]]:
        pages = list(self._tabs)
        found = await asyncio.gather(*(self._read_areas(page, timeout) for page in pages), return_exceptions=True)
        answered = {}
        for page, areas in zip(pages, found, strict=True):
            if isinstance(areas, list):
                with suppress(StopIteration):  # it has closed meanwhile
                    answered[self._tabs.number(page)] = areas
            elif not isinstance(areas, OrynError):
                raise areas
        return answered

    async def seed(self, areas: Sequence[OriginStorage], *, timeout: float = 30) -> None:
        await self._seeds.add(self._tabs.get(None), areas, timeout)

    def _storing_pages(self) -> Iterator[tuple[AnyPage, str]]:
        """Tabs whose origin has storage, the current one first, without tabs that can't answer."""
        current = self._tabs.current
        for page in sorted(self._tabs, key=lambda page: page is not current):
            if page.channel.failure is None and page.dialog is None:
                origin = page.frame_tree.top.origin
                if origin.startswith(WEB):
                    yield page, origin


def parse_entries(text: str) -> dict[str, str]:
    """What the page script `storage` returns of an area."""
    return dict(json.loads(text))


def seed_script(area: OriginStorage) -> str:
    """The script that fills the storage of a document, before the page's own, if it is the first one of its origin."""
    entries: Iterable[list[tuple[str, str]]] = (list(each.items()) for each in (area.session, area.local))
    return page_call("storage", "seed", area.origin, area.top, *entries)


def fits(area: OriginStorage, node: Any, top: Any) -> bool:
    """Whether a document in the frame `node`, below the top frame `top`, is one that `area` is for."""
    return area.origin == node.origin and area.top == top.origin and (node is top or area.top != node.origin)


@asynccontextmanager
async def time_limit(timeout: float) -> AsyncIterator[None]:
    """Raise `Timeout` if the block takes longer than `timeout` seconds."""
    try:
        async with asyncio.timeout(timeout):
            yield
    except TimeoutError:
        raise Timeout(f"the storage was not done after {round_up_seconds(timeout):g} s") from None
