"""Finds closed shadow roots and hands them to the scanner, which can't reach them from the page.

The scanner names the elements that may have one. The browser says which of them do, and gives the roots to the
scanner's own isolated world, so that the page's scripts notice nothing.
https://chromedevtools.github.io/devtools-protocol/tot/DOM/#type-ShadowRootType
https://chromedevtools.github.io/devtools-protocol/tot/DOM/#method-resolveNode (executionContextId)"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterable, Sequence
from typing import Any

from oryn.browsers.cdp.channel import CdpChannel
from oryn.browsers.cdp.connection import CdpSession
from oryn.browsers.cdp.frames import CdpFrameNode
from oryn.browsers.common.protocol_session import Answer

_UNSURE = "function(){return __oryn_unsure()}"
_CLOSED = "function(...roots){__oryn_closed(...roots)}"
_LISTENING = "function(kinds,...elements){__oryn_listening(kinds,elements)}"

MAX_LISTENING_ROOTS = 50
"""Closed roots of one document whose listeners are queried: each costs two messages."""
MAX_LISTENING_ELEMENTS = 500
"""Elements with listeners in them that are reported: each costs a message."""


class ClosedRoots:
    """The closed shadow roots of one tab's documents."""

    def __init__(self, channel: CdpChannel) -> None:
        self._channel = channel
        self._found: dict[str, tuple[int, list[int]]] = {}
        """By frame: the scanner's execution context, and the backend ids of the last roots that were found for it."""

    async def reveal(self, node: CdpFrameNode, timeout: float) -> None:
        """Look for closed roots where the scanner of `node` is unsure, and hand them to it."""
        context = node.worlds.scanner
        if context is None:
            return
        async with asyncio.timeout(timeout), NodeQueries(self._channel, node.session, context) as queries:
            described = await queries.each("DOM.describeNode", await queries.elements(_UNSURE))
            roots = [
                root["backendNodeId"]
                for answer in described
                for root in answer["node"].get("shadowRoots", ())
                if root.get("shadowRootType") == "closed"  # else it may be the browser's own, as of an input
            ]
            if not roots:
                queries.post(_CLOSED)
                return
            await queries.call(_CLOSED, *await queries.objects(roots, context))
            self._found[node.id] = context, [*self._roots_of(node), *roots][-MAX_LISTENING_ROOTS:]
            await _report_listeners(queries, roots[-MAX_LISTENING_ROOTS:])

    async def refresh_listeners(self, node: CdpFrameNode, timeout: float) -> None:
        """Report the elements in closed roots that listen for clicks to the scanner of `node`, where there are any."""
        roots, context = self._roots_of(node), node.worlds.scanner
        if not roots or context is None:
            return
        async with asyncio.timeout(timeout), NodeQueries(self._channel, node.session, context) as queries:
            await _report_listeners(queries, roots)

    def _roots_of(self, node: CdpFrameNode) -> list[int]:
        context, roots = self._found.get(node.id, (None, []))
        return roots if context == node.worlds.scanner else []


class NodeQueries:
    """Queries about nodes of one scanner's documents. A context manager: its objects are released at the end."""

    _groups = itertools.count()

    def __init__(self, channel: CdpChannel, session: CdpSession, context: int) -> None:
        self._channel = channel
        self._session = session
        self._context = context
        self._group = f"oryn-nodes-{next(self._groups)}"

    async def __aenter__(self) -> NodeQueries:
        return self

    async def __aexit__(self, *_: object) -> None:
        self._session.send("Runtime.releaseObjectGroup", {"objectGroup": self._group})

    async def call(self, function: str, *arguments: dict[str, Any]) -> Answer:
        """Call a function in the scanner's world. Raises what `CdpChannel.call` raises."""
        return await self._channel.call(
            "Runtime.callFunctionOn", self._call_params(function, arguments), session=self._session
        )

    def post(self, function: str) -> None:
        """Call a function without waiting for its end; later calls come after it."""
        self._session.send("Runtime.callFunctionOn", self._call_params(function, ()))

    async def elements(self, function: str) -> list[dict[str, Any]]:
        """The elements in the array that a function of the scanner's world returns, as `objectId`."""
        array = await self.call(function)
        params = {"objectId": array["result"]["objectId"], "ownProperties": True}
        answer = await self._channel.call("Runtime.getProperties", params, session=self._session)
        return [{"objectId": each["value"]["objectId"]} for each in answer["result"] if each["name"].isdigit()]

    async def objects(self, nodes: Iterable[int], context: int | None = None) -> list[dict[str, Any]]:
        """Nodes by their backend ids, in the order of these, as `objectId` in an execution context (default: the page's
        own world). Those that are gone are left out."""
        return [each for each in await self.objects_or_none(nodes, context) if each is not None]

    async def objects_or_none(self, nodes: Iterable[int], context: int | None) -> list[dict[str, Any] | None]:
        world = {} if context is None else {"executionContextId": context}
        params = [{"backendNodeId": node, "objectGroup": self._group, **world} for node in nodes]
        answers = await self._all("DOM.resolveNode", params)
        return [{"objectId": each["object"]["objectId"]} if isinstance(each, dict) else None for each in answers]

    async def each(self, method: str, params: Iterable[dict[str, Any]]) -> list[Answer]:
        """The answers to one command about many nodes. Those that are gone have none."""
        return [answer for answer in await self._all(method, params) if isinstance(answer, dict)]

    async def report(self, function: str, kinds: dict[int, set[str]]) -> None:
        """Call `function(kinds, ...elements)` with those of the nodes that are still there."""
        objects = await self.objects_or_none(kinds, self._context)
        there = [(each, sorted(names)) for each, names in zip(objects, kinds.values(), strict=True) if each is not None]
        await self.call(function, {"value": [names for _, names in there]}, *(each for each, _ in there))

    async def _all(self, method: str, params: Iterable[dict[str, Any]]) -> list[Answer | BaseException]:
        return await asyncio.gather(*(self._session.send(method, each) for each in params), return_exceptions=True)

    def _call_params(self, function: str, arguments: Sequence[dict[str, Any]]) -> dict[str, Any]:
        return {
            "functionDeclaration": function,
            "arguments": arguments,
            "executionContextId": self._context,
            "objectGroup": self._group,
        }


async def _report_listeners(queries: NodeQueries, roots: list[int]) -> None:
    # The browser reports only the listeners of the world that an object is from: here the page's own.
    params = [{**each, "depth": -1, "pierce": True} for each in await queries.objects(roots)]
    kinds: dict[int, set[str]] = {}
    for answer in await queries.each("DOMDebugger.getEventListeners", params):
        for listener in answer["listeners"]:
            if "backendNodeId" in listener:
                kinds.setdefault(listener["backendNodeId"], set()).add(listener["type"])
    await queries.report(_LISTENING, dict(list(kinds.items())[:MAX_LISTENING_ELEMENTS]))
