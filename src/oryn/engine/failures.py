"""The scanner's error codes (seed 003 §2.3) as errors of Oryn's tree: the one place where they are mapped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from oryn import errors

_ERRORS: dict[str, type[errors.OrynError]] = {
    kind.code: kind
    for kind in (
        errors.ElementNotFound,
        errors.ElementStale,
        errors.ElementNotVisible,
        errors.ElementDisabled,
        errors.ElementNotInteractable,
        errors.SelectorInvalid,
        errors.Timeout,
        errors.NavigationError,
        errors.ScriptError,
        errors.InvalidElementType,
        errors.OptionNotFound,
        errors.FrameNotFound,
        errors.DialogNotPresent,
    )
}
"""The codes are the same; what the protocol has beyond them (`UNKNOWN_COMMAND`, `INVALID_REQUEST`) is a bug of ours."""


def to_error(response: Mapping[str, Any]) -> errors.OrynError:
    """The error of a response whose `ok` is false. What covers an element is named."""
    code = response.get("code", "INTERNAL_ERROR")
    if code == "ORIGIN_CHANGED":  # asked for by what is bound to an origin alone
        return errors.SecretNotAllowed(
            "the page went elsewhere meanwhile: no value of the vault was written", "Run 'observe' to see where it is."
        )
    kind = _ERRORS.get(code, errors.InternalError)
    message = str(response.get("error") or code.replace("_", " ").lower())
    data = response.get("data") or {}
    if covered_by := data.get("covered_by"):
        message = f"not interactable: covered by {covered_by}"
    return kind(message)
