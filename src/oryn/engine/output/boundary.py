"""Wraps content that may come from a page in a boundary (the setting `boundaries`), in text and JSON answers. Pure.

Outside the boundary is content from Oryn, the caller or the person: whether the command succeeded, the command itself,
the code of an error, constant advice, the words of a person's note. Everything else is inside, including content that
only may contain a page's words. The boundary is a new random token in each answer, so no page can know it. Besides, no
text of a page begins a line of an answer (`text_safety`), so a page couldn't close even a known boundary."""

from __future__ import annotations

from typing import Any

from oryn.errors import ConfigurationError, LanguageError, NotSupported, OrynError, ReadOnly

_OWN_ERRORS = (LanguageError, ConfigurationError, NotSupported, ReadOnly)
"""Errors whose texts contain nothing of a page."""


def new_boundary() -> str:
    """Return a new, unpredictable boundary."""
    from secrets import token_hex  # imported late, because it is slow

    return token_hex(8)


def opening_tag(boundary: str) -> str:
    return f"<page-{boundary}>"


def closing_tag(boundary: str) -> str:
    return f"</page-{boundary}>"


def fence(text: str, boundary: str) -> str:
    """Put markers on lines of their own around a text; an empty text stays empty."""
    return f"{opening_tag(boundary)}\n{text}\n{closing_tag(boundary)}" if text else ""


def message_is_ours(error: OrynError) -> bool:
    return isinstance(error, _OWN_ERRORS)


def hint_is_ours(error: OrynError) -> bool:
    return isinstance(error, _OWN_ERRORS) or error.hint == type(error).advice


def fence_form(shape: dict[str, Any], error: OrynError | None, boundary: str) -> dict[str, Any]:
    """Return an answer's JSON form with everything that may come from a page in one field, whose name contains the
    boundary:

    `{"ok", "command", "person_notes"?, "error"?, "boundary", "page-<boundary>": {…}}`."""
    outside: dict[str, Any] = {name: shape[name] for name in ("ok", "command", "person_notes") if name in shape}
    inside = {name: value for name, value in shape.items() if name not in outside}
    if error is not None:
        details = inside.pop("error")
        ours = {"message": message_is_ours(error), "hint": hint_is_ours(error)}
        outside["error"] = {name: value for name, value in details.items() if ours.get(name, True)}
        if within := {name: details[name] for name, own in ours.items() if not own}:
            inside["error"] = within
    return {**outside, "boundary": boundary, f"page-{boundary}": inside}


def unfence_form(form: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON form without its boundary."""
    if "boundary" not in form:
        return form
    boundary = form["boundary"]
    inside = dict(form[f"page-{boundary}"])
    shape = {name: value for name, value in form.items() if name not in ("boundary", f"page-{boundary}")}
    if "error" in shape:
        shape["error"] = shape["error"] | inside.pop("error", {})
    return shape | inside
