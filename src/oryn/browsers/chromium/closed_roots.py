"""Finds closed shadow roots and hands them to the scanner, which can't reach them from the page.

The scanner names the elements that may have one. The browser says which of them do, and gives the roots to the
scanner's own isolated world, so that the page's scripts notice nothing.
https://chromedevtools.github.io/devtools-protocol/tot/DOM/#type-ShadowRootType
https://chromedevtools.github.io/devtools-protocol/tot/DOM/#method-resolveNode (executionContextId)"""

from __future__ import annotations

import asyncio
from typing import Any

from oryn.browsers.cdp.connection import Answer
from oryn.browsers.cdp.frames import CdpFrameNode
from oryn.browsers.cdp.tab_connection import TabConnection

_GROUP = "oryn-roots"
_UNSURE = "function(){return __oryn_unsure()}"
_CLOSED = "function(...roots){__oryn_closed(...roots)}"
_LISTENING = "function(kinds,...elements){__oryn_listening(kinds,elements)}"

MAX_LISTENING_ROOTS = 50
"""Closed roots of one document whose listeners are queried: each costs two messages."""
MAX_LISTENING_ELEMENTS = 500
"""Elements with listeners in them that are reported: each costs a message."""


class ClosedRoots:
    """The closed shadow roots of one tab's documents."""

    def __init__(self, channel: TabConnection) -> None:
        self._channel = channel
        self._found: dict[str, tuple[int, list[int]]] = {}
        """By frame: the scanner's execution context, and the backend ids of the roots that it has."""

    async def reveal(self, node: CdpFrameNode, timeout: float) -> None:
        """Look for closed roots where the scanner of `node` is unsure, and hand them to it."""
        context = node.worlds.scanner
        if context is None:
            return
        try:
            async with asyncio.timeout(timeout):
                hosts = await self._hosts(node, context)
                roots = [root for found in await self._each(node, "DOM.describeNode", hosts) for root in _closed(found)]
                if roots:
                    params = [{"backendNodeId": root, "executionContextId": context} for root in roots]
                    objects = [answer["object"] for answer in await self._each(node, "DOM.resolveNode", params)]
                    await self._call(node, context, _CLOSED, [{"objectId": each["objectId"]} for each in objects])
                    self._found[node.id] = context, [*self._roots_of(node), *roots]
                    await self._report_listeners(node, context, roots)
        finally:
            node.session.send("Runtime.releaseObjectGroup", {"objectGroup": _GROUP})

    async def refresh_listeners(self, node: CdpFrameNode, timeout: float) -> None:
        """Report the elements in closed roots that listen for clicks to the scanner of `node`, where there are any."""
        roots, context = self._roots_of(node), node.worlds.scanner
        if not roots or context is None:
            return
        try:
            async with asyncio.timeout(timeout):
                await self._report_listeners(node, context, roots)
        finally:
            node.session.send("Runtime.releaseObjectGroup", {"objectGroup": _GROUP})

    def _roots_of(self, node: CdpFrameNode) -> list[int]:
        context, roots = self._found.get(node.id, (None, []))
        return roots if context == node.worlds.scanner else []

    async def _report_listeners(self, node: CdpFrameNode, context: int, roots: list[int]) -> None:
        # The browser reports only the listeners of the world that an object is from: here the page's own.
        params = [{"backendNodeId": root} for root in roots[-MAX_LISTENING_ROOTS:]]
        objects = [answer["object"]["objectId"] for answer in await self._each(node, "DOM.resolveNode", params)]
        queries = [{"objectId": each, "depth": -1, "pierce": True} for each in objects]
        kinds: dict[int, set[str]] = {}
        for answer in await self._each(node, "DOMDebugger.getEventListeners", queries):
            for listener in answer["listeners"]:
                if "backendNodeId" in listener:
                    kinds.setdefault(listener["backendNodeId"], set()).add(listener["type"])
        await self._report(node, context, dict(list(kinds.items())[:MAX_LISTENING_ELEMENTS]))

    async def _report(self, node: CdpFrameNode, context: int, kinds: dict[int, set[str]]) -> None:
        elements, listening = [], []
        params = [{"backendNodeId": each, "executionContextId": context} for each in kinds]
        for answer, names in zip(await self._all(node, "DOM.resolveNode", params), kinds.values(), strict=True):
            if isinstance(answer, dict):
                elements.append({"objectId": answer["object"]["objectId"]})
                listening.append(sorted(names))
        await self._call(node, context, _LISTENING, [{"value": listening}, *elements])

    async def _hosts(self, node: CdpFrameNode, context: int) -> list[dict[str, Any]]:
        """The elements that the scanner asks about, as parameters that name them."""
        hosts = await self._call(node, context, _UNSURE, [])
        params = {"objectId": hosts["result"]["objectId"], "ownProperties": True}
        answer = await self._channel.call("Runtime.getProperties", params, session=node.session)
        return [{"objectId": each["value"]["objectId"]} for each in answer["result"] if each["name"].isdigit()]

    async def _each(self, node: CdpFrameNode, method: str, params: list[dict[str, Any]]) -> list[Answer]:
        """The answers to one command about many nodes. Those that are gone have none."""
        return [answer for answer in await self._all(node, method, params) if isinstance(answer, dict)]

    async def _all(
        self, node: CdpFrameNode, method: str, params: list[dict[str, Any]]
    ) -> list[Answer | BaseException]:
        group = {"objectGroup": _GROUP} if method == "DOM.resolveNode" else {}
        sent = [node.session.send(method, {**group, **each}) for each in params]
        return await asyncio.gather(*sent, return_exceptions=True)

    async def _call(self, node: CdpFrameNode, context: int, function: str, arguments: list[dict[str, Any]]) -> Answer:
        params = {
            "functionDeclaration": function,
            "arguments": arguments,
            "executionContextId": context,
            "objectGroup": _GROUP,
        }
        return await self._channel.call("Runtime.callFunctionOn", params, session=node.session)


def _closed(answer: Answer) -> list[int]:
    """The backend ids of the closed roots that `DOM.describeNode` reports: never the browser's own, as of an input."""
    roots = answer["node"].get("shadowRoots", ())
    return [root["backendNodeId"] for root in roots if root.get("shadowRootType") == "closed"]
