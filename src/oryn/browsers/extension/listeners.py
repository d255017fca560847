"""Hints of elements that only listen for clicks: the debugger alone can tell, of the top document.

An extension's debugger has no command line API in pages. So the listeners of the whole document are asked for, and the
elements that have some are handed to the script which otherwise would ask for those itself. What was found is kept, for
it is seldom otherwise the next time: then both questions go out at once, and their answers agree.
https://chromedevtools.github.io/devtools-protocol/tot/DOMDebugger/#method-getEventListeners
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any, TypeGuard

from oryn.browsers.cdp.connection import Answer, Session
from oryn.browsers.extension.debugger import Debugger
from oryn.browsers.extension.frames import TOP, Node
from oryn.errors import OrynError
from oryn.records import Record, field
from oryn.scanner import LISTENERS_SCRIPT

MOST_SHADOWS = 200
MOST_ELEMENTS = 2000
"""What is beyond is not told: each costs a message."""
_GROUP = "oryn-listeners"
# The protocol's own way into shadow roots leads into frames as well, whose objects can't be used with the document's.
_SHADOWS = f"""(() => {{
  const roots = [document];
  for (const root of roots)
    for (const element of root.querySelectorAll('*'))
      if (element.shadowRoot && roots.length <= {MOST_SHADOWS}) roots.push(element.shadowRoot);
  return roots.slice(1);
}})()"""
_TELL = f"""((kinds, ...elements) => {{
  const listening = (names) => Object.fromEntries(names.map((name) => [name, true]));
  const known = new Map(elements.map((element, at) => [element, listening(kinds[at])]));
  const getEventListeners = (element) => known.get(element) || {{}};
  return {{ told: ({LISTENERS_SCRIPT})(0), shadows: {_SHADOWS}.length }};
}})"""
_CALL = "function(...values) { return this(...values); }"

Kinds = dict[int, set[str]]
"""Of nodes, by their backend ids: the kinds of events that each listens for."""


class Found(Record, frozen=False):
    """What is known of one document, in one session of the debugger. Objects are by the protocol's ids."""

    loader: str
    session: Session
    document: str
    tell: str
    kinds: Kinds = field(factory=dict)
    elements: dict[int, str] = field(factory=dict)
    """Those of the nodes in `kinds` that can be handed on."""


class Listeners:
    """Of one tab."""

    def __init__(self, debugger: Debugger) -> None:
        self._debugger = debugger
        self._found: Found | None = None
        self._asking = asyncio.Lock()

    async def ask(self, node: Node, levels: int, timeout: float) -> Any:
        """As `common.asking.Asking.listeners` says; None where no debugger is attached."""
        if node.id != TOP or levels or not self._debugger.is_attached:
            return None
        try:
            async with asyncio.timeout(timeout), self._asking:
                return await self._ask(node.loader)
        except (OrynError, TimeoutError, KeyError):
            self._found = None
            return None  # only hints: whatever is wrong, the request that wants them will meet it too

    async def _ask(self, loader: str) -> Any:
        self._debugger.check_alive()
        found = self._found
        if found is None or found.loader != loader or found.session is not self._debugger.session:
            found = self._found = await self._begin(loader)
        kinds, answer = await asyncio.gather(_kinds(found.session, [found.document]), _tell(found))
        if _has_shadows(answer):
            roots = await _objects(found.session, await _evaluate(found.session, _SHADOWS))
            for node, more in (await _kinds(found.session, roots)).items():
                kinds.setdefault(node, set()).update(more)
        if kinds != found.kinds:
            await _learn(found, kinds)
            answer = await _tell(found)
        return answer.get("told") if isinstance(answer, dict) else None

    async def _begin(self, loader: str) -> Found:
        session = self._debugger.session
        if self._found is not None and self._found.session is session:
            session.send("Runtime.releaseObjectGroup", {"objectGroup": _GROUP})
        document, tell = await asyncio.gather(_evaluate(session, "document"), _evaluate(session, _TELL))
        return Found(loader, session, document["objectId"], tell["objectId"])


async def _learn(found: Found, kinds: Kinds) -> None:
    """Get hold of the nodes that are new, and let go of those that listen no more."""
    found.kinds = kinds
    for node in found.elements.keys() - kinds.keys():
        found.session.send("Runtime.releaseObject", {"objectId": found.elements.pop(node)})
    new = [node for node in kinds if node not in found.elements]
    found.elements |= await _resolve(found.session, new[: MOST_ELEMENTS - len(found.elements)])


async def _tell(found: Found) -> Any:
    """What the page's world answers to what is known: of unchecked shape."""
    values: list[dict[str, Any]] = [{"value": [sorted(found.kinds[node]) for node in found.elements]}]
    values += [{"objectId": element} for element in found.elements.values()]
    call = {"functionDeclaration": _CALL, "objectId": found.tell, "arguments": values, "returnByValue": True}
    answer = await found.session.call("Runtime.callFunctionOn", call)
    return answer["result"].get("value")


def _has_shadows(answer: Any) -> TypeGuard[dict[str, Any]]:
    return isinstance(answer, dict) and bool(answer.get("shadows"))


async def _evaluate(session: Session, expression: str) -> dict[str, Any]:
    answer = await session.call("Runtime.evaluate", {"expression": expression, "objectGroup": _GROUP})
    result: dict[str, Any] = answer["result"]
    return result


async def _objects(session: Session, array: dict[str, Any]) -> list[str]:
    """The ids of the objects in an array."""
    told = await session.call("Runtime.getProperties", {"objectId": array["objectId"], "ownProperties": True})
    return [each["value"]["objectId"] for each in told["result"] if each["name"].isdigit()]


async def _kinds(session: Session, roots: Iterable[str]) -> Kinds:
    """Who listens in the roots."""
    asked = [session.send("DOMDebugger.getEventListeners", {"objectId": root, "depth": -1}) for root in roots]
    kinds: Kinds = {}
    for answer in asked:
        for listener in (await answer)["listeners"]:
            if "backendNodeId" in listener:
                kinds.setdefault(listener["backendNodeId"], set()).add(listener["type"])
    return kinds


async def _resolve(session: Session, nodes: list[int]) -> dict[int, str]:
    """Those of the nodes that are still there, as objects."""
    asked = [session.send("DOM.resolveNode", {"backendNodeId": each, "objectGroup": _GROUP}) for each in nodes]
    found: list[Answer | BaseException] = await asyncio.gather(*asked, return_exceptions=True)
    return {node: each["object"]["objectId"] for node, each in zip(nodes, found, strict=True) if isinstance(each, dict)}
