"""Draws the numbers of the observed elements into a screenshot."""

from __future__ import annotations

import base64
import struct
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from oryn.browsers.base import Frame, ImageFormat, Page, Rect
from oryn.engine.page.scanner import FRAME_GONE, query_scanner

if TYPE_CHECKING:
    from oryn.engine.page.context import PageContext
    from oryn.scanner.protocol import (
        AnnotateRequest,
        AnnotateResponse,
        BoxesRequest,
        BoxesResponse,
        ScanRequest,
        VisibleBox,
    )

MIN_SIDE_PIXELS = 2.0
"""Minimum side of an element's visible part in the picture to get its number, in CSS pixels."""

Boxes = dict[int, Rect]


async def visible_boxes(context: PageContext) -> Boxes:
    """Return the visible part of each numbered element in the tab's viewport. Numbers stay, and new elements get the
    next ones.

    The page's recorded URL and title stay as they are, because the next action's changes are compared with them."""
    index, page = context.element_index, context.page
    index.enter(page)
    if index.elements is None:
        await index.refresh(page, context.frame, timeout=context.deadline.remaining())
        numbers = list(index.elements or ())
    else:
        request: ScanRequest = {"cmd": "scan", "fields": [], "max_elements": 0}
        location = index.url, index.title
        scan = await index.scan(page, context.frame, request, timeout=context.deadline.remaining())
        index.url, index.title = location
        numbers = [element["id"] for element in scan.elements]
    return await boxes_of(page, numbers, index.frames, timeout=context.deadline.remaining())


async def boxes_of(
    page: Page,
    numbers: Iterable[int],
    frames: Mapping[int, Frame | None],
    *,
    timeout: float,
    references: bool = False,
) -> Boxes:
    """Return the visible parts of these elements in the tab's viewport. `frames` has the frames of elements outside the
    top document. Numbers don't change. `timeout` is in seconds. `references`: the numbers are those of `@e1` …"""
    by_frame: defaultdict[Frame | None, list[int]] = defaultdict(list)
    for number in numbers:
        by_frame[frames.get(number)].append(number)
    found: Boxes = {}
    for frame, ids in by_frame.items():
        try:
            found |= await _boxes_in(page, frame, ids, timeout, references)
        except FRAME_GONE:
            continue  # a removed frame displays nothing
    return dict(sorted(found.items()))


async def _boxes_in(page: Page, frame: Frame | None, ids: list[int], timeout: float, references: bool) -> Boxes:
    request: BoxesRequest = {"cmd": "boxes", "ids": ids, "references": references}
    data: BoxesResponse = await query_scanner(page, request, frame, timeout)
    boxes = {box["id"]: Rect(box["x"], box["y"], box["width"], box["height"]) for box in data["boxes"]}
    if frame is None or frame.level == 0:
        return boxes
    area, clip = await page.frame_area(frame, timeout=timeout)
    return {number: area.box_of(box).intersection(clip) for number, box in boxes.items()}


def visible_area(image: bytes, area: Rect) -> Rect:
    """Return the part of `area` that a PNG picture of it contains: pictures of long pages are cut. Pure."""
    width, height = _size_of(image)
    return Rect(area.x, area.y, area.width, min(area.height, height * area.width / width))


def _size_of(image: bytes) -> tuple[int, int]:
    """Width and height of a PNG picture (https://www.w3.org/TR/png/#11IHDR). Pure."""
    width, height = struct.unpack(">II", image[16:24])
    return width, height


def clip_boxes(boxes: Boxes, area: Rect) -> Boxes:
    """Return the boxes relative to the picture of `area`, without those outside of it. Pure."""
    cut = {number: box.intersection(area).translated(-area.x, -area.y) for number, box in boxes.items()}
    return {number: box for number, box in cut.items() if min(box.width, box.height) >= MIN_SIDE_PIXELS}


async def draw_boxes(
    context: PageContext, image: bytes, boxes: Boxes, width: float, format: ImageFormat, quality: int | None
) -> bytes:
    """Draw `boxes` into the picture, which is `width` CSS pixels wide, and return an image file of `format`. In a
    smaller picture the numbers are as large as in one of its full size, so that they can be read."""
    if (drawn := _size_of(image)[0]) < width:
        ratio, width = drawn / width, drawn
        boxes = {number: Rect(*(ratio * side for side in box.values().values())) for number, box in boxes.items()}
    request: AnnotateRequest = {
        "cmd": "annotate",
        "image": base64.b64encode(image).decode("ascii"),
        "format": format,
        "width": width,
        "boxes": [box_data(number, box) for number, box in boxes.items()],
        "quality": quality,
    }
    data: AnnotateResponse = await query_scanner(context.page, request, None, context.deadline.remaining())
    return base64.b64decode(data["image"])


def box_data(number: int, box: Rect) -> VisibleBox:
    return {"id": number, "x": box.x, "y": box.y, "width": box.width, "height": box.height}
