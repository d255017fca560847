"""Hints of elements that only listen for clicks: the debugger alone can tell, of the top document.

An extension's debugger has no command line API in pages. So the listeners of the whole document are asked for, and the
elements that have some are handed to the script which otherwise would ask for those itself.
https://chromedevtools.github.io/devtools-protocol/tot/DOMDebugger/#method-getEventListeners
"""

from __future__ import annotations

import asyncio
from typing import Any

from oryn.browsers.extension.debugger import Debugger
from oryn.browsers.extension.frames import TOP, Node
from oryn.errors import OrynError
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
_TELL = f"""function(kinds, ...elements) {{
  const listening = (names) => Object.fromEntries(names.map((name) => [name, true]));
  const known = new Map(elements.map((element, at) => [element, listening(kinds[at])]));
  const getEventListeners = (element) => known.get(element) || {{}};
  return ({LISTENERS_SCRIPT})(0);
}}"""


async def listeners(debugger: Debugger, node: Node, levels: int, timeout: float) -> Any:
    """As `common.asking.Asking.listeners` says; None where no debugger is attached."""
    if node.id != TOP or levels or not debugger.is_attached:
        return None
    try:
        async with asyncio.timeout(timeout):
            return await _ask(debugger)
    except (OrynError, TimeoutError, KeyError):
        return None  # only hints: whatever is wrong, the request that wants them will meet it too


async def _ask(debugger: Debugger) -> Any:
    try:
        document, shadows = await asyncio.gather(_evaluate(debugger, "document"), _evaluate(debugger, _SHADOWS))
        kinds = await _kinds(debugger, [document["objectId"], *await _objects(debugger, shadows)])
        elements = await _resolve(debugger, list(kinds)[:MOST_ELEMENTS])
        values = [{"value": [sorted(kinds[node]) for node in elements]}, *elements.values()]
        call = {"functionDeclaration": _TELL, "objectId": document["objectId"], "arguments": values}
        answer = await debugger.call("Runtime.callFunctionOn", {**call, "returnByValue": True})
        return answer["result"].get("value")
    finally:
        if debugger.is_attached:
            debugger.session.send("Runtime.releaseObjectGroup", {"objectGroup": _GROUP})


async def _evaluate(debugger: Debugger, expression: str) -> dict[str, Any]:
    answer = await debugger.call("Runtime.evaluate", {"expression": expression, "objectGroup": _GROUP})
    result: dict[str, Any] = answer["result"]
    return result


async def _objects(debugger: Debugger, array: dict[str, Any]) -> list[str]:
    """The ids of the objects in an array."""
    if array["description"] == "Array(0)":
        return []
    told = await debugger.call("Runtime.getProperties", {"objectId": array["objectId"], "ownProperties": True})
    return [each["value"]["objectId"] for each in told["result"] if each["name"].isdigit()]


async def _kinds(debugger: Debugger, roots: list[str]) -> dict[int, set[str]]:
    """For what is in the roots: the kinds of events that each node (by its backend id) listens for."""
    session = debugger.session
    method = "DOMDebugger.getEventListeners"
    answers = [session.send(method, {"objectId": root, "depth": -1}) for root in roots]
    kinds: dict[int, set[str]] = {}
    for answer in answers:
        for listener in (await answer)["listeners"]:
            if "backendNodeId" in listener:
                kinds.setdefault(listener["backendNodeId"], set()).add(listener["type"])
    return kinds


async def _resolve(debugger: Debugger, nodes: list[int]) -> dict[int, dict[str, Any]]:
    """Those of the nodes that are still there, as arguments of a call."""
    session = debugger.session
    asked = [session.send("DOM.resolveNode", {"backendNodeId": each, "objectGroup": _GROUP}) for each in nodes]
    found = await asyncio.gather(*asked, return_exceptions=True)
    return {
        node: {"objectId": each["object"]["objectId"]}
        for node, each in zip(nodes, found, strict=True)
        if isinstance(each, dict)
    }
