"""Files that show the page: `screenshot`, `pdf`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from oryn.browsers.base import ImageFormat, Rect
from oryn.browsers.base.recording import Paper
from oryn.engine import annotation
from oryn.engine.actions import require_no_dialog
from oryn.engine.answer import Answer
from oryn.engine.escape import quoted
from oryn.engine.execute.acting import ask_about
from oryn.engine.execute.registry import handles
from oryn.engine.files import Files, new_path
from oryn.engine.resolve import resolve
from oryn.engine.view import ask
from oryn.errors import ElementNotVisible, InvalidValue
from oryn.language import Pdf, Screenshot

if TYPE_CHECKING:
    from oryn.engine.session import Session

INCH = 2.54
"""Centimetres."""

PAPERS = {"A4": (21.0, 29.7), "Letter": (21.59, 27.94), "Legal": (21.59, 35.56), "Tabloid": (27.94, 43.18)}
"""Width and height in centimetres (ISO 216, ANSI/ASME Y14.1)."""

LONGEST_SIDE = 16384
"""CSS pixels of an annotated picture: more does not fit on a canvas where each is three of the screen's."""

MARGIN = 1.0
"""Centimetres, where `pdf` is not told another."""


@handles(Screenshot)
async def screenshot(session: Session, command: Screenshot) -> Answer:
    clip, notes = None, list[str]()
    if command.output is not None:
        session.files.writable(command.output, overwrite=command.overwrite)  # before anything is done
    if command.target is not None:
        require_no_dialog(session)
        target = await resolve(session, command.target, "screenshot", strict=command.strict)
        notes = target.notes
        clip = await _page_rect(session, target)
    kind = command.format or _format_of(command.output)
    if command.annotate:
        return await _annotated(session, command, kind, clip, notes)
    image = await session.page.screenshot(
        format=kind, full_page=command.fullpage, clip=clip, timeout=session.remaining()
    )
    path = _save(session, image, command, kind)
    return Answer(lines=[quoted(str(path))], data={"path": str(path), "size": len(image)}, notes=notes)


async def _annotated(
    session: Session, command: Screenshot, kind: ImageFormat, clip: Rect | None, notes: list[str]
) -> Answer:
    """The picture with numbers. They count as told: who sees the picture may use them."""
    require_no_dialog(session)
    boxes = await annotation.seen_boxes(session)
    page = await ask(session.page, {"cmd": "page"}, None, session.remaining())
    size, scroll = page["viewport"], page["scroll"]
    on_page = {number: box.moved(scroll["x"], scroll["y"]) for number, box in boxes.items()}
    area = clip or Rect(scroll["x"], scroll["y"], size["width"], size["height"])
    if command.fullpage and clip is None:
        area = Rect(0, 0, size["width"] + scroll["max_x"], size["height"] + scroll["max_y"])
    if clip is not None:
        area = clip = Rect(clip.x, clip.y, min(clip.width, LONGEST_SIDE), min(clip.height, LONGEST_SIDE))
    image = await session.page.screenshot(
        format="png", full_page=command.fullpage, clip=clip, timeout=session.remaining()
    )
    seen = annotation.in_picture(on_page, annotation.shown_area(image, area))
    image = await annotation.drawn(session, image, seen, area.width, kind)
    path = _save(session, image, command, kind)
    session.view.tell(list(seen))
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
    """The element's box in page coordinates, scrolled into view first so that lazy content is there."""
    await ask_about(session, target, {"cmd": "scroll", "element": target.id})
    bounds = await ask_about(session, target, {"cmd": "get_bounds"})
    if min(bounds["width"], bounds["height"]) < 1:
        raise ElementNotVisible("there is nothing to see of the element")
    x, y = bounds["x"], bounds["y"]
    if target.frame is not None:
        x, y = await session.page.to_viewport(x, y, target.frame)
    page = await ask(session.page, {"cmd": "page"}, None, session.remaining())
    return Rect(x + page["scroll"]["x"], y + page["scroll"]["y"], bounds["width"], bounds["height"])


def _save(session: Session, image: bytes, command: Screenshot, kind: str) -> Path:
    """Write the picture, without a path into a file of its own. Raises `FileError`, `PathNotAllowed`."""
    if command.output is not None:
        return session.files.write_bytes(command.output, image, overwrite=command.overwrite)
    return Files().write_bytes(str(new_path(session.options.screenshot_folder, f".{kind}")), image)


@handles(Pdf)
async def pdf(session: Session, command: Pdf) -> Answer:
    """One page after the other as they are printed; backgrounds are printed too."""
    require_no_dialog(session)
    paper = _paper(command)
    with session.files.writing(command.path, overwrite=command.overwrite) as file:
        await session.page.pdf(paper, file.write, timeout=session.remaining())
        size = file.tell()
    path = session.files.writable(command.path)
    return Answer(lines=[quoted(str(path))], data={"path": str(path), "size": size})


def _paper(command: Pdf) -> Paper:
    """Raises `InvalidValue` where the margins leave nothing of the paper."""
    width, height = PAPERS[command.format or "A4"]
    if command.landscape:
        width, height = height, width
    margin = MARGIN if command.margin is None else command.margin
    if 2 * margin >= min(width, height):
        raise InvalidValue(
            f"margins of {margin:g} cm leave nothing of the paper",
            f"The paper is {width:g} x {height:g} cm: choose less than {min(width, height) / 2:g}.",
        )
    return Paper(width / INCH, height / INCH, margin / INCH)
