"""`upload`."""

from __future__ import annotations

import mimetypes
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from oryn.engine.actions import Action, require_no_dialog
from oryn.engine.answer import Answer
from oryn.engine.escape import plain, quoted
from oryn.engine.execute.acting import ask_about
from oryn.engine.execute.registry import handles
from oryn.engine.pointing import point_of, press_element
from oryn.engine.resolve import Resolved, resolve
from oryn.errors import DialogOpen, ElementDisabled, InvalidElementType, NotSupported
from oryn.language import Upload

if TYPE_CHECKING:
    from oryn.engine.session import Session


@handles(Upload)
async def upload(session: Session, command: Upload) -> Answer:
    """Into a file input (itself, its label, what holds it), onto what takes drops, else into the chooser that opens
    when the target is pressed. All files are looked at before anything happens."""
    if not session.browser.place.here:
        raise NotSupported("the browser runs on another computer and sees no files of this one", "Upload them there.")
    paths = [session.files.readable(path) for path in command.paths]
    require_no_dialog(session)
    target = await resolve(session, command.target, "upload", strict=command.strict)
    action = await Action.begin(session)
    data = await ask_about(session, target, {"cmd": "file_input", "next_id": session.view.next_id})
    session.view.next_id = data["next_id"]
    if found := data["input"]:
        if found["disabled"]:
            raise ElementDisabled("the file input is disabled")
        if found["folder"]:
            raise InvalidElementType("the file input takes a folder, not files")
        _check_count(paths, found["multiple"])
        accept = found["accept"]
        await session.page.set_files(found["id"], _texts(paths), target.frame)
    elif await session.page.takes_drops(target.id, target.frame):
        accept = ""
        x, y = await point_of(session, target, purpose="hover")
        await session.page.drop_files(x, y, _texts(paths))
    else:
        accept = await _through_chooser(session, target, paths)
    answer = await action.report([*target.notes, *_mismatches(paths, accept)])
    answer.data = {"files": [{"path": str(path), "size": path.stat().st_size} for path in paths]}
    return answer


async def _through_chooser(session: Session, target: Resolved, paths: Sequence[Path]) -> str:
    """Press the target and answer the file chooser that it opens; what the field accepts."""
    page = session.page
    mark = page.mark()
    await press_element(session, target)
    chooser = await page.file_chooser(mark, timeout=min(session.options.settle_limit, session.remaining()))
    if chooser is None:
        if page.dialog is not None:
            raise DialogOpen("pressing it opened a dialog", "Answer it: dialog accept, or dialog dismiss.")
        raise InvalidElementType(
            "it takes no files: it is no file input, takes no drops, and pressing it opened no file chooser",
            "Run 'observe --hidden' to look for a file input.",
        )
    if not chooser.id:
        raise InvalidElementType("the page asks for a file without a file input, which can't be answered")
    _check_count(paths, chooser.multiple)
    await page.choose_files(chooser, _texts(paths))
    return chooser.accept


def _check_count(paths: Sequence[Path], multiple: bool) -> None:
    if len(paths) > 1 and not multiple:
        raise InvalidElementType(f"the file input takes one file, not {len(paths)}", "Upload one file.")


def _texts(paths: Sequence[Path]) -> list[str]:
    return list(map(str, paths))


def _mismatches(paths: Sequence[Path], accept: str) -> list[str]:
    """Notes for files that the field says it does not want; browsers take them all the same, and so may the page."""
    wanted = [part.strip().lower() for part in accept.split(",") if part.strip()]
    if not wanted:
        return []
    return [
        f"{quoted(path.name)} is none of what the field accepts: {plain(accept)}"
        for path in paths
        if not any(_fits(path, part) for part in wanted)
    ]


def _fits(path: Path, wanted: str) -> bool:
    """https://html.spec.whatwg.org/multipage/input.html#attr-input-accept"""
    if wanted.startswith("."):
        return path.name.lower().endswith(wanted)
    kind = mimetypes.guess_type(path.name)[0] or ""
    return kind.startswith(wanted[:-1]) if wanted.endswith("/*") else kind == wanted
