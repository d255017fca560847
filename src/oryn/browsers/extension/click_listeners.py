"""Hints of elements that only listen for clicks: only the debugger reports them, for the top document.

An extension's debugger has no command line API in pages. So the listeners of the whole document are queried, and the
elements that have some are passed to the script which otherwise would query them itself. The result is cached, because
it seldom changes: the next time both queries are sent at once, and their answers agree.
https://chromedevtools.github.io/devtools-protocol/tot/DOMDebugger/#method-getEventListeners"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from oryn.browsers.cdp.connection import CdpSession
from oryn.browsers.common.protocol_session import Answer
from oryn.browsers.extension.debugger import TabDebugger
from oryn.browsers.extension.frames import TOP, ExtensionFrameNode
from oryn.core.records import Record, field
from oryn.errors import OrynError
from oryn.scanner import page_script

MAX_SHADOW_ROOTS = 200
MAX_ELEMENTS = 2000
"""Further elements are not reported: each costs a message."""
_GROUP = "oryn-listeners"
# The protocol's own way into shadow roots leads into frames as well, whose objects can't be used with the document's.
_SHADOW_ROOTS = f"""(() => {{
  const roots = [document];
  for (const root of roots)
    for (const element of root.querySelectorAll('*'))
      if (element.shadowRoot && roots.length <= {MAX_SHADOW_ROOTS}) roots.push(element.shadowRoot);
  return roots.slice(1);
}})()"""
_HINTS_FUNCTION = f"""((kinds, ...elements) => {{
  const listening = (names) => Object.fromEntries(names.map((name) => [name, true]));
  const listeners = new Map(elements.map((element, at) => [element, listening(kinds[at])]));
  const getEventListeners = (element) => listeners.get(element) || {{}};
  return {{ hints: {page_script("listeners")}(0), shadows: {_SHADOW_ROOTS}.length }};
}})"""
_CALL = "function(...values) { return this(...values); }"

EventKinds = dict[int, set[str]]
"""Of nodes, by their backend ids: the kinds of events that each listens for."""


class ListenerCache(Record, frozen=False):
    """The listeners of one document, in one session of the debugger. Objects are named by the protocol's ids."""

    loader: str
    session: CdpSession
    document: str
    function: str
    kinds: EventKinds = field(factory=dict)
    elements: dict[int, str] = field(factory=dict)
    """The nodes in `kinds` that have been resolved to objects."""


class ClickListeners:
    """Queries and caches the listeners of one tab."""

    def __init__(self, debugger: TabDebugger) -> None:
        self._debugger = debugger
        self._cache: ListenerCache | None = None
        self._lock = asyncio.Lock()

    async def query(self, node: ExtensionFrameNode, levels: int, timeout: float) -> Any:
        """See `ScannerClient.listeners`; None if no debugger is attached."""
        if node.id != TOP or levels or not self._debugger.is_attached:
            return None
        try:
            async with asyncio.timeout(timeout), self._lock:
                return await self._query(node.loader)
        except (OrynError, TimeoutError, KeyError):
            self._cache = None
            return None  # only hints: the request that uses them meets the same failure

    async def _query(self, loader: str) -> Any:
        self._debugger.check_alive()
        found = self._cache
        if found is None or found.loader != loader or found.session is not self._debugger.session:
            found = self._cache = await self._begin(loader)
        kinds, answer = await asyncio.gather(_event_kinds(found.session, [found.document]), _call_hints_function(found))
        if isinstance(answer, dict) and answer.get("shadows"):
            roots = await _object_ids(found.session, await _evaluate(found.session, _SHADOW_ROOTS))
            for node, more in (await _event_kinds(found.session, roots)).items():
                kinds.setdefault(node, set()).update(more)
        if kinds != found.kinds:
            await _update_cache(found, kinds)
            answer = await _call_hints_function(found)
        return answer.get("hints") if isinstance(answer, dict) else None

    async def _begin(self, loader: str) -> ListenerCache:
        session = self._debugger.session
        if self._cache is not None and self._cache.session is session:
            session.send("Runtime.releaseObjectGroup", {"objectGroup": _GROUP})
        document, function = await asyncio.gather(_evaluate(session, "document"), _evaluate(session, _HINTS_FUNCTION))
        return ListenerCache(loader, session, document["objectId"], function["objectId"])


async def _update_cache(found: ListenerCache, kinds: EventKinds) -> None:
    """Resolve new nodes, and release those that no longer listen."""
    found.kinds = kinds
    for node in found.elements.keys() - kinds.keys():
        found.session.send("Runtime.releaseObject", {"objectId": found.elements.pop(node)})
    new = [node for node in kinds if node not in found.elements]
    found.elements |= await _resolve(found.session, new[: MAX_ELEMENTS - len(found.elements)])


async def _call_hints_function(found: ListenerCache) -> Any:
    """The result of the function in the page's world: of unchecked shape."""
    values: list[dict[str, Any]] = [{"value": [sorted(found.kinds[node]) for node in found.elements]}]
    values += [{"objectId": element} for element in found.elements.values()]
    call = {"functionDeclaration": _CALL, "objectId": found.function, "arguments": values, "returnByValue": True}
    answer = await found.session.call("Runtime.callFunctionOn", call)
    return answer["result"].get("value")


async def _evaluate(session: CdpSession, expression: str) -> dict[str, Any]:
    answer = await session.call("Runtime.evaluate", {"expression": expression, "objectGroup": _GROUP})
    result: dict[str, Any] = answer["result"]
    return result


async def _object_ids(session: CdpSession, array: dict[str, Any]) -> list[str]:
    """The ids of the objects in an array."""
    properties = await session.call("Runtime.getProperties", {"objectId": array["objectId"], "ownProperties": True})
    return [each["value"]["objectId"] for each in properties["result"] if each["name"].isdigit()]


async def _event_kinds(session: CdpSession, roots: Iterable[str]) -> EventKinds:
    """The listening nodes below the roots, by the kinds of their events."""
    answers = [session.send("DOMDebugger.getEventListeners", {"objectId": root, "depth": -1}) for root in roots]
    kinds: EventKinds = {}
    for answer in answers:
        for listener in (await answer)["listeners"]:
            if "backendNodeId" in listener:
                kinds.setdefault(listener["backendNodeId"], set()).add(listener["type"])
    return kinds


async def _resolve(session: CdpSession, nodes: list[int]) -> dict[int, str]:
    """Those of the nodes that are still there, as objects."""
    answers = [session.send("DOM.resolveNode", {"backendNodeId": each, "objectGroup": _GROUP}) for each in nodes]
    found: list[Answer | BaseException] = await asyncio.gather(*answers, return_exceptions=True)
    return {node: each["object"]["objectId"] for node, each in zip(nodes, found, strict=True) if isinstance(each, dict)}
