"""Answers as one JSON object a line (`output json`), for programs. Pure.

`{"ok": true, "command": …, "page"?: {"url", "title"}, "elements"?: […], "patterns"?: {…}, "more"?: n, "result"?: …,
"notes"?: […], "changes"?: […]}`, or `{"ok": false, "command": …, "error": {"code", "message", "hint"}, …}`.
"""

from __future__ import annotations

import json
from typing import Any

from oryn.engine.answer import Answer
from oryn.errors import ConfirmationRequired


def render(answer: Answer) -> str:
    # ASCII only: line separators and lone surrogates of a page's text can't break the line.
    return json.dumps(form(answer), ensure_ascii=True, separators=(",", ":"))


def form(answer: Answer) -> dict[str, Any]:
    """The answer as JSON data; with boundaries, as `boundary.fence_form` has it."""
    shape = _form(answer)
    if answer.boundary is None:
        return shape
    from oryn.engine.boundary import fence_form

    return fence_form(shape, answer.error, answer.boundary)


def _form(answer: Answer) -> dict[str, Any]:
    shape: dict[str, Any] = {"ok": answer.ok, "command": answer.command}
    if answer.error is not None:
        shape["error"] = {"code": answer.error.code, "message": answer.error.message, "hint": answer.error.hint}
        if isinstance(answer.error, ConfirmationRequired):
            shape["error"]["id"] = answer.error.id
    if seen := answer.observation:
        shape["page"] = {"url": seen.url, "title": seen.title}
        shape["elements"] = list(seen.elements)
        shape["patterns"] = seen.patterns
        shape["more"] = seen.more
    elif answer.page:
        shape["page"] = {"url": answer.page[0], "title": answer.page[1]}
    if answer.data is not None:
        shape["result"] = answer.data
    elif answer.block is not None:
        shape["result"] = answer.block
    elif answer.lines:
        shape["result"] = answer.lines
    if answer.notes:
        shape["notes"] = answer.notes
    if answer.changes:
        shape["changes"] = [{"sign": change.sign, **change.data} for change in answer.changes]
    if answer.more_changes:
        shape["more_changes"] = answer.more_changes
    return shape
