"""The scanner's error codes (seed 003 §2.3) as errors of Oryn's tree: the one place where they are mapped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from oryn import errors

_ERRORS: dict[str, tuple[type[errors.OrynError], str]] = {
    "ELEMENT_NOT_FOUND": (errors.ElementNotFound, "Run 'observe' to refresh."),
    "ELEMENT_STALE": (errors.ElementStale, "The element has left the page. Run 'observe' to refresh."),
    "ELEMENT_NOT_VISIBLE": (errors.ElementNotVisible, "Wait for it ('wait visible …') or open what hides it."),
    "ELEMENT_DISABLED": (errors.ElementDisabled, "Wait for it ('wait enabled …') or fill in what it asks for first."),
    "ELEMENT_NOT_INTERACTABLE": (errors.ElementNotInteractable, "Close what covers it, or use --force."),
    "SELECTOR_INVALID": (errors.SelectorInvalid, "Check the selector's brackets and quotes."),
    "TIMEOUT": (errors.Timeout, "Give more time with --timeout."),
    "NAVIGATION_ERROR": (errors.NavigationError, "Check the URL."),
    "SCRIPT_ERROR": (errors.ScriptError, "Check the script."),
    "INVALID_ELEMENT_TYPE": (errors.InvalidElementType, "Choose an element of the kind that the command is for."),
    "OPTION_NOT_FOUND": (errors.OptionNotFound, "Run 'observe' to see its options."),
    "FRAME_NOT_FOUND": (errors.FrameNotFound, "Run 'frames' to see the frames."),
    "DIALOG_NOT_PRESENT": (errors.DialogNotPresent, ""),
    "UNKNOWN_COMMAND": (errors.InternalError, ""),
    "INVALID_REQUEST": (errors.InternalError, ""),
    "INTERNAL_ERROR": (errors.InternalError, ""),
}


def to_error(response: Mapping[str, Any]) -> errors.OrynError:
    """The error of a response whose `ok` is false. What covers an element is named."""
    code = response.get("code", "INTERNAL_ERROR")
    kind, hint = _ERRORS.get(code, _ERRORS["INTERNAL_ERROR"])
    message = str(response.get("error") or code.replace("_", " ").lower())
    data = response.get("data") or {}
    if covered_by := data.get("covered_by"):
        message = f"not interactable: covered by {covered_by}"
    return kind(message, hint or None)
