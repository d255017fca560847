"""The fence around what may come from a page (the setting `boundaries`), in answers as text and as JSON. Pure.

What stands outside is ours or the caller's: whether the command was done, the command itself, the code of an error,
advice that is always the same. All else is inside, also what only may have a page's words in it. The boundary is drawn
anew for each answer, so no page can have seen it; and no line of a page's begins an answer's line (`escape`), so that
none could close the fence even then.
"""

from __future__ import annotations

from typing import Any

from oryn.errors import ConfigurationError, LanguageError, NotSupported, OrynError, ReadOnly

_OURS = (LanguageError, ConfigurationError, NotSupported, ReadOnly)
"""Errors that say nothing of a page."""


def drawn() -> str:
    """A new boundary, which nobody can guess."""
    from secrets import token_hex  # slow to import

    return token_hex(8)


def opening(boundary: str) -> str:
    return f"<page-{boundary}>"


def closing(boundary: str) -> str:
    return f"</page-{boundary}>"


def fence(text: str, boundary: str) -> str:
    """Text between lines of its own; nothing of nothing."""
    return f"{opening(boundary)}\n{text}\n{closing(boundary)}" if text else ""


def message_is_ours(error: OrynError) -> bool:
    return isinstance(error, _OURS)


def hint_is_ours(error: OrynError) -> bool:
    return isinstance(error, _OURS) or error.hint == type(error).advice


def fence_form(shape: dict[str, Any], error: OrynError | None, boundary: str) -> dict[str, Any]:
    """An answer's JSON form with all that may come from a page under one name, which has the boundary:
    `{"ok", "command", "error"?, "boundary", "page-<boundary>": {…}}`."""
    outside = {"ok": shape["ok"], "command": shape["command"]}
    inside = {name: value for name, value in shape.items() if name not in outside}
    if error is not None:
        told = inside.pop("error")
        ours = {"message": message_is_ours(error), "hint": hint_is_ours(error)}
        outside["error"] = {name: value for name, value in told.items() if ours.get(name, True)}
        if within := {name: told[name] for name, own in ours.items() if not own}:
            inside["error"] = within
    return {**outside, "boundary": boundary, f"page-{boundary}": inside}


def without_fence(told: dict[str, Any]) -> dict[str, Any]:
    """The JSON form as it is without boundaries."""
    if "boundary" not in told:
        return told
    boundary = told["boundary"]
    inside = dict(told[f"page-{boundary}"])
    shape = {name: value for name, value in told.items() if name not in ("boundary", f"page-{boundary}")}
    if "error" in shape:
        shape["error"] = shape["error"] | inside.pop("error", {})
    return shape | inside
