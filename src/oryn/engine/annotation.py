"""A picture with the numbers of the observation drawn in."""

from __future__ import annotations

import base64
import struct
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from oryn.browsers.base import Frame, ImageFormat, Page, Rect
from oryn.engine.view import FRAME_GONE, ask

if TYPE_CHECKING:
    from oryn.engine.session import Session

SMALLEST_SIDE = 2.0
"""CSS pixels; what is left of an element in the picture must be so large to get its number."""

Boxes = dict[int, Rect]


async def seen_boxes(session: Session) -> Boxes:
    """Where in the tab's viewport each numbered element is seen; numbers are kept, and what is new gets the next ones.

    What is known of the page stays as it was told: the next action's changes are still measured from that."""
    view, page = session.view, session.page
    view.enter(page)
    if view.elements is None:
        await view.refresh(page, session.frame, timeout=session.remaining())
        numbers = list(view.elements or ())
    else:
        request = {"fields": [], "keep_ids": True, "max_elements": 0}
        told = view.url, view.title
        scan = await view.look(page, session.frame, request, timeout=session.remaining())
        view.url, view.title = told
        numbers = [element["id"] for element in scan.elements]
    return await boxes_of(page, numbers, view.frames, timeout=session.remaining())


async def boxes_of(page: Page, numbers: Iterable[int], frames: Mapping[int, Frame], *, timeout: float) -> Boxes:
    """Where in the tab's viewport these elements are seen; `frames` has those outside the top document. Only looks: no
    number comes or goes."""
    by_frame: defaultdict[Frame | None, list[int]] = defaultdict(list)
    for number in numbers:
        by_frame[frames.get(number)].append(number)
    found: Boxes = {}
    for frame, ids in by_frame.items():
        try:
            found |= await _boxes_in(page, frame, ids, timeout)
        except FRAME_GONE:
            continue  # a frame that has gone meanwhile shows nothing
    return dict(sorted(found.items()))


async def _boxes_in(page: Page, frame: Frame | None, ids: list[int], timeout: float) -> Boxes:
    data = await ask(page, {"cmd": "boxes", "ids": ids}, frame, timeout)
    boxes = {box["id"]: Rect(box["x"], box["y"], box["width"], box["height"]) for box in data["boxes"]}
    if frame is None or frame.level == 0:
        return boxes
    place, shown = await page.frame_place(frame, timeout=timeout)
    return {number: box.moved(place.x, place.y).within(shown) for number, box in boxes.items()}


def shown_area(image: bytes, area: Rect) -> Rect:
    """What of `area` a PNG picture of it shows: long pages are cut. Pure."""
    # https://www.w3.org/TR/png/#11IHDR
    width, height = struct.unpack(">II", image[16:24])
    return Rect(area.x, area.y, area.width, min(area.height, height * area.width / width))


def in_picture(boxes: Boxes, area: Rect) -> Boxes:
    """The boxes relative to the picture that shows `area`, those outside of it left out. Pure."""
    cut = {number: box.within(area).moved(-area.x, -area.y) for number, box in boxes.items()}
    return {number: box for number, box in cut.items() if min(box.width, box.height) >= SMALLEST_SIDE}


async def drawn(session: Session, image: bytes, boxes: Boxes, width: float, format: ImageFormat) -> bytes:
    """The picture (`width` CSS pixels wide) with `boxes` drawn in, as an image file of `format`."""
    request: dict[str, Any] = {
        "cmd": "annotate",
        "image": base64.b64encode(image).decode("ascii"),
        "format": format,
        "width": width,
        "boxes": [box_data(number, box) for number, box in boxes.items()],
    }
    data = await ask(session.page, request, None, session.remaining())
    return base64.b64decode(data["image"])


def box_data(number: int, box: Rect) -> dict[str, float]:
    return {"id": number, "x": box.x, "y": box.y, "width": box.width, "height": box.height}
