"""Reads and writes web storage: local storage from a background tab, session storage in the tabs that have it.

The storage of open documents is read in the scanner's world, which page scripts can't reach."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from oryn.browsers.base.storage import (
    OriginDatabases,
    OriginStorage,
    Storage,
    StorageByOrigin,
    unreachable_origin,
)
from oryn.browsers.cdp import error_mapping
from oryn.browsers.cdp.frames import WEB
from oryn.browsers.chromium.contexts import context_id_of
from oryn.browsers.chromium.storage.background_tab import attach_background_tab
from oryn.browsers.chromium.storage.seeding import StorageSeeder
from oryn.core.error_text import round_up_seconds
from oryn.errors import NotStored, OrynError, ScriptError, Timeout
from oryn.scanner import page_call

if TYPE_CHECKING:
    from oryn.browsers.cdp.frames import CdpFrameNode
    from oryn.browsers.chromium.page import CdpPage
    from oryn.browsers.chromium.session_features import ChromiumFeatures
    from oryn.browsers.chromium.storage.background_tab import BackgroundTab
    from oryn.browsers.chromium.tabs import CdpTabs
    from oryn.browsers.chromium.targets import CdpTargets


async def evaluate_in_document(page: CdpPage, node: CdpFrameNode, expression: str, timeout: float) -> Any:
    """The JSON value of an expression in a frame's document; a promise is awaited."""
    params: dict[str, Any] = {"expression": expression, "returnByValue": True, "awaitPromise": True}
    if (context := node.worlds.scanner) is not None:
        params["contextId"] = context
    answer = await page.channel.call("Runtime.evaluate", params, session=node.session, timeout=timeout)
    if "exceptionDetails" in answer:
        raise error_mapping.error_from_exception(answer["exceptionDetails"])
    return answer["result"].get("value")


async def read_areas(page: CdpPage, timeout: float) -> list[OriginStorage]:
    """The storage of a tab's page and its frames. Frames that do not answer are left out.

    Raises `Timeout` if the page itself does not answer."""
    top = page.frame_tree.top
    if not top.origin.startswith(WEB):
        return []
    nodes: dict[str, CdpFrameNode] = {}
    for node in top.subtree():
        if node.origin.startswith(WEB) and (node is top or node.worlds.scanner is not None):
            nodes.setdefault(node.origin, node)
    texts = await asyncio.gather(*(_read_document(page, node, timeout) for node in nodes.values()))
    if texts[0] is None:
        raise Timeout("the page did not return its storage")
    return [
        OriginStorage(origin, top.origin, *map(dict, json.loads(text)))
        for origin, text in zip(nodes, texts, strict=True)
        if text is not None
    ]


async def _read_document(page: CdpPage, node: CdpFrameNode, timeout: float) -> str | None:
    try:
        text: str = await evaluate_in_document(page, node, page_call("storage", "readBoth"), timeout)
    except OrynError:
        return None
    return text


SEEN_MILLISECONDS = 3000


class CdpStorage(Storage):
    """The web storage of one session."""

    def __init__(self, tabs: CdpTabs, targets: Callable[[], CdpTargets], features: ChromiumFeatures) -> None:
        self._tabs = tabs
        self._targets = targets
        self._origins = features.visits
        self._seeder = features.register(StorageSeeder())

    def origins(self) -> Sequence[str]:
        return list(self._origins.origins)

    def origin_versions(self) -> Mapping[str, int]:
        return dict(self._origins.first_party)

    # --- local storage ---

    async def local(self, origins: Sequence[str], *, timeout: float = 30) -> dict[str, dict[str, str]]:
        found = {}
        async with _time_limit(timeout), self._background_tab(timeout) as tab:
            for origin in origins:
                if await tab.visit(origin):
                    found[origin] = _parse_entries(await tab.value(page_call("storage", "read", "localStorage")))
        return found

    async def set_local(self, areas: StorageByOrigin, *, merge: bool, timeout: float = 30) -> None:
        async with _time_limit(timeout), self._background_tab(timeout) as tab:
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

    has_databases = True

    async def databases(self, origins: Sequence[str], *, timeout: float = 30) -> dict[str, OriginDatabases]:
        found = {}
        async with _time_limit(timeout), self._background_tab(timeout) as tab:
            for origin in origins:
                if await tab.visit(origin):
                    data = json.loads(await tab.value(page_call("indexed_db", "read")))
                    found[origin] = OriginDatabases(data["databases"], data["skipped"])
        return found

    async def set_databases(self, databases: Mapping[str, Sequence[Any]], *, merge: bool, timeout: float = 30) -> None:
        async with _time_limit(timeout), self._background_tab(timeout) as tab:
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

    async def _wait_until_seen(self, page: CdpPage, entries: Mapping[str, str], merge: bool) -> None:
        """Wait until an open page has seen entries that were stored elsewhere, or has changed them since."""
        expression = page_call("storage", "untilSeen", "localStorage", list(entries.items()), merge, SEEN_MILLISECONDS)
        with suppress(OrynError):  # a page that can't answer need not see them
            await evaluate_in_document(page, page.frame_tree.top, expression, 2 * SEEN_MILLISECONDS / 1000)

    @asynccontextmanager
    async def _background_tab(self, timeout: float) -> AsyncIterator[BackgroundTab]:
        page = self._tabs.get(None)
        target_id = await self._targets().open_hidden(await context_id_of(page, timeout))
        async with attach_background_tab(page.channel.session.connection.root, target_id) as tab:
            yield tab

    # --- session storage ---

    async def session(self, *, timeout: float = 30) -> dict[str, dict[str, str]]:
        found: dict[str, dict[str, str]] = {}
        async with _time_limit(timeout):
            for page, origin in self._storing_pages():
                if origin not in found:
                    expression = page_call("storage", "read", "sessionStorage")
                    text = await evaluate_in_document(page, page.frame_tree.top, expression, timeout)
                    found[origin] = _parse_entries(text)
        return found

    async def set_session(self, areas: StorageByOrigin, *, merge: bool, timeout: float = 30) -> None:
        storing = list(self._storing_pages())
        async with _time_limit(timeout):
            for page, origin in storing:
                if origin in areas:
                    expression = page_call("storage", "write", "sessionStorage", list(areas[origin].items()), merge)
                    await evaluate_in_document(page, page.frame_tree.top, expression, timeout)
            for origin in set(areas) - {origin for _, origin in storing}:
                self._seeder.forget(origin)
                if areas[origin]:
                    area = OriginStorage(origin, origin, areas[origin], {})
                    await self._seeder.add(self._tabs.get(None), [area], timeout)

    # --- by tab ---

    async def by_tab(self, *, timeout: float = 30) -> dict[int, list[OriginStorage]]:
        pages = list(self._tabs)
        found = await asyncio.gather(*(read_areas(page, timeout) for page in pages), return_exceptions=True)
        answered = {}
        for page, areas in zip(pages, found, strict=True):
            if isinstance(areas, list):
                with suppress(StopIteration):  # it has closed meanwhile
                    answered[self._tabs.number(page)] = areas
            elif not isinstance(areas, OrynError):
                raise areas
        return answered

    async def seed(self, areas: Sequence[OriginStorage], *, timeout: float = 30) -> None:
        await self._seeder.add(self._tabs.get(None), areas, timeout)

    def _storing_pages(self) -> Iterator[tuple[CdpPage, str]]:
        """Tabs whose origin has storage, the current one first, without tabs that can't answer."""
        current = self._tabs.current
        for page in sorted(self._tabs, key=lambda page: page is not current):
            if page.channel.failure is None and page.dialog is None:
                origin = page.frame_tree.top.origin
                if origin.startswith(("http://", "https://")):
                    yield page, origin


def _parse_entries(text: str) -> dict[str, str]:
    return dict(json.loads(text))


@asynccontextmanager
async def _time_limit(timeout: float) -> AsyncIterator[None]:
    try:
        async with asyncio.timeout(timeout):
            yield
    except TimeoutError:
        raise Timeout(f"the storage was not done after {round_up_seconds(timeout):g} s") from None
