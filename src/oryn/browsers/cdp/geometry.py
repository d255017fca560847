"""Points of frames as points of the tab, and where frames lie in it.

https://chromedevtools.github.io/devtools-protocol/tot/DOM/#method-getFrameOwner
"""

from __future__ import annotations

from typing import Any

from oryn.browsers.base import Frame, Rect
from oryn.browsers.cdp.channel import Channel
from oryn.browsers.cdp.frames import Frames, Node
from oryn.browsers.common.boxes import nested
from oryn.errors import ElementNotInteractable, ElementStale, FrameNotFound


async def to_viewport(channel: Channel, frames: Frames, x: float, y: float, frame: Frame) -> tuple[float, float]:
    """A point of `frame`'s viewport as one of the tab's; see `browsers.base`."""
    node = frames.node(frame)
    while node.parent is not None:
        x, y = await _in_parent(channel, node, x, y)
        node = node.parent
    return x, y


# Runs on the `<iframe>` in the parent's own world: where its content box begins, and what is on top at the point. The
# answer is a hint that a page can spoil at its own expense; input goes where a person's would.
_PLACE = """async function(x, y) {
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
    // The browser finds out whom a press is for from the last picture, so that must be drawn anew.
    for (let frames = 0; frames < 2; frames++) {
      await new Promise(resolve => { requestAnimationFrame(resolve); setTimeout(resolve, 100); });
    }
    point = place();
  }
  const onTop = this.getRootNode().elementFromPoint(...point);
  const covered = onTop && onTop !== this && !this.contains(onTop);
  return [...point, covered ? onTop.localName + (onTop.id ? '#' + onTop.id : '') : ''];
}"""


async def _in_parent(channel: Channel, node: Node, x: float, y: float) -> tuple[float, float]:
    left, top, covered = await ask_element(channel, node, _PLACE, [{"value": x}, {"value": y}], 30)
    if covered:
        raise ElementNotInteractable(f"the frame is covered by {covered}", "Close what covers it first.")
    return left, top


async def ask_element(channel: Channel, node: Node, function: str, arguments: list[Any], timeout: float) -> Any:
    """Run a function on the element that holds a frame, in the scanner's world of the frame around it."""
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


async def frame_place(channel: Channel, frames: Frames, frame: Frame, timeout: float) -> tuple[Rect, Rect]:
    """The viewport of `frame` in the tab's, and the part that the frames around it show; see `browsers.base`."""
    node = frames.node(frame)
    boxes = []
    while node.parent is not None:
        boxes.append(Rect(*await ask_element(channel, node, _BOX, [], timeout)))
        node = node.parent
    return nested(reversed(boxes))
