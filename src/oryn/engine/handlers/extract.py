"""`extract …`: data of the page as text, JSON or CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from oryn.engine.handlers.registry import handles
from oryn.engine.output.answer import Answer
from oryn.engine.page.context import require_no_dialog
from oryn.engine.page.scanner import query_frames, query_scanner
from oryn.language import CssTarget, Extract

if TYPE_CHECKING:
    from oryn.engine.page.context import PageContext
    from oryn.scanner.protocol import ExtractionType, ExtractRequest, GetTextRequest


@handles(Extract)
async def extract(context: PageContext, command: Extract) -> Answer:
    require_no_dialog(context)
    what = "css" if isinstance(command.what, CssTarget) else command.what
    if what == "text":
        request: GetTextRequest = {"cmd": "get_text", "selector": command.selector}
        found = await query_scanner(context.page, request, context.frame, context.deadline.remaining())
        data: Any = found["text"]
    else:
        data = await _from_frames(context, _request(command, what))
    return Answer(block=FORMS[command.format or "text"](what, data), data=data)


def _request(command: Extract, what: ExtractionType) -> ExtractRequest:
    """Return the scanner's request. `--selector` limits a kind of data to the matching elements; for `css(…)` it is the
    container of those elements."""
    if isinstance(command.what, CssTarget):
        return {"cmd": "extract", "type": what, "selector": command.what.selector, "within": command.selector}
    return {"cmd": "extract", "type": what, "selector": command.selector}


async def _from_frames(context: PageContext, request: ExtractRequest) -> Any:
    """Return the data of the page and its cross-origin frames together; `meta` and plain text are those of the top
    document."""
    found: Any = None
    async for answer, _ in query_frames(context.page, context.frame, lambda: request, context.deadline.remaining):
        found = answer["data"] if found is None else found + answer["data"]
        if not isinstance(found, list):
            break
    return found


def as_text(what: str, data: Any) -> str:
    """Render one row a line. Tabs separate cells, a blank line separates tables. Data of `css(…)` is the elements'
    texts."""
    if isinstance(data, str):
        return data
    if isinstance(data, dict):
        return "\n".join(f"{name}: {_cell(value)}" for name, value in data.items())
    if what == "tables":
        return "\n\n".join("\n".join("\t".join(map(_cell, row)) for row in table_rows(table)) for table in data)
    if what == "css":
        return "\n".join(_cell(row["text"]) for row in data)
    return "\n".join("\t".join(map(_cell, row)) for row in _rows(data))


def as_csv(what: str, data: Any) -> str:
    """Render RFC 4180 CSV, with a header row if the data has names."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    if isinstance(data, str):
        writer.writerows([line] for line in data.split("\n"))
    elif isinstance(data, dict):
        writer.writerows([name, _cell(value)] for name, value in data.items())
    elif what == "tables":
        for position, table in enumerate(data):
            if position:
                out.write("\n")
            writer.writerows(table_rows(table))
    else:
        if data and isinstance(data[0], dict):
            writer.writerow(data[0])
        writer.writerows(_rows(data))
    return out.getvalue().rstrip("\n")


def as_json(what: str, data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, indent=1)


FORMS = {"text": as_text, "csv": as_csv, "json": as_json}


def table_rows(table: Any) -> Sequence[Sequence[str]]:
    """Return a table's header and rows as one list of rows."""
    if isinstance(table, dict):
        head = table.get("headers") or []
        return ([head] if head else []) + list(table["rows"])
    rows: Sequence[Sequence[str]] = table
    return rows


def _rows(data: Sequence[Any]) -> list[list[str]]:
    return [[_cell(value) for value in (row.values() if isinstance(row, dict) else [row])] for row in data]


def _cell(value: Any) -> str:
    """One cell: text on one line, anything else as JSON."""
    if isinstance(value, str):
        return " ".join(value.split())
    return json.dumps(value, ensure_ascii=False)
