"""Converts points and boxes of frames to the tab's viewport, and finds the frame that input would go to.

Only pages with a frame that shows an error page of the browser need the latter.
https://chromedevtools.github.io/devtools-protocol/tot/DOM/#method-getFrameOwner"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from oryn.browsers.base import Frame, Rect
from oryn.browsers.cdp.frames import CdpFrameNode, CdpFrameTree
from oryn.browsers.cdp.tab_connection import TabConnection
from oryn.browsers.common.frame_tree import nested_viewport
from oryn.browsers.common.tab_state import DocumentGone
from oryn.errors import ElementNotInteractable, ElementStale, FrameNotFound


async def to_viewport(
    channel: TabConnection, frames: CdpFrameTree, x: float, y: float, frame: Frame
) -> tuple[float, float]:
    """A point of `frame`'s viewport as a point of the tab's; see `browsers.base`. Scrolls the frame into view."""
    node = frames.node(frame)
    while node.parent is not None:
        x, y = await _in_parent(channel, node, x, y)
        node = node.parent
    return x, y


# Runs on the `<iframe>` in the parent's own world: where its content box begins, and what is on top at the point. The
# answer is a hint that a page can spoil at its own expense; input goes where a person's would.
_SCROLL_AND_LOCATE = """async function(x, y) {
  const place = () => {
    const box = this.getBoundingClientRect();
    const style = getComputedStyle(this);
    const left = box.left + this.clientLeft + parseFloat(style.paddingLeft);
    const top = box.top + this.clientTop + parseFloat(style.paddingTop);
    return [left + x, top + y];
  };
  const inside = ([x, y]) => x >= 0 && y >= 0 && x < innerWidth && y < innerHeight;
  let point = place();
  if (!inside(point)) {
    this.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
    point = place();
    if (!inside(point)) {
      scrollBy({ left: point[0] - innerWidth / 2, top: point[1] - innerHeight / 2, behavior: 'instant' });
    }
    // The browser hit-tests input against the last drawn frame, so wait until the page is drawn again.
    for (let frames = 0; frames < 2; frames++) {
      await new Promise(resolve => { requestAnimationFrame(resolve); setTimeout(resolve, 100); });
    }
    point = place();
  }
  const onTop = this.getRootNode().elementFromPoint(...point);
  const covered = onTop && onTop !== this && !this.contains(onTop);
  return [...point, covered ? onTop.localName + (onTop.id ? '#' + onTop.id : '') : ''];
}"""


async def _in_parent(channel: TabConnection, node: CdpFrameNode, x: float, y: float) -> tuple[float, float]:
    left, top, covered = await call_on_frame_element(
        channel, node, _SCROLL_AND_LOCATE, [{"value": x}, {"value": y}], 30
    )
    if covered:
        raise ElementNotInteractable(f"the frame is covered by {covered}", "Close what covers it first.")
    return left, top


async def call_on_frame_element(
    channel: TabConnection, node: CdpFrameNode, function: str, arguments: list[Any], timeout: float
) -> Any:
    """Call a function on the element of a frame, in the scanner's world of the parent frame.

    Raises `FrameNotFound` if the frame is gone."""
    assert node.parent is not None
    session = node.parent.session
    try:
        owner = await channel.call("DOM.getFrameOwner", {"frameId": node.id}, session=session, timeout=timeout)
        params = {"backendNodeId": owner["backendNodeId"]}
        if node.parent.worlds.scanner is not None:
            params["executionContextId"] = node.parent.worlds.scanner
        element = await channel.call("DOM.resolveNode", params, session=session, timeout=timeout)
    except ElementStale as error:
        raise FrameNotFound("the frame is gone", "Run 'frames' to see which there are.") from error
    answer = await channel.call(
        "Runtime.callFunctionOn",
        {
            "functionDeclaration": function,
            "objectId": element["object"]["objectId"],
            "arguments": arguments,
            "awaitPromise": True,
            "returnByValue": True,
        },
        session=session,
        timeout=timeout,
    )
    return answer["result"]["value"]


# The content box of the `<iframe>` in its document's viewport, without scrolling.
_BOX = """function() {
  const box = this.getBoundingClientRect();
  const { paddingLeft, paddingTop, paddingRight, paddingBottom } = getComputedStyle(this);
  return [
    box.left + this.clientLeft + parseFloat(paddingLeft),
    box.top + this.clientTop + parseFloat(paddingTop),
    this.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight),
    this.clientHeight - parseFloat(paddingTop) - parseFloat(paddingBottom),
  ];
}"""


async def frame_bounds(channel: TabConnection, frames: CdpFrameTree, frame: Frame, timeout: float) -> tuple[Rect, Rect]:
    """The viewport of `frame` in the tab's, and the part of it that its ancestors do not clip; see `browsers.base`."""
    node = frames.node(frame)
    boxes = []
    while node.parent is not None:
        boxes.append(Rect(*await call_on_frame_element(channel, node, _BOX, [], timeout)))
        node = node.parent
    return nested_viewport(reversed(boxes))


QUERY_SECONDS = 10.0

# Each runs on the `<iframe>`, in the scanner's world of the document around it.
_FOCUSED = "function() { return this.getRootNode().activeElement === this; }"
_ON_TOP = """function(x, y) {
  if (this.getRootNode().elementFromPoint(x, y) !== this) return null;
  const box = this.getBoundingClientRect();
  const { paddingLeft, paddingTop } = getComputedStyle(this);
  return [box.left + this.clientLeft + parseFloat(paddingLeft), box.top + this.clientTop + parseFloat(paddingTop)];
}"""


async def find_input_target(
    channel: TabConnection, failed: Sequence[CdpFrameNode], point: Sequence[float]
) -> CdpFrameNode | None:
    """The frame among `failed` that input goes to, or None.

    point: a point of the tab's viewport; if it is empty, input goes to the frame that has the focus."""
    hits = await asyncio.gather(*(_gets_input(channel, node, point) for node in failed))
    return next((node for node, is_hit in zip(failed, hits, strict=True) if is_hit), None)


async def _gets_input(channel: TabConnection, node: CdpFrameNode, point: Sequence[float]) -> bool:
    around = [node]
    while (parent := around[-1].parent) is not None and parent.parent is not None:
        around.append(parent)
    try:
        for each in reversed(around):
            if not point:
                if not await _call(channel, each, _FOCUSED):
                    return False
                continue
            origin = await _call(channel, each, _ON_TOP, *point)
            if not origin:
                return False
            point = (point[0] - origin[0], point[1] - origin[1])
    except (FrameNotFound, DocumentGone):
        return False  # the frame is gone
    return True


async def _call(channel: TabConnection, node: CdpFrameNode, function: str, *numbers: float) -> Any:
    return await call_on_frame_element(
        channel, node, function, [{"value": number} for number in numbers], QUERY_SECONDS
    )
