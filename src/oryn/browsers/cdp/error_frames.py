"""Frames in which the browser shows a page of its own: whether input would go there.

Only pages with such a frame ask, so that all others pay nothing for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from oryn.browsers.cdp.channel import Channel
from oryn.browsers.cdp.frames import Node
from oryn.browsers.cdp.geometry import ask_element
from oryn.browsers.common.life import DocumentGone
from oryn.errors import FrameNotFound

ASK_SECONDS = 10.0

# Each runs on the `<iframe>`, in the scanner's world of the document around it.
_FOCUSED = "function() { return this.getRootNode().activeElement === this; }"
_ON_TOP = """function(x, y) {
  if (this.getRootNode().elementFromPoint(x, y) !== this) return null;
  const box = this.getBoundingClientRect();
  const { paddingLeft, paddingTop } = getComputedStyle(this);
  return [box.left + this.clientLeft + parseFloat(paddingLeft), box.top + this.clientTop + parseFloat(paddingTop)];
}"""


async def reached(channel: Channel, failed: Sequence[Node], point: Sequence[float]) -> Node | None:
    """The one of these frames that input at `point` (of the tab's viewport) goes to, or without one the one that has
    the focus; None where it goes elsewhere."""
    held = await asyncio.gather(*(_gets_input(channel, node, point) for node in failed))
    return next((node for node, gets in zip(failed, held, strict=True) if gets), None)


async def _gets_input(channel: Channel, node: Node, point: Sequence[float]) -> bool:
    around = [node]
    while (parent := around[-1].parent) is not None and parent.parent is not None:
        around.append(parent)
    try:
        for each in reversed(around):
            if not point:
                if not await _ask(channel, each, _FOCUSED):
                    return False
                continue
            origin = await _ask(channel, each, _ON_TOP, *point)
            if not origin:
                return False
            point = (point[0] - origin[0], point[1] - origin[1])
    except (FrameNotFound, DocumentGone):
        return False  # it has left
    return True


async def _ask(channel: Channel, node: Node, function: str, *numbers: float) -> Any:
    return await ask_element(channel, node, function, [{"value": number} for number in numbers], ASK_SECONDS)
