"""What the documents of a tab store, read where they are: in the scanner's world, which no page script reaches."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from oryn.browsers.base.storage import Area
from oryn.browsers.cdp import failures
from oryn.browsers.cdp.visits import WEB
from oryn.errors import OrynError, Timeout

if TYPE_CHECKING:
    from oryn.browsers.cdp.frames import Node
    from oryn.browsers.cdp.page import CdpPage

# A page may be denied its storage. By index, because a key may be called like a method.
_READ = """(() => {
  const entries = name => {
    try {
      const area = globalThis[name];
      const keys = Array.from({length: area.length}, (_, index) => area.key(index));
      return keys.map(key => [key, area.getItem(key)]);
    } catch { return []; }
  };
  return JSON.stringify([entries('sessionStorage'), entries('localStorage')]);
})()"""


async def evaluate(page: CdpPage, node: Node, expression: str, timeout: float) -> Any:
    """The JSON value of an expression in a frame's document, awaited where it is a promise."""
    params: dict[str, Any] = {"expression": expression, "returnByValue": True, "awaitPromise": True}
    if (context := node.worlds.scanner) is not None:
        params["contextId"] = context
    answer = await page.channel.call("Runtime.evaluate", params, session=node.session, timeout=timeout)
    if "exceptionDetails" in answer:
        raise failures.from_exception(answer["exceptionDetails"])
    return answer["result"].get("value")


async def areas_of(page: CdpPage, timeout: float) -> list[Area]:
    """What the tab's page and the frames in it store. A frame that does not answer is left out; raises what keeps the
    page itself from answering."""
    top = page.frame_tree.top
    if not top.origin.startswith(WEB):
        return []
    shown: dict[str, Node] = {}
    for node in top.below():
        if node.origin.startswith(WEB) and (node is top or node.worlds.scanner is not None):
            shown.setdefault(node.origin, node)
    texts = await asyncio.gather(*(_read(page, node, timeout) for node in shown.values()))
    if texts[0] is None:
        raise Timeout("the page did not say what it stores")
    return [
        Area(origin, top.origin, *map(dict, json.loads(text)))
        for origin, text in zip(shown, texts, strict=True)
        if text is not None
    ]


async def _read(page: CdpPage, node: Node, timeout: float) -> str | None:
    try:
        text: str = await evaluate(page, node, _READ, timeout)
    except OrynError:
        return None
    return text
