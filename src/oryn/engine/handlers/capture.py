"""The page as a file: `screenshot`, `pdf`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from oryn.browsers.base import ImageFormat, Rect
from oryn.browsers.base.recording import PdfOptions
from oryn.core.text_safety import quoted
from oryn.engine.file_access import Files, new_path
from oryn.engine.handlers.registry import handles
from oryn.engine.output.answer import Answer
from oryn.engine.page import annotation
from oryn.engine.page.context import query_element, require_no_dialog
from oryn.engine.page.resolve import resolve
from oryn.engine.page.scanner import query_scanner
from oryn.errors import ElementNotVisible, InvalidValue
from oryn.language import Pdf, Screenshot

if TYPE_CHECKING:
    from oryn.engine.session import Session
    from oryn.scanner.protocol import GetBoundsResponse, PageResponse

INCH = 2.54
"""Centimetres of an inch."""

PAPER_SIZES = {"A4": (21.0, 29.7), "Letter": (21.59, 27.94), "Legal": (21.59, 35.56), "Tabloid": (27.94, 43.18)}
"""Width and height in centimetres (ISO 216, ANSI/ASME Y14.1)."""

MAX_ANNOTATED_SIDE_PIXELS = 16384
"""Maximum side of an annotated picture in CSS pixels. On a screen with three pixels each, a canvas can't be larger."""

MARGIN = 1.0
"""Default margin of `pdf`, in centimetres."""


@handles(Screenshot)
async def screenshot(session: Session, command: Screenshot) -> Answer:
    clip, notes = None, list[str]()
    if command.output is not None:
        session.files.writable(command.output, overwrite=command.overwrite)  # check the path before any work
    if command.target is not None:
        require_no_dialog(session)
        target = await resolve(session, command.target, "screenshot", strict=command.strict)
        notes = target.notes
        clip = await _page_rect(session, target)
    kind = command.format or _format_of(command.output)
    if command.annotate:
        return await _annotated(session, command, kind, clip, notes)
    image = await session.page.screenshot(
        format=kind, full_page=command.fullpage, clip=clip, timeout=session.deadline.remaining()
    )
    path = _save(session, image, command, kind)
    return Answer(lines=[quoted(str(path))], data={"path": str(path), "size": len(image)}, notes=notes)


async def _annotated(
    session: Session, command: Screenshot, kind: ImageFormat, clip: Rect | None, notes: list[str]
) -> Answer:
    """Take a screenshot with element numbers. They count as reported, because a reader of the picture may use them."""
    require_no_dialog(session)
    boxes = await annotation.visible_boxes(session)
    page: PageResponse = await query_scanner(session.page, {"cmd": "page"}, None, session.deadline.remaining())
    size, scroll = page["viewport"], page["scroll"]
    on_page = {number: box.translated(scroll["x"], scroll["y"]) for number, box in boxes.items()}
    area = clip or Rect(scroll["x"], scroll["y"], size["width"], size["height"])
    if command.fullpage and clip is None:
        area = Rect(0, 0, size["width"] + scroll["max_x"], size["height"] + scroll["max_y"])
    if clip is not None:
        area = clip = Rect(
            clip.x, clip.y, min(clip.width, MAX_ANNOTATED_SIDE_PIXELS), min(clip.height, MAX_ANNOTATED_SIDE_PIXELS)
        )
    image = await session.page.screenshot(
        format="png", full_page=command.fullpage, clip=clip, timeout=session.deadline.remaining()
    )
    seen = annotation.clip_boxes(on_page, annotation.visible_area(image, area))
    image = await annotation.draw_boxes(session, image, seen, area.width, kind)
    path = _save(session, image, command, kind)
    session.element_index.mark_reported(list(seen))
    return Answer(
        lines=[quoted(str(path)), f"{len(seen)} element{'' if len(seen) == 1 else 's'} numbered"],
        data={
            "path": str(path),
            "size": len(image),
            "boxes": [annotation.box_data(number, box) for number, box in seen.items()],
        },
        notes=notes,
    )


def _format_of(output: str | None) -> ImageFormat:
    suffix = Path(output).suffix.lower() if output else ""
    formats: dict[str, ImageFormat] = {".jpg": "jpeg", ".jpeg": "jpeg", ".webp": "webp"}
    return formats.get(suffix, "png")


async def _page_rect(session: Session, target: Any) -> Rect:
    """Return the element's box in page coordinates. The page is scrolled to it first, so that lazy
    content is loaded."""
    await query_element(session, target, {"cmd": "scroll", "element": target.id})
    bounds: GetBoundsResponse = await query_element(session, target, {"cmd": "get_bounds"})
    if min(bounds["width"], bounds["height"]) < 1:
        raise ElementNotVisible("there is nothing to see of the element")
    x, y = bounds["x"], bounds["y"]
    if target.frame is not None:
        x, y = await session.page.to_viewport(x, y, target.frame)
    page: PageResponse = await query_scanner(session.page, {"cmd": "page"}, None, session.deadline.remaining())
    return Rect(x + page["scroll"]["x"], y + page["scroll"]["y"], bounds["width"], bounds["height"])


def _save(session: Session, image: bytes, command: Screenshot, kind: str) -> Path:
    """Write the picture; without a path, to a new file. Raises `FileError`, `PathNotAllowed`."""
    if command.output is not None:
        return session.files.write_bytes(command.output, image, overwrite=command.overwrite)
    return Files().write_bytes(str(new_path(session.options.screenshot_folder, f".{kind}")), image)


@handles(Pdf)
async def pdf(session: Session, command: Pdf) -> Answer:
    """Pages are written as they are printed, with backgrounds."""
    require_no_dialog(session)
    paper = _paper(command)
    with session.files.writing(command.path, overwrite=command.overwrite) as file:
        await session.page.pdf(paper, file.write, timeout=session.deadline.remaining())
        size = file.tell()
    path = session.files.writable(command.path)
    return Answer(lines=[quoted(str(path))], data={"path": str(path), "size": size})


def _paper(command: Pdf) -> PdfOptions:
    """Return the page format. Raises `InvalidValue` if the margins leave nothing of the paper."""
    width, height = PAPER_SIZES[command.format or "A4"]
    if command.landscape:
        width, height = height, width
    margin = MARGIN if command.margin is None else command.margin
    if 2 * margin >= min(width, height):
        raise InvalidValue(
            f"margins of {margin:g} cm leave nothing of the paper",
            f"The paper is {width:g} x {height:g} cm: choose less than {min(width, height) / 2:g}.",
        )
    return PdfOptions(width / INCH, height / INCH, margin / INCH)
