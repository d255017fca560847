"""Reads and writes web storage: local storage from a background tab, session storage in the tabs that have it.

The storage of open documents is read in the scanner's world, which page scripts can't reach."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from oryn.browsers.base.storage import OriginStorage
from oryn.browsers.cdp import error_mapping
from oryn.browsers.chromium.contexts import context_id_of
from oryn.browsers.chromium.storage.background_tab import attach_background_tab
from oryn.browsers.chromium.storage.seeding import StorageSeeder
from oryn.browsers.common.storage import SEEN_MILLISECONDS, VisitedStorage, parse_entries
from oryn.browsers.common.visited_origins import WEB
from oryn.errors import OrynError, Timeout
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


async def _read_document(page: CdpPage, node: CdpFrameNode, timeout: float) -> str | None:
    try:
        text: str = await evaluate_in_document(page, node, page_call("storage", "readBoth"), timeout)
    except OrynError:
        return None
    return text


class CdpStorage(VisitedStorage["CdpPage"]):
    """The web storage of one session."""

    def __init__(self, tabs: CdpTabs, targets: Callable[[], CdpTargets], features: ChromiumFeatures) -> None:
        super().__init__(tabs, features.visits, features.register(StorageSeeder()))
        self._targets = targets

    @asynccontextmanager
    async def _hidden_tab(self, timeout: float) -> AsyncIterator[BackgroundTab]:
        page = self._tabs.get(None)
        target_id = await self._targets().open_hidden(await context_id_of(page, timeout))
        async with attach_background_tab(page.channel.session.connection.root, target_id) as tab:
            yield tab

    async def _read_areas(self, page: CdpPage, timeout: float) -> list[OriginStorage]:
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

    async def _read_session(self, page: CdpPage, timeout: float) -> Mapping[str, str]:
        expression = page_call("storage", "read", "sessionStorage")
        return parse_entries(await evaluate_in_document(page, page.frame_tree.top, expression, timeout))

    async def _write_session(self, page: CdpPage, entries: Mapping[str, str], merge: bool, timeout: float) -> None:
        expression = page_call("storage", "write", "sessionStorage", list(entries.items()), merge)
        await evaluate_in_document(page, page.frame_tree.top, expression, timeout)

    async def _wait_until_seen(self, page: CdpPage, entries: Mapping[str, str], merge: bool) -> None:
        expression = page_call("storage", "untilSeen", "localStorage", list(entries.items()), merge, SEEN_MILLISECONDS)
        with suppress(OrynError):  # a page that can't answer need not see them
            await evaluate_in_document(page, page.frame_tree.top, expression, 2 * SEEN_MILLISECONDS / 1000)
