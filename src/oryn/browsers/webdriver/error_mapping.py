"""Maps the errors of WebDriver and of the connection to the driver to Oryn's errors: the only place that does.

https://www.w3.org/TR/webdriver2/#errors"""

from __future__ import annotations

from typing import Any

from oryn.browsers.common.tab_state import AnswerLost, DocumentGone
from oryn.errors import (
    BrowserFailed,
    CannotAccessPage,
    ElementNotInteractable,
    ElementStale,
    FrameNotFound,
    InvalidValue,
    NotSupported,
    OrynError,
    ScriptError,
    TabNotFound,
    Timeout,
)


class AlertOpen(BrowserFailed):
    """A dialog is open, which the driver reports only to the next command. `text` is its message."""

    text = ""


class DriverLost(BrowserFailed):
    """The driver has ended, or has lost its browser: the session is over."""


_DOCUMENT = (DocumentGone, "the document went away", "Run 'observe' to see what is there now.")
_FRAME = (FrameNotFound, "the frame is gone", "Run 'frames' to see which there are.")
_TAB = (TabNotFound, "the tab is closed", "Run 'tabs' to see which are open.")
_LOST = (DriverLost, "the browser has ended", "Run 'goto' to start it again.")
_KINDS: dict[str, tuple[type[OrynError], str, str]] = {
    "no such frame": _DOCUMENT,
    "no such window": _TAB,
    "invalid session id": _LOST,
    "session not created": (BrowserFailed, "the browser did not start", "Run 'oryn doctor'."),
    "script timeout": (Timeout, "the script did not end in time", "Wait longer with --timeout."),
    "timeout": (Timeout, "the browser did not answer in time", "Try again, or 'goto' another page."),
    "stale element reference": (ElementStale, "the element has left the page", "Run 'observe' again."),
    "no such element": _FRAME,
    "element not interactable": (ElementNotInteractable, "the element takes no input", ""),
    "move target out of bounds": (ElementNotInteractable, "the point is outside of the viewport", "Scroll first."),
    "unknown command": (NotSupported, "not supported in this mode", ""),
    "unknown method": (NotSupported, "not supported in this mode", ""),
    "unsupported operation": (NotSupported, "not supported in this mode", ""),
    "invalid cookie domain": (InvalidValue, "a cookie can be set for the site of the open page alone", "'goto' it."),
    "unable to set cookie": (InvalidValue, "the browser refused the cookie", ""),
}
"""The error for each of the protocol's codes; other codes are a `BrowserFailed` that quotes the driver."""


def from_answer(value: dict[str, Any]) -> OrynError:
    """The error for the `value` of a failed response."""
    code, message = str(value.get("error", "")), str(value.get("message", ""))
    if code == "unexpected alert open":
        error = AlertOpen("a dialog is open", "Run 'dialog accept' or 'dialog dismiss' first.")
        error.text = str((value.get("data") or {}).get("text", ""))
        return error
    if code == "unknown error":
        return unreadable_page(AnswerLost)
    if code == "javascript error":
        return ScriptError(message or "the script failed")
    if code in _KINDS:
        kind, text, hint = _KINDS[code]
        return kind(text, hint or None)
    return BrowserFailed(f"the browser's driver refused: {code} {message}".rstrip(), "Try again, or 'goto' a page.")


def unreadable_page(kind: type[CannotAccessPage] = CannotAccessPage) -> CannotAccessPage:
    """The error for a page whose own JavaScript keeps that of the driver, or the scanner, from working."""
    return kind(
        "the page keeps scripts from running: it has replaced functions of JavaScript", "'goto' leads elsewhere."
    )


def driver_lost(reason: str = "") -> DriverLost:
    """The error for a driver that does not answer any more."""
    kind, text, hint = _LOST
    assert kind is DriverLost
    return DriverLost(f"{text}: {reason}" if reason else text, hint)
