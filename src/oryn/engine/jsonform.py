"""Answers as one JSON object a line (`output json`), for programs. Pure.

`{"ok": true, "command": …, "page"?: {"url", "title"}, "elements"?: […], "patterns"?: {…}, "more"?: n, "result"?: …,
"notes"?: […], "changes"?: […]}`, or `{"ok": false, "command": …, "error": {"code", "message", "hint"}, …}`.
"""

from __future__ import annotations

import json
from typing import Any

from oryn.engine.answer import Answer, Told
from oryn.errors import ConfirmationRequired, OrynError


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
    if answer.told is not None:
        return _told(answer, answer.told)
    shape: dict[str, Any] = {"ok": answer.ok, "command": answer.command}
    if answer.error is not None:
        shape["error"] = _error(answer.error)
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


def _told(answer: Answer, told: Told) -> dict[str, Any]:
    """What another engine has made of the answer; without that, its text."""
    shape: dict[str, Any] = {"ok": answer.ok, "command": answer.command}
    if answer.error is not None:
        shape["error"] = _error(answer.error)
    form = {"result": told.text} if told.form is None else told.form
    shape |= {name: value for name, value in form.items() if name not in ("ok", "command", "error")}
    if answer.notes:
        theirs = shape.get("notes")
        shape["notes"] = [*answer.notes, *(theirs if isinstance(theirs, list) else ())]
    return shape


def _error(error: OrynError) -> dict[str, Any]:
    told: dict[str, Any] = {"code": error.code, "message": error.message, "hint": error.hint}
    return told | ({"id": error.id} if isinstance(error, ConfirmationRequired) else {})
