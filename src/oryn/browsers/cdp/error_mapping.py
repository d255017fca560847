"""Maps the protocol's failures (of commands, and exceptions of scripts) to Oryn's errors. The only place that does.

The protocol has no useful error codes (nearly all are -32000), so its messages are matched; a message that matches
nothing becomes an `InternalError` that quotes it. Every function here is total."""

from __future__ import annotations

import json
from typing import Any

from oryn.browsers.common.tab_state import DocumentGone
from oryn.errors import (
    AlreadyRunning,
    DialogNotPresent,
    ElementStale,
    FileError,
    FrameNotFound,
    InternalError,
    InvalidValue,
    NavigationError,
    NotSupported,
    OrynError,
    PageError,
    ScriptError,
    TabNotFound,
    Timeout,
)


class SessionGone(TabNotFound):
    """The target of a session has closed."""


class SharedOverride(PageError):
    """Another target of the same process has set this override already; it applies to both."""


class NotJson(ScriptError):
    """A value that the protocol can't return as JSON."""


# https://source.chromium.org/search?q=Response::ServerError (content/browser/devtools, third_party/blink,
# v8/src/inspector)
_CHECK_URL = "Check the spelling of the address."
_Failure = tuple[type[OrynError], str, str]
_DOCUMENT: _Failure = (DocumentGone, "the document went away", "Run 'observe' to see what is there now.")
_ELEMENT: _Failure = (ElementStale, "the element is gone from the page", "Run 'observe' to see what is there now.")
_FRAME: _Failure = (FrameNotFound, "the frame is gone", "Run 'frames' to see which there are.")
_TAB: _Failure = (TabNotFound, "the tab is closed", "Run 'tabs' to see which are open.")
_SESSION: _Failure = (SessionGone, *_TAB[1:])
_VALUE: _Failure = (NotJson, "the value is not JSON", "Return text, numbers, lists or plain objects.")
_COOKIE: _Failure = (InvalidValue, "that is no cookie the browser takes", "Check its name, value and domain.")
_TRACED: _Failure = (
    AlreadyRunning,
    "a trace is running in this browser already",
    "It may be another session's: end it there with 'trace stop'.",
)
_LOCALE: _Failure = (InvalidValue, "the browser has no such locale", "Give a language tag such as de-DE or fr.")
_ZONE: _Failure = (InvalidValue, "the browser has no such time zone", "Give a name such as Europe/Paris or UTC.")
_SHARED: _Failure = (SharedOverride, "another tab has set it already", "Close the other tab, or set it there.")
_METHOD_NOT_FOUND = -32601
"""https://www.jsonrpc.org/specification#error_object"""
_FREE_DISK_HINT = "Make room on the disk that the temporary folder is on."
_PROTOCOL: tuple[tuple[str, _Failure], ...] = (
    ("Cannot find context with specified id", _DOCUMENT),
    ("Cannot find execution context", _DOCUMENT),
    ("uniqueContextId not found", _DOCUMENT),
    ("Execution context was destroyed", _DOCUMENT),
    ("Execution context is not available", _DOCUMENT),
    ("Cannot find default execution context", _DOCUMENT),
    ("Inspected target navigated or closed", _DOCUMENT),
    ("Not attached to an active page", _DOCUMENT),
    ("Execution was terminated", (Timeout, "the browser has ended the script", "Wait longer with --timeout.")),
    ("Promise was collected", (ScriptError, "the promise never settles", "Return a promise that does.")),
    ("Object reference chain is too long", _VALUE),
    ("Object couldn't be returned by value", _VALUE),
    ("Session with given id not found", _SESSION),
    ("Target closed", _SESSION),
    ("No target with given id", _TAB),
    ("Could not find node", _ELEMENT),
    ("No node with given id", _ELEMENT),
    ("Could not find object with given id", _ELEMENT),
    ("Cannot find object with id", _ELEMENT),
    ("Node does not have a layout object", _ELEMENT),
    ("Frame with the given", _FRAME),
    ("No frame for given id", _FRAME),
    ("No frame with given id", _FRAME),
    ("No dialog is showing", (DialogNotPresent, "no dialog is open", "Run 'observe' to see the page.")),
    ("Cannot navigate to invalid URL", (NavigationError, "that is not a URL that the browser can open", _CHECK_URL)),
    ("Invalid cookie fields", _COOKIE),
    ("URL or domain need to be specified", _COOKIE),
    ("url or domain", _COOKIE),
    ("Tracing has already been started", _TRACED),
    ("Read failed", (FileError, "the browser could not write its output to a temporary file", _FREE_DISK_HINT)),
    ("Invalid locale name", _LOCALE),
    ("Invalid timezone id", _ZONE),
    ("override is already in effect", _SHARED),
    ("No entry with passed id", (NavigationError, "there is no such entry in the history", _CHECK_URL)),
)


def frame_gone_error() -> DocumentGone:
    """The error for commands to a frame whose process has gone."""
    return DocumentGone("the frame went away")


def error_from_answer(method: str, error: dict[str, Any]) -> OrynError:
    """The error for the `error` object of an answer to `method`."""
    text = str(error.get("message", ""))
    for part, (kind, message, hint) in _PROTOCOL:
        if part in text:
            return kind(message, hint)
    if error.get("code") == _METHOD_NOT_FOUND:
        return NotSupported(f"this browser does not know {method}", "Use Chrome, Chromium, or another of their family.")
    if detail := error.get("data"):
        text = f"{text} ({detail})"
    return InternalError(f"{method}: {text}")


def error_from_exception(details: dict[str, Any]) -> ScriptError:
    """The error for an exception that a script threw (`Runtime.ExceptionDetails`)."""
    thrown = details.get("exception") or {}
    if "value" in thrown:
        text = thrown["value"] if isinstance(thrown["value"], str) else json.dumps(thrown["value"])
    else:
        text = thrown.get("description") or thrown.get("unserializableValue") or details.get("text", "the script threw")
    # A description ends with the stack, which is of no use for a script of one line.
    message = str(text).split("\n    at ", 1)[0]
    return ScriptError(message)
