"""Points of frames as points of the tab, and where frames lie in it, by the content scripts of the frames around."""

from __future__ import annotations

from oryn.browsers.base import Frame, Rect
from oryn.browsers.common.boxes import nested
from oryn.browsers.extension.frames import Frames
from oryn.errors import ElementNotInteractable


async def to_viewport(frames: Frames, x: float, y: float, frame: Frame) -> tuple[float, float]:
    """A point of `frame`'s viewport as one of the tab's; see `browsers.base`."""
    node = frames.node(frame)
    while node.parent is not None:
        x, y, covered = await frames.ask_around(node, {"oryn": "place", "x": x, "y": y})
        if covered:
            raise ElementNotInteractable(f"the frame is covered by {covered}", "Close what covers it first.")
        node = node.parent
    return x, y


async def frame_place(frames: Frames, frame: Frame, timeout: float) -> tuple[Rect, Rect]:
    """The viewport of `frame` in the tab's, and the part that the frames around it show; see `browsers.base`."""
    node = frames.node(frame)
    boxes = []
    while node.parent is not None:
        boxes.append(Rect(*await frames.ask_around(node, {"oryn": "box"}, timeout=timeout)))
        node = node.parent
    return nested(reversed(boxes))
