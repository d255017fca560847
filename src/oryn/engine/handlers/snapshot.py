"""`snapshot`: the accessibility tree with references (`@e5`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from oryn.core.text_safety import plain, quoted
from oryn.engine.handlers.registry import handles
from oryn.engine.output.answer import Answer
from oryn.engine.output.effects import error_page_notes
from oryn.engine.output.elements import extras, quoted_name
from oryn.engine.page.context import require_no_dialog
from oryn.engine.page.scanner import FRAME_GONE, query_scanner
from oryn.language import Snapshot

if TYPE_CHECKING:
    from oryn.browsers.base import Frame
    from oryn.engine.page.context import PageContext
    from oryn.scanner.protocol import PageResponse, TreeRequest, TreeResponse

TreeRow = Mapping[str, Any]
"""A `scanner.protocol.TreeNode`; typed loosely because thousands arrive as dictionaries."""


@handles(Snapshot)
async def snapshot(context: PageContext, command: Snapshot) -> Answer:
    """References begin at 1 with every snapshot. They are valid until the next one, or another document."""
    require_no_dialog(context)
    index = context.element_index
    context.enter_page()
    index.reset_references()
    rows, page = await _tree(context, context.frame)
    lines = [node_line(row) for row in rows] or ["nothing that assistive technology would find"]
    notes = error_page_notes(context.page)
    return Answer(page=(page["url"], page["title"]), lines=lines, data=[_data(row) for row in rows], notes=notes)


async def _tree(context: PageContext, frame: Frame | None) -> tuple[list[TreeRow], PageResponse]:
    """Return the rows of a frame's tree, including those of frames that its scanner can't read."""
    index = context.element_index
    first = len(index.references) + 1
    request: TreeRequest = {"cmd": "tree", "next_ref": first, "next_id": index.next_id}
    data: TreeResponse = await query_scanner(context.page, request, frame, context.deadline.remaining())
    index.next_id = data["next_id"]
    rows: Sequence[TreeRow] = data["nodes"]
    index.references.update(dict.fromkeys(range(first, data["next_ref"]), frame))
    joined: list[TreeRow] = []
    for row in rows:
        joined.append(row)
        if number := row.get("frame"):
            joined += await _inner_tree(context, frame, number, row["depth"] + 1)
    return joined, data["page"]


async def _inner_tree(context: PageContext, frame: Frame | None, number: int, depth: int) -> list[TreeRow]:
    """Return the rows of a frame of another origin; an empty list if it was removed meanwhile."""
    try:
        inner = await context.page.frame_of(number, frame)
        rows, _ = await _tree(context, inner)
    except FRAME_GONE:
        return []
    return [{**row, "depth": row["depth"] + depth} for row in rows]


def node_line(row: TreeRow) -> str:
    """Render a row, indented by its depth: `- heading "Results" @e3 {level=1}`. Content other than the name follows a
    colon."""
    if row["role"] == "text":
        return f"{'  ' * row['depth']}- text {quoted(row['text'])}"
    parts = [f"{'  ' * row['depth']}- {plain(row['role'])}"]
    if name := row.get("name"):
        parts.append(quoted_name(name))
    if reference := row.get("ref"):
        parts.append(f"@e{reference}")
    marks = [f"level={row['level']}"] if "level" in row else []
    marks += row.get("states", ())
    if marks:
        parts.append(f"{{{', '.join(marks)}}}")
    if more := extras(row):
        parts.append(more)
    line = " ".join(parts)
    return f"{line}: {quoted(text)}" if (text := row.get("text")) else line


def _data(row: TreeRow) -> dict[str, Any]:
    """Return a row as JSON data, with the reference as commands accept it."""
    data = {key: value for key, value in row.items() if key != "frame"}
    if "ref" in data:
        data["ref"] = f"@e{data['ref']}"
    return data
