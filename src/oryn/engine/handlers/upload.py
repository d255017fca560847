"""`upload`."""

from __future__ import annotations

import mimetypes
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from oryn.core.text_safety import plain, quoted
from oryn.engine.action import Action
from oryn.engine.handlers.registry import handles
from oryn.engine.output.answer import Answer
from oryn.engine.page.context import query_element, require_no_dialog
from oryn.engine.page.resolve import click_element, hit_place, resolve
from oryn.engine.page.scanner import Resolved
from oryn.engine.postcondition import Postcondition
from oryn.errors import DialogOpen, ElementDisabled, InvalidElementType
from oryn.language import Upload

if TYPE_CHECKING:
    from oryn.engine.session import Session
    from oryn.scanner.protocol import FileInputData, FileInputRequest, FileInputResponse


@handles(Upload)
async def upload(session: Session, command: Upload) -> Answer:
    """Upload into a file input (itself, its label, its container, a transparent one over it), or onto an element that
    accepts drops. Otherwise, click the target and answer the file chooser that opens, or use the only file input beside
    it. All files are checked before anything happens."""
    session.browser.require_uploads()
    paths = [session.files.readable(path) for path in command.paths]
    require_no_dialog(session)
    target = await resolve(session, command.target, "upload", strict=command.strict, wait=True)
    action = await Action.begin(session)
    request: FileInputRequest = {"cmd": "file_input", "next_id": session.element_index.next_id}
    data: FileInputResponse = await query_element(session, target, request)
    session.element_index.next_id = data["next_id"]
    accept = await _put_files(session, target, data, paths)
    expects = [holds_files(target, found, paths)] if (found := data["input"]) else []
    answer = await action.report([*target.notes, *_mismatches(paths, accept)], expects=expects)
    answer.data = {"files": [{"path": str(path), "size": path.stat().st_size} for path in paths]}
    return answer


def holds_files(target: Resolved, found: FileInputData, paths: Sequence[Path]) -> Postcondition:
    """The field holds the files, unless the page shows anything: it may have taken them and emptied the field."""
    field = Resolved(found["id"], target.frame, target.element)
    return Postcondition(field, {"kind": "files", "names": [path.name for path in paths]})


async def _put_files(session: Session, target: Resolved, found: FileInputResponse, paths: Sequence[Path]) -> str:
    """Put the files into what the scanner has found (`file_input`). Return the field's `accept`."""
    if found["input"]:
        return await _set_files(session, target, found["input"], paths)
    takes_drops = found["drops"] and await session.page.accepts_drop(target.id, target.frame)
    # Many pages cancel drops everywhere, so that the browser does not open the file: a button is pressed first.
    if not takes_drops or (target.element or {}).get("type") in ("button", "link"):
        accept = await _upload_through_chooser(session, target, paths, found["beside"], needed=not takes_drops)
        if accept is not None:
            return accept
    x, y = (await hit_place(session, target, purpose="hover")).point
    await session.page.drop_files(x, y, _texts(paths))
    return ""


async def _set_files(session: Session, target: Resolved, found: FileInputData, paths: Sequence[Path]) -> str:
    """Set the files of an input that the scanner reports. Return its `accept`."""
    if found["disabled"]:
        raise ElementDisabled("the file input is disabled")
    if found["folder"]:
        raise InvalidElementType("the file input takes a folder, not files")
    _check_count(paths, found["multiple"])
    await session.page.set_files(found["id"], _texts(paths), target.frame)
    return found["accept"]


async def _upload_through_chooser(
    session: Session, target: Resolved, paths: Sequence[Path], beside: FileInputData | None, *, needed: bool
) -> str | None:
    """Click the target and answer the file chooser that it opens; if it opens none, use the file input `beside` it.
    Return the field's `accept`; None if there is neither, unless that is `needed`."""
    page = session.page
    checkpoint = page.checkpoint()
    await click_element(session, target)
    chooser = await page.file_chooser(
        checkpoint, timeout=min(session.options.settle_limit, session.deadline.remaining())
    )
    if chooser is None:
        if page.dialog is not None:
            raise DialogOpen("pressing it opened a dialog", "Answer it: dialog accept, or dialog dismiss.")
        if beside is not None:
            return await _set_files(session, target, beside, paths)
        if not needed:
            return None
        raise InvalidElementType(
            "it takes no files: it is not a file input, takes no drops, and pressing it opened no file chooser",
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
    """Return notes about files that the field's `accept` excludes. Browsers accept them all the same, and pages may,
    too."""
    wanted = [part.strip().lower() for part in accept.split(",") if part.strip()]
    if not wanted:
        return []
    return [
        f"{quoted(path.name)} is not a type that the field accepts: {plain(accept)}"
        for path in paths
        if not any(_matches_accept(path, part) for part in wanted)
    ]


def _matches_accept(path: Path, wanted: str) -> bool:
    """Return whether a file matches one part of `accept`.

    https://html.spec.whatwg.org/multipage/input.html#attr-input-accept"""
    if wanted.startswith("."):
        return path.name.lower().endswith(wanted)
    kind = mimetypes.guess_type(path.name)[0] or ""
    return kind.startswith(wanted[:-1]) if wanted.endswith("/*") else kind == wanted
