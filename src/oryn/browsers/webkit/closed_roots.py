"""Finds closed shadow roots and hands them to the scanner, which can't reach them from the page.

The scanner names the elements that may have one; the inspector's view of the DOM has the roots.
https://github.com/WebKit/WebKit/blob/main/Source/JavaScriptCore/inspector/protocol/DOM.json"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from oryn.browsers.common.protocol_session import Handler, ProtocolSession
from oryn.browsers.webkit.frames import WebKitFrameNode

if TYPE_CHECKING:
    from oryn.browsers.webkit.channel import WebKitChannel

MAX_LISTENING_ROOTS = 50
"""Closed roots of one document whose listeners are queried."""


class HandleCalls(Protocol):
    """The calls to the scanner of a document; see `WebKitScannerClient`."""

    async def handle(self, node: WebKitFrameNode, *, timeout: float) -> str: ...
    async def call_handle(
        self, node: WebKitFrameNode, handle: str, function: str, *arguments: Any, timeout: float, by_value: bool = True
    ) -> Any: ...
    async def console_function(self, node: WebKitFrameNode, name: str, timeout: float) -> dict[str, str]: ...


class WebKitClosedRoots:
    """The closed shadow roots of one tab's documents."""

    def __init__(self, channel: WebKitChannel, calls: HandleCalls) -> None:
        self._channel = channel
        self._calls = calls
        self._found: dict[str, tuple[int | None, list[dict[str, str]]]] = {}
        """By frame: the execution context, and the last roots that were found in it."""
        self._lock = asyncio.Lock()

    async def reveal(self, node: WebKitFrameNode, timeout: float) -> None:
        """Look for closed roots where the scanner of `node` is unsure, and hand them to it."""
        async with asyncio.timeout(timeout), self._lock:
            handle = await self._calls.handle(node, timeout=timeout)
            array = await self._calls.call_handle(node, handle, "unsure", timeout=timeout, by_value=False)
            roots = await self._roots_below(await self._elements(array["objectId"]))
            await self._calls.call_handle(node, handle, "closed", *roots, timeout=timeout)
            if roots:
                self._found[node.id] = node.context, [*self._roots_of(node), *roots][-MAX_LISTENING_ROOTS:]
                await self._report_listeners(node, handle, roots[-MAX_LISTENING_ROOTS:], timeout)

    async def refresh_listeners(self, node: WebKitFrameNode, timeout: float) -> None:
        """Report the elements in closed roots that listen for clicks to the scanner of `node`, where there are any."""
        if roots := self._roots_of(node):
            async with asyncio.timeout(timeout):
                handle = await self._calls.handle(node, timeout=timeout)
                await self._report_listeners(node, handle, roots, timeout)

    def _roots_of(self, node: WebKitFrameNode) -> list[dict[str, str]]:
        context, roots = self._found.get(node.id, (None, []))
        return roots if context == node.context else []

    async def _report_listeners(
        self, node: WebKitFrameNode, handle: str, roots: list[dict[str, str]], timeout: float
    ) -> None:
        function = await self._calls.console_function(node, "getEventListeners", timeout)
        await self._calls.call_handle(node, handle, "listening", function, *roots, timeout=timeout)

    # --- the inspector's view of the DOM ---

    async def _elements(self, array: str) -> list[str]:
        """The object ids of the elements in an array."""
        session = self._channel.session
        answer = await session.send("Runtime.getProperties", {"objectId": array, "ownProperties": True})
        session.send("Runtime.releaseObject", {"objectId": array})
        found = answer.get("properties") or answer.get("result") or ()
        return [each["value"]["objectId"] for each in found if each["name"].isdigit()]

    async def _roots_below(self, elements: list[str]) -> list[dict[str, str]]:
        """The closed shadow roots of some elements, as objects."""
        session = self._channel.session
        rows: dict[int, list[int]] = {}

        def note(event: dict[str, Any]) -> None:
            for described in event["nodes"]:
                for each in nodes_of(described):
                    rows[each["nodeId"]] = closed_roots_of(each)

        def shown(event: dict[str, Any]) -> None:
            if event["root"].get("shadowRootType") == "closed":
                rows.setdefault(event["hostId"], []).append(event["root"]["nodeId"])

        with listening(session, {"DOM.setChildNodes": note, "DOM.shadowRootPushed": shown}):
            # From now on the browser tells about each node that is asked for, and those around it.
            top = await session.send("DOM.getDocument")
            note({"nodes": [top["root"]]})
            answers = [session.send("DOM.requestNode", {"objectId": each}) for each in elements]
            found = await asyncio.gather(*answers, return_exceptions=True)
            for each in elements:
                session.send("Runtime.releaseObject", {"objectId": each})
            hosts = [each["nodeId"] for each in found if isinstance(each, dict)]
            ids = [root for host in hosts for root in rows.get(host, ())]
            objects = [session.send("DOM.resolveNode", {"nodeId": each, "objectGroup": "oryn"}) for each in ids]
            resolved = await asyncio.gather(*objects, return_exceptions=True)
            session.send("DOM.getDocument")  # it forgets the nodes, and reports no more of their changes
        return [{"objectId": each["object"]["objectId"]} for each in resolved if isinstance(each, dict)]


def nodes_of(described: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A node as the inspector describes it, and those within it that it describes too."""
    waiting = [described]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += [*node.get("children", ()), *node.get("shadowRoots", ())]
        if "contentDocument" in node:
            waiting.append(node["contentDocument"])


def closed_roots_of(described: dict[str, Any]) -> list[int]:
    return [root["nodeId"] for root in described.get("shadowRoots", ()) if root.get("shadowRootType") == "closed"]


@contextmanager
def listening(session: ProtocolSession, handlers: dict[str, Handler]) -> Iterator[None]:
    """Call handlers for events of a session for a while."""
    for event, handler in handlers.items():
        session.on(event, handler)
    try:
        yield
    finally:
        for event, handler in handlers.items():
            session.off(event, handler)
