"""`snapshot`: the accessibility tree with references (`@e5`)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from oryn.core.text_safety import plain, quoted
from oryn.engine.handlers.registry import handles
from oryn.engine.output.answer import Answer
from oryn.engine.output.effects import error_page_notes
from oryn.engine.output.elements import extras, quoted_name
from oryn.engine.page.context import require_no_dialog
from oryn.engine.page.resolve import resolve
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
    notes = error_page_notes(context.page)
    root, frame = None, context.frame
    if command.within is not None:
        container = await resolve(context, command.within, "snapshot", strict=command.strict)
        root, frame = container.id, container.frame if container.frame is not None else context.frame
        notes += container.notes
    index.reset_references()
    rows, page = await _tree(context, frame, root)
    rows = _of_roles(_to_depth(rows, command.depth), command.roles)
    nothing = "nothing of these roles" if command.roles else "nothing that assistive technology would find"
    lines = [node_line(row) for row in rows] or [nothing]
    return Answer(page=(page["url"], page["title"]), lines=lines, data=[_data(row) for row in rows], notes=notes)


def _to_depth(rows: list[TreeRow], depth: int | None) -> list[TreeRow]:
    """Return the rows of the first `depth` levels; the last ones with the number of those inside."""
    if not depth:
        return rows
    found: list[dict[str, Any]] = []
    for row in rows:
        if row["depth"] < depth:
            found.append({**row})
        elif found:
            found[-1]["inside"] = found[-1].get("inside", 0) + 1
    return list[TreeRow](found)


def _of_roles(rows: list[TreeRow], roles: Collection[str] | None) -> list[TreeRow]:
    """Return the rows with these roles, each under the nearest one that it is inside of."""
    if not roles:
        return rows
    found: list[TreeRow] = []
    above: list[int] = []
    """The depths in the page of the found rows that the current one may be inside of."""
    for row in rows:
        while above and above[-1] >= row["depth"]:
            above.pop()
        if row["role"] in roles:
            found.append({**row, "depth": len(above)})
            above.append(row["depth"])
    return found


async def _tree(
    context: PageContext, frame: Frame | None, root: int | None = None
) -> tuple[list[TreeRow], PageResponse]:
    """Return the rows of a frame's tree, including those of frames that its scanner can't read."""
    index = context.element_index
    first = len(index.references) + 1
    request: TreeRequest = {"cmd": "tree", "next_ref": first, "next_id": index.next_id}
    if root is not None:
        request["root"] = root
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
    if inside := row.get("inside"):
        parts.append(f"({inside} inside)")
    line = " ".join(parts)
    return f"{line}: {quoted(text)}" if (text := row.get("text")) else line


def _data(row: TreeRow) -> dict[str, Any]:
    """Return a row as JSON data, with the reference as commands accept it."""
    data = {key: value for key, value in row.items() if key != "frame"}
    if "ref" in data:
        data["ref"] = f"@e{data['ref']}"
    return data
