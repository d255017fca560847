"""Reads and writes web storage: local storage and IndexedDB from the hidden tab, session storage in the tabs that have
it.

The storage of open documents is read by the browser, without a script of the page's world.
https://github.com/WebKit/WebKit/blob/main/Source/JavaScriptCore/inspector/protocol/DOMStorage.json"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from oryn.browsers.base.storage import OriginStorage
from oryn.browsers.common.storage import SEEN_MILLISECONDS, VisitedStorage, fits, seed_script
from oryn.browsers.common.visited_origins import WEB, VisitedOrigins
from oryn.errors import OrynError

if TYPE_CHECKING:
    from oryn.browsers.common.protocol_session import Answer
    from oryn.browsers.common.tabs import OpenTabs
    from oryn.browsers.webkit.bootstrap import Bootstrap
    from oryn.browsers.webkit.frames import WebKitFrameNode
    from oryn.browsers.webkit.hidden_tab import HiddenTab, HiddenTabs
    from oryn.browsers.webkit.page import WebKitPage

_LOOK_SECONDS = 0.01
_SEED = "seed"


class StorageSeeds:
    """Seeds the storage of documents that tabs load later, only once, so that storage which a page clears stays
    cleared."""

    def __init__(self, bootstrap: Bootstrap) -> None:
        self._bootstrap = bootstrap
        self._pending: dict[WebKitPage, list[OriginStorage]] = {}

    async def add(self, page: WebKitPage, areas: Sequence[OriginStorage], timeout: float) -> None:
        self._pending = {each: seeds for each, seeds in self._pending.items() if each.channel.failure is None}
        if page not in self._pending:
            self._pending[page] = []
            page.frame_tree.on_commit.append(partial(self._on_committed, page))
        self._pending[page] += areas
        await page.channel.pipeline(self._apply(page), timeout)

    def forget(self, origin: str) -> None:
        for page, seeds in self._pending.items():
            self._keep(page, [area for area in seeds if not area.origin == area.top == origin])

    def _on_committed(self, page: WebKitPage, node: WebKitFrameNode) -> None:
        self._keep(page, [area for area in self._pending.get(page, ()) if not fits(area, node, page.frame_tree.top)])

    def _keep(self, page: WebKitPage, areas: list[OriginStorage]) -> None:
        if len(areas) != len(self._pending.get(page, ())):
            self._pending[page] = areas
            self._apply(page)

    def _apply(self, page: WebKitPage) -> list[asyncio.Future[Answer]]:
        source = ";\n".join(map(seed_script, self._pending[page])).join("{}")
        sent = self._bootstrap.set(_SEED, source if self._pending[page] else None, page)
        return [answer for session, answer in sent.items() if session is page.channel.session]


class WebKitStorage(VisitedStorage["WebKitPage"]):
    """The web storage of one session.

    hidden: its hidden tab."""

    def __init__(
        self, tabs: OpenTabs[WebKitPage], hidden: HiddenTabs, origins: VisitedOrigins, bootstrap: Bootstrap
    ) -> None:
        super().__init__(tabs, origins, StorageSeeds(bootstrap))
        self._hidden = hidden

    def _hidden_tab(self, timeout: float) -> AbstractAsyncContextManager[HiddenTab]:
        return self._hidden.use(timeout, "storage")

    async def _read_areas(self, page: WebKitPage, timeout: float) -> list[OriginStorage]:
        top = page.frame_tree.top
        if not top.origin.startswith(WEB):
            return []
        origins = list(dict.fromkeys(node.origin for node in top.subtree() if node.origin.startswith(WEB)))
        found = []
        for origin in origins:
            area = _area(page, origin, timeout)
            try:
                found.append(OriginStorage(origin, top.origin, await area.read(), await area.read(local=True)))
            except OrynError:
                if origin == top.origin:
                    raise
        return found

    async def _read_session(self, page: WebKitPage, timeout: float) -> Mapping[str, str]:
        return await _area(page, page.frame_tree.top.origin, timeout).read()

    async def _write_session(self, page: WebKitPage, entries: Mapping[str, str], merge: bool, timeout: float) -> None:
        await _area(page, page.frame_tree.top.origin, timeout).write(entries, merge)

    async def _wait_until_seen(self, page: WebKitPage, entries: Mapping[str, str], merge: bool) -> None:
        area = _area(page, page.frame_tree.top.origin, SEEN_MILLISECONDS / 1000)
        with suppress(OrynError, TimeoutError):  # a page that can't answer need not see them
            async with asyncio.timeout(SEEN_MILLISECONDS / 1000):
                while True:
                    if _has(await area.read(local=True), entries, merge):
                        return
                    await asyncio.sleep(_LOOK_SECONDS)


def _has(present: Mapping[str, str], entries: Mapping[str, str], merge: bool) -> bool:
    return entries.items() <= present.items() and (merge or len(present) == len(entries))


class StorageArea:
    """The storage that the documents of an origin have in one tab."""

    def __init__(self, call: Callable[..., Any], origin: str) -> None:
        self._call = call
        self._origin = origin

    def _id(self, local: bool) -> dict[str, Any]:
        return {"storageId": {"securityOrigin": self._origin, "isLocalStorage": local}}

    async def read(self, *, local: bool = False) -> dict[str, str]:
        """The session storage; or the local one."""
        answer = await self._call("DOMStorage.getDOMStorageItems", self._id(local))
        return dict(answer["entries"])

    async def write(self, entries: Mapping[str, str], merge: bool) -> None:
        """Replace the session storage, or add to it."""
        if not merge:
            await self._call("DOMStorage.clearDOMStorageItems", self._id(local=False))
        for key, value in entries.items():
            item = {**self._id(local=False), "key": key, "value": value}
            await self._call("DOMStorage.setDOMStorageItem", item)


def _area(page: WebKitPage, origin: str, timeout: float) -> StorageArea:
    return StorageArea(partial(page.channel.call, timeout=timeout), origin)
