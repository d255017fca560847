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


class ClosedRoots:
    """The closed shadow roots of one tab's documents."""

    def __init__(self, channel: TabConnection) -> None:
        self._channel = channel

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
        finally:
            node.session.send("Runtime.releaseObjectGroup", {"objectGroup": _GROUP})

    async def _hosts(self, node: CdpFrameNode, context: int) -> list[dict[str, Any]]:
        """The elements that the scanner asks about, as parameters that name them."""
        hosts = await self._call(node, context, _UNSURE, [])
        params = {"objectId": hosts["result"]["objectId"], "ownProperties": True}
        answer = await self._channel.call("Runtime.getProperties", params, session=node.session)
        return [{"objectId": each["value"]["objectId"]} for each in answer["result"] if each["name"].isdigit()]

    async def _each(self, node: CdpFrameNode, method: str, params: list[dict[str, Any]]) -> list[Answer]:
        """The answers to one command about many nodes. Those that are gone have none."""
        sent = [node.session.send(method, {"objectGroup": _GROUP, **each}) for each in params]
        answers: list[Answer | BaseException] = await asyncio.gather(*sent, return_exceptions=True)
        return [answer for answer in answers if isinstance(answer, dict)]

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
