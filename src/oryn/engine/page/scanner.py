"""Requests to the scanner of a page, and its errors.

The scanner's error codes (docs/spec/scanner-protocol.md#error-codes) are mapped to Oryn's errors only here."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from oryn import errors
from oryn.browsers.base import Frame, Page
from oryn.core.text_safety import phrase, plain, quoted, shortened
from oryn.engine.output.elements import Element
from oryn.errors import FrameNotFound, NavigationError
from oryn.scanner import source_places

if TYPE_CHECKING:
    from oryn.scanner.protocol import ScannerRequest, ScannerResponse

log = logging.getLogger(__name__)

_SCANNER_ERRORS: dict[str, type[errors.OrynError]] = {
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
"""The codes are the same. Other codes of the protocol (`UNKNOWN_COMMAND`, `INVALID_REQUEST`) are bugs of Oryn, and so
is `INTERNAL_ERROR`, an exception in the scanner."""


MAX_EXCEPTION_LENGTH = 200


def scanner_error(response: ScannerResponse) -> errors.OrynError:
    """Return the error of a response whose `ok` is false. The message names an element that covers the target."""
    code = response.get("code", "INTERNAL_ERROR")
    if code == "ORIGIN_CHANGED":  # only requests that are bound to an origin cause it
        return errors.SecretNotAllowed(
            "the page went elsewhere meanwhile: no value of the vault was written", "Run 'observe' to see where it is."
        )
    if code == "INTERNAL_ERROR":
        stack = str(response.get("error"))
        places = source_places(stack)
        log.error("the scanner failed at %s", ", ".join(places) or "an unknown place")  # its message may quote the page
        thrown = " at ".join([stack.partition("\n")[0].strip(), *places[:1]])
        return errors.ScannerFailed(f"the scanner failed: {shortened(plain(thrown), MAX_EXCEPTION_LENGTH)}")
    kind = _SCANNER_ERRORS.get(code, errors.InternalError)
    message = str(response.get("error") or code.replace("_", " ").lower())
    data = response.get("data") or {}
    if covered_by := data.get("covered_by"):
        message = f"not interactable: covered by {phrase(covered_by)}"
    if buttons := data.get("buttons"):
        names = ", ".join(quoted(name) for name in buttons)
        refusal = kind(message, f"The dialog's buttons: {names}. Press one of them first, or use --force.")
        if isinstance(refusal, errors.ElementNotInteractable):
            refusal.is_behind_dialog = True
        return refusal
    error = kind(message)
    if isinstance(error, errors.OptionNotFound) and "count" in data:
        error.count, error.hint = data["count"], options_hint(data["options"], data["count"])
    return error


def options_hint(texts: Sequence[str], count: int) -> str:
    """Return the hint of an `OptionNotFound`: the first texts of a list, and how many it has."""
    more = f" (of {count})" if count > len(texts) else ""
    return f"It has {' | '.join(map(quoted, texts))}{more}." if texts else "It has no options yet: 'observe' the page."


FRAME_GONE = (FrameNotFound, NavigationError)
"""Errors of a request to a frame that was removed, or whose document was replaced."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """One element: its number, the frame whose scanner knows it (None: the top one), and its record, or None."""

    id: int
    frame: Frame | None = None
    element: Element | None = None
    notes: list[str] = field(default_factory=list)
    words: str = ""
    """The words of its text that the command named, which are pressed unless it is a control."""


async def query_scanner(page: Page, request: ScannerRequest, frame: Frame | None, timeout: float) -> Any:
    """Send a command to the scanner and return its `data`, of the type that `scanner.protocol.COMMANDS` has for it.
    `timeout` is in seconds. Raises the error of a failed response."""
    response = await page.scanner(request, frame, timeout=timeout)
    if not response["ok"]:
        raise scanner_error(response)
    return response.get("data") or {}


async def query_frames(
    page: Page,
    within: Frame | None,
    request: Callable[[], ScannerRequest],
    timeout: Callable[[], float],
    *,
    only: Collection[Frame | None] | None = None,
) -> AsyncIterator[tuple[Any, Frame | None]]:
    """Send a command to the scanner of every root frame, one after the other. Yield the `data` of each with its frame,
    which is None for the top frame.

    `request` and `timeout` (in seconds) are called for each frame, so that they may depend on what the ones before have
    answered. `only`: leave out all other frames. Raises the errors of `Page.scanner` for the first frame; another one
    that is removed meanwhile is left out."""
    for position, root in enumerate(page.roots(within)):
        frame = root if position or within else None
        if only and frame not in only:
            continue
        try:
            data = await query_scanner(page, request(), frame, timeout())
        except FRAME_GONE:
            if position == 0:
                raise
            continue
        yield data, frame
