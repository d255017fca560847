"""`diff picture` (docs/spec/scanner-protocol.md#compare_pictures): where two pictures differ. The browser reads the
files and compares them."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import TYPE_CHECKING

from oryn.core.text_safety import quoted
from oryn.engine.handlers.registry import handles
from oryn.engine.output.answer import Answer
from oryn.engine.page.context import require_no_dialog
from oryn.engine.page.scanner import query_scanner
from oryn.errors import FileError, InvalidValue, PicturesDiffer
from oryn.language import DiffPicture

if TYPE_CHECKING:
    from oryn.engine.session import Session
    from oryn.scanner.protocol import BitmapSize, ComparePicturesRequest, ComparePicturesResponse, RectData

THRESHOLD = 0.1
"""As far apart as two colours may be by default (pixelmatch's own)."""

LISTED_REGIONS = 10
"""Regions that have a line; the data has all."""


@handles(DiffPicture)
async def diff_picture(session: Session, command: DiffPicture) -> Answer:
    require_no_dialog(session)
    files = session.files
    if command.output is not None:
        files.writable(command.output, overwrite=command.overwrite)
    first = files.read_bytes(command.before)
    second = await _now(session, command) if command.after is None else files.read_bytes(command.after)
    request: ComparePicturesRequest = {
        "cmd": "compare_pictures",
        "first": base64.b64encode(first).decode("ascii"),
        "second": base64.b64encode(second).decode("ascii"),
        "threshold": THRESHOLD if command.threshold is None else command.threshold,
        "masks": [{"x": x, "y": y, "width": width, "height": height} for x, y, width, height in command.mask or ()],
        "draws": command.output is not None,
    }
    found: ComparePicturesResponse = await query_scanner(session.page, request, None, session.deadline.remaining())
    former, latter = found["first"], found["second"]
    if former is None:
        raise _unreadable(session, command.before)
    if latter is None:
        raise _unreadable(session, command.after or "the picture of the page")
    if former == latter and "differing" not in found:
        raise InvalidValue(f"the pictures have too many pixels: {former['width']}x{former['height']}")
    regions = found.get("regions", [])
    share = found["differing"] / max(1, found["compared"]) if "differing" in found else 1.0
    line = _summary(former, latter, found, share)
    path = None
    if command.output is not None and "image" in found:
        image = base64.b64decode(found["image"])
        path = str(files.write_bytes(command.output, image, overwrite=command.overwrite))
    answer = Answer(lines=[line, *_region_lines(regions)])
    answer.data = {
        "same": share == 0,
        "first": former,
        "second": latter,
        "share": share,
        "differing": found.get("differing"),
        "regions": regions,
        "path": path,
    }
    if path is not None:
        answer.lines.append(quoted(path))
    if command.fail_over is not None and 100 * share > command.fail_over:
        answer.error = PicturesDiffer(f"{line}, more than {command.fail_over:g} %" if former == latter else line)
    return answer


async def _now(session: Session, command: DiffPicture) -> bytes:
    return await session.page.screenshot(full_page=command.fullpage, timeout=session.deadline.remaining())


def _unreadable(session: Session, path: str) -> FileError:
    return FileError(f"{path} is no picture that this browser reads", "It reads PNG, JPEG and WebP.")


def _summary(former: BitmapSize, latter: BitmapSize, found: ComparePicturesResponse, share: float) -> str:
    """`1.2 % of the pixels differ, in 2 regions`"""
    if former != latter:
        return f"the sizes differ: {former['width']}x{former['height']} and {latter['width']}x{latter['height']}"
    differing = found.get("differing")
    if not differing:
        return "no difference"
    percent = f"{100 * share:.2g}" if share < 0.1 else f"{100 * share:.0f}"
    count = len(found["regions"])
    return f"{percent} % of the pixels differ, in {count} region{'' if count == 1 else 's'}"


def _region_lines(regions: Sequence[RectData]) -> list[str]:
    """The largest ones, as the command takes them for --mask, with their places in the page's order."""
    largest = sorted(regions, key=lambda each: each["width"] * each["height"], reverse=True)[:LISTED_REGIONS]
    lines = [f"{each['x']:g},{each['y']:g},{each['width']:g},{each['height']:g}" for each in regions if each in largest]
    left = len(regions) - len(lines)
    return [*lines, f"and {left} smaller ones"] if left else lines
