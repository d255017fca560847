"""`screenshot`."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oryn.browsers.base import Rect
from oryn.engine.actions import require_no_dialog
from oryn.engine.answer import Answer
from oryn.engine.escape import quoted
from oryn.engine.execute.acting import ask_about
from oryn.engine.execute.registry import handles
from oryn.engine.resolve import resolve
from oryn.engine.view import ask
from oryn.errors import FileError, NotSupported
from oryn.language import Screenshot

if TYPE_CHECKING:
    from oryn.engine.session import Session


@handles(Screenshot)
async def screenshot(session: Session, command: Screenshot) -> Answer:
    if command.annotate:
        raise NotSupported()
    clip, notes = None, list[str]()
    if command.target is not None:
        require_no_dialog(session)
        target = await resolve(session, command.target, "screenshot", strict=command.strict)
        notes = target.notes
        clip = await _page_rect(session, target)
    kind = command.format or _format_of(command.output)
    image = await session.page.screenshot(
        format=kind, full_page=command.fullpage, clip=clip, timeout=session.remaining()
    )
    path = _save(session, image, command.output, kind)
    return Answer(lines=[quoted(str(path))], data={"path": str(path), "size": len(image)}, notes=notes)


def _format_of(output: str | None) -> Any:
    suffix = Path(output).suffix.lower() if output else ""
    return {".jpg": "jpeg", ".jpeg": "jpeg", ".webp": "webp"}.get(suffix, "png")


async def _page_rect(session: Session, target: Any) -> Rect:
    """The element's box in page coordinates, scrolled into view first so that lazy content is there."""
    await ask_about(session, target, {"cmd": "scroll", "element": target.id})
    bounds = await ask_about(session, target, {"cmd": "get_bounds"})
    x, y = bounds["x"], bounds["y"]
    if target.frame is not None:
        x, y = await session.page.to_viewport(x, y, target.frame)
    page = await ask(session.page, {"cmd": "page"}, None, session.remaining())
    return Rect(x + page["scroll"]["x"], y + page["scroll"]["y"], bounds["width"], bounds["height"])


def _save(session: Session, image: bytes, output: str | None, kind: str) -> Path:
    """Write the picture; without a path into a file of its own, for its owner only. Raises `FileError`."""
    if output is not None:
        return session.files.write_bytes(output, image)
    folder = session.options.screenshot_folder
    try:
        if folder is not None:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        stamp = time.strftime("%Y%m%d-%H%M%S-")
        with tempfile.NamedTemporaryFile(prefix=stamp, suffix=f".{kind}", dir=folder, delete=False) as file:
            file.write(image)
        return Path(file.name)
    except OSError as error:
        raise FileError(f"the picture can't be written: {error.strerror or error}") from error
