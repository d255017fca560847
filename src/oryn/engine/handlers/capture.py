"""The page as a file: `screenshot`, `zoom`, `pdf`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from oryn.browsers.base import ImageFormat, Rect
from oryn.browsers.base.recording import PdfOptions
from oryn.core.records import Record
from oryn.core.text_safety import quoted
from oryn.engine.file_access import Files, new_path
from oryn.engine.handlers.registry import handles
from oryn.engine.output.answer import Answer
from oryn.engine.page import annotation
from oryn.engine.page.context import require_no_dialog
from oryn.engine.page.pictures import MAX_SIDE_PIXELS, page_view, rect_of_element, rect_of_region
from oryn.engine.page.resolve import resolve
from oryn.errors import InvalidValue
from oryn.language import Pdf, Screenshot, Zoom

if TYPE_CHECKING:
    from oryn.engine.session import Session

INCH = 2.54
"""Centimetres of an inch."""

PAPER_SIZES = {"A4": (21.0, 29.7), "Letter": (21.59, 27.94), "Legal": (21.59, 35.56), "Tabloid": (27.94, 43.18)}
"""Width and height in centimetres (ISO 216, ANSI/ASME Y14.1)."""

ZOOMED_SIDE_PIXELS = 1568
"""The longer side of a picture of `zoom`: the largest that models don't shrink
(https://docs.anthropic.com/en/docs/build-with-claude/vision)."""
MAX_ZOOM = 4.0
"""Without --scale. Print of 5 pixels is easy to read then, and more adds nothing but tokens."""

MARGIN = 1.0
"""Default margin of `pdf`, in centimetres."""


class _Shot(Record):
    """What a picture shows, and how: `clip`, a part of the page; without it the whole page, or the viewport."""

    format: ImageFormat
    quality: int | None
    clip: Rect | None
    full_page: bool
    scale: float


@handles(Screenshot)
async def screenshot(session: Session, command: Screenshot) -> Answer:
    format = _check(session, command)
    clip, notes = await _place(session, command, of_page=command.fullpage)
    shot = _Shot(format, command.quality, clip, command.fullpage and clip is None, command.scale or 1)
    _check_size(session, shot, notes)
    if command.annotate:
        return await _annotated(session, command, shot, notes)
    return _finish(session, command, shot, await _take(session, shot), notes)


@handles(Zoom)
async def zoom(session: Session, command: Zoom) -> Answer:
    format = _check(session, command)
    clip, notes = await _place(session, command, of_page=False)
    assert clip is not None
    scale = command.scale or round(max(1, min(MAX_ZOOM, ZOOMED_SIDE_PIXELS / max(clip.width, clip.height))), 2)
    shot = _Shot(format, command.quality, clip, False, scale)
    _check_size(session, shot, notes)
    image = await _take(session, shot)
    view = (await page_view(session)).visible
    region = clip.translated(-view.x, -view.y)
    words = f"{region.width:.0f}x{region.height:.0f} at {region.x:.0f},{region.y:.0f}, {scale:g} times as large"
    return _finish(session, command, shot, image, notes, [words], {"region": region.values(), "scale": scale})


def _check(session: Session, command: Screenshot | Zoom) -> ImageFormat:
    """Return the format of the picture. Raises `InvalidValue`, `FileError`, `PathNotAllowed`, before any work."""
    format = command.format or _format_of(command.output)
    if command.quality is not None and format == "png":
        raise InvalidValue("png pictures have no quality", "Leave --quality out, or choose jpeg or webp by --format.")
    if command.output is not None:
        session.files.writable(command.output, overwrite=command.overwrite)
    return format


async def _place(session: Session, command: Screenshot | Zoom, *, of_page: bool) -> tuple[Rect | None, list[str]]:
    """Return the part of the page that a command names, if it does, in page coordinates; and notes about it."""
    if command.clip is not None:
        require_no_dialog(session)
        return await rect_of_region(session, command.clip, of_page=of_page)
    if command.target is None:
        return None, []
    require_no_dialog(session)
    target = await resolve(session, command.target, command.spec.name, strict=command.strict)
    return await rect_of_element(session, target), target.notes


def _check_size(session: Session, shot: _Shot, notes: list[str]) -> None:
    """Raise `InvalidValue` for a picture that no engine takes. Add a note if the engine only enlarges it."""
    if shot.scale <= 1:
        return
    if shot.clip is not None and max(shot.clip.width, shot.clip.height) * shot.scale > MAX_SIDE_PIXELS:
        raise InvalidValue(
            f"the picture would be more than {MAX_SIDE_PIXELS} pixels wide or high",
            "Choose a smaller --scale, or a smaller part by --clip.",
        )
    if not session.page.draws_larger:
        notes.append("this browser draws nothing larger: its pixels are enlarged, and show no more than before")


async def _take(session: Session, shot: _Shot) -> bytes:
    return await session.page.screenshot(**shot.values(), timeout=session.deadline.remaining())


async def _annotated(session: Session, command: Screenshot, shot: _Shot, notes: list[str]) -> Answer:
    """Take a screenshot with element numbers. They count as reported, because a reader of the picture may use them."""
    require_no_dialog(session)
    boxes = await annotation.visible_boxes(session)
    view = await page_view(session)
    on_page = {number: box.translated(view.visible.x, view.visible.y) for number, box in boxes.items()}
    area = shot.clip or (view.whole if shot.full_page else view.visible)
    if shot.clip is not None:
        area = Rect(area.x, area.y, min(area.width, MAX_SIDE_PIXELS), min(area.height, MAX_SIDE_PIXELS))
        shot = shot.replace(clip=area)
    image = await _take(session, shot.replace(format="png", quality=None))
    seen = annotation.clip_boxes(on_page, annotation.visible_area(image, area))
    image = await annotation.draw_boxes(session, image, seen, area.width, shot.format, shot.quality)
    session.element_index.mark_reported(list(seen))
    words = f"{len(seen)} element{'' if len(seen) == 1 else 's'} numbered"
    rows = [annotation.box_data(number, box) for number, box in seen.items()]
    return _finish(session, command, shot, image, notes, [words], {"boxes": rows})


def _finish(
    session: Session,
    command: Screenshot | Zoom,
    shot: _Shot,
    image: bytes,
    notes: list[str],
    lines: Sequence[str] = (),
    data: Mapping[str, Any] = MappingProxyType({}),
) -> Answer:
    """Write the picture, unless it is unchanged; without a path, to a new file. Raises `FileError`,
    `PathNotAllowed`."""
    page = session.page
    content = command.replace(format=shot.format, output=None, overwrite=False, if_changed=False, timeout=None)
    if command.if_changed and session.pictures.is_last(page, content, image):
        return Answer(lines=["unchanged since its last picture"], data={"unchanged": True}, notes=notes)
    if command.output is not None:
        path = session.files.write_bytes(command.output, image, overwrite=command.overwrite)
    else:
        path = Files().write_bytes(str(new_path(session.options.screenshot_folder, f".{shot.format}")), image)
    session.pictures.note(page, content, image)
    return Answer(lines=[quoted(str(path)), *lines], data={"path": str(path), "size": len(image), **data}, notes=notes)


def _format_of(output: str | None) -> ImageFormat:
    suffix = Path(output).suffix.lower() if output else ""
    formats: dict[str, ImageFormat] = {".jpg": "jpeg", ".jpeg": "jpeg", ".webp": "webp"}
    return formats.get(suffix, "png")


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
