"""`snapshot`: the accessibility tree with references (`@e5`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from oryn.engine.actions import error_page_notes, require_no_dialog
from oryn.engine.answer import Answer
from oryn.engine.elements import extras
from oryn.engine.escape import plain, quoted
from oryn.engine.execute.registry import handles
from oryn.engine.view import FRAME_GONE, ask
from oryn.language import Snapshot

if TYPE_CHECKING:
    from oryn.browsers.base import Frame
    from oryn.engine.session import Session

Row = Mapping[str, Any]
"""A `scanner.protocol.TreeNode`; typed loosely as it comes over the wire by the thousand."""


@handles(Snapshot)
async def snapshot(session: Session, command: Snapshot) -> Answer:
    """References begin at 1 with every snapshot and hold until the next one, or another document."""
    require_no_dialog(session)
    view = session.view
    view.enter(session.page)
    view.renew_references()
    rows, page = await _tree(session, session.frame)
    lines = [node_line(row) for row in rows] or ["nothing that assistive technology would meet"]
    notes = error_page_notes(session.page)
    return Answer(page=(page["url"], page["title"]), lines=lines, data=[_data(row) for row in rows], notes=notes)


async def _tree(session: Session, frame: Frame | None) -> tuple[list[Row], Row]:
    """The rows of a frame's tree, with those of frames that its scanner can't read in their places."""
    view = session.view
    first = len(view.references) + 1
    request: dict[str, Any] = {"cmd": "tree", "next_ref": first, "next_id": view.next_id}
    data = await ask(session.page, request, frame, session.remaining())
    view.next_id = data["next_id"]
    rows: Sequence[Row] = data["nodes"]
    view.references.update(dict.fromkeys(range(first, data["next_ref"]), frame))
    joined: list[Row] = []
    for row in rows:
        joined.append(row)
        if number := row.get("frame"):
            joined += await _inner_tree(session, frame, number, row["depth"] + 1)
    return joined, data["page"]


async def _inner_tree(session: Session, frame: Frame | None, number: int, depth: int) -> list[Row]:
    """What is in a frame of another origin; nothing when it went away meanwhile."""
    try:
        inner = await session.page.frame_of(number, frame)
        rows, _ = await _tree(session, inner)
    except FRAME_GONE:
        return []
    return [{**row, "depth": row["depth"] + depth} for row in rows]


def node_line(row: Row) -> str:
    """`- heading "Results" @e3 {level=1}`, indented by its depth; content that is no name stands after a colon."""
    if row["role"] == "text":
        return f"{'  ' * row['depth']}- text {quoted(row['text'])}"
    parts = [f"{'  ' * row['depth']}- {plain(row['role'])}"]
    if name := row.get("name"):
        parts.append(quoted(name))
    if reference := row.get("ref"):
        parts.append(f"@e{reference}")
    if marks := _marks(row):
        parts.append(f"{{{', '.join(marks)}}}")
    if more := extras(row):
        parts.append(more)
    line = " ".join(parts)
    return f"{line}: {quoted(text)}" if (text := row.get("text")) else line


def _marks(row: Row) -> list[str]:
    level = [f"level={row['level']}"] if "level" in row else []
    return [*level, *row.get("states", ())]


def _data(row: Row) -> dict[str, Any]:
    """A row for programs: the reference as a command takes it."""
    shown = {key: value for key, value in row.items() if key != "frame"}
    if "ref" in shown:
        shown["ref"] = f"@e{shown['ref']}"
    return shown
