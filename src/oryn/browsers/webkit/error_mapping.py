"""Maps the failures of WebKit's protocol, and the ways in which a browser does not start, to Oryn's errors. The only
place that does.

Answers of the inspector have codes of JSON-RPC (nearly all are -32000) and messages; those of the Automation domain
name their error before a semicolon (Source/WebKit/UIProcess/Automation/Automation.json, `ErrorMessage`). A message that
matches nothing becomes an `InternalError` that quotes it. Every function here is total."""

from __future__ import annotations

import re
from typing import Any

from oryn.browsers.common.tab_state import DocumentGone
from oryn.errors import (
    BrowserFailed,
    DialogNotPresent,
    DialogOpen,
    ElementNotInteractable,
    ElementNotVisible,
    ElementStale,
    FrameNotFound,
    InternalError,
    InvalidValue,
    NotSupported,
    OrynError,
    PageError,
    ScriptError,
    TabNotFound,
    Timeout,
)

INSTALL_LIBRARY = "Install the package that has this library."


class BodyGone(PageError):
    """The browser has not kept the body of a request, or of its answer."""


class RequestGone(PageError):
    """A request that was held back has ended, or was answered already."""


_Failure = tuple[type[OrynError], str, str]
_DOCUMENT: _Failure = (DocumentGone, "the document went away", "Run 'observe' to see what is there now.")
_ELEMENT: _Failure = (ElementStale, "the element is gone from the page", "Run 'observe' to see what is there now.")
_FRAME: _Failure = (FrameNotFound, "the frame is gone", "Run 'frames' to see which there are.")
_TAB: _Failure = (TabNotFound, "the tab is closed", "Run 'tabs' to see which are open.")
_BODY: _Failure = (BodyGone, "the browser has not kept the body of this request", "")
_REQUEST: _Failure = (RequestGone, "the request has ended", "")
_UNSUPPORTED: _Failure = (NotSupported, "this version of the browser can't do that", "")
_METHOD_NOT_FOUND = -32601
_AUTOMATION: dict[str, _Failure] = {
    "InternalError": (BrowserFailed, "the browser failed to do this", "Try again, or 'goto' another page."),
    "Timeout": (Timeout, "the browser did not finish in time", "Try again, or 'goto' another page."),
    "JavaScriptError": (ScriptError, "the script failed", ""),
    "JavaScriptTimeout": (Timeout, "the script did not end in time", "Wait longer with --timeout."),
    "WindowNotFound": _TAB,
    "FrameNotFound": _FRAME,
    "NodeNotFound": _ELEMENT,
    "InvalidNodeIdentifier": _ELEMENT,
    "InvalidElementState": (ElementNotInteractable, "the element takes no input", ""),
    "InvalidSelector": (InvalidValue, "that is no selector", ""),
    "NoJavaScriptDialog": (DialogNotPresent, "no dialog is open", "Run 'observe' to see the page."),
    "UnexpectedAlertOpen": (DialogOpen, "a dialog is open", "Run 'dialog accept' or 'dialog dismiss' first."),
    "NotImplemented": _UNSUPPORTED,
    "TargetOutOfBounds": (ElementNotInteractable, "the point is outside of the viewport", "Scroll first."),
    "ElementNotInteractable": (ElementNotInteractable, "the element takes no input", ""),
    "ElementNotSelectable": (ElementNotInteractable, "the element can't be selected", ""),
    "ScreenshotError": (BrowserFailed, "the browser could not take the picture", "Try again."),
}
"""The error for each name of the Automation domain."""

_INSPECTOR: tuple[tuple[str, _Failure], ...] = (
    ("Missing target for given targetId", _DOCUMENT),
    ("Missing injected script", _DOCUMENT),
    ("Missing execution context", _DOCUMENT),
    ("Missing execution state", _DOCUMENT),
    ("Missing window for given document", _DOCUMENT),
    ("Missing document", _DOCUMENT),
    ("Missing worker for given workerId", _DOCUMENT),
    ("Missing frame", _FRAME),
    ("Missing node for given", _ELEMENT),
    ("was not connected to DOM tree", _ELEMENT),
    ("Missing renderer of", (ElementNotVisible, "the element is not drawn", "")),
    ("is not focusable", (ElementNotInteractable, "the element takes no focus", "")),
    ("Missing content of resource", _BODY),
    ("Missing resource for given", _BODY),
    ("Missing pending intercept", _REQUEST),
    ("it has already been processed", _REQUEST),
    ("in given cookie", (InvalidValue, "that is no cookie the browser takes", "Check its name, value and domain.")),
)
"""Parts of messages of the inspector. Those of its agents: Source/JavaScriptCore/inspector/agents and
Source/WebCore/inspector/agents, `makeUnexpected`."""


def document_gone() -> DocumentGone:
    """The error for commands to a document whose process has gone, or was exchanged for another."""
    kind, message, hint = _DOCUMENT
    assert kind is DocumentGone
    return DocumentGone(message, hint)


def tab_closed() -> TabNotFound:
    """The error for commands to a tab that has closed."""
    return TabNotFound(*_TAB[1:])


def error_from_answer(method: str, error: dict[str, Any]) -> OrynError:
    """The error for the `error` object of an answer to `method`."""
    if error.get("code") == _METHOD_NOT_FOUND:
        kind, message, _ = _UNSUPPORTED
        return kind(message)
    text = str(error.get("message", ""))
    name, _, detail = text.partition(";")
    if method.startswith("Automation.") and name in _AUTOMATION:
        kind, message, hint = _AUTOMATION[name]
        detail = detail.strip()
        return kind(detail if kind is ScriptError and detail else message, hint or None)
    for part, (kind, message, hint) in _INSPECTOR:
        if part in text:
            return kind(message, hint or None)
    return InternalError(f"{method}: {text}")


# --- browsers that do not start ---

_NOT_LOADED = r"(?:error while loading shared libraries|could not load the impl library[^\n]{0,200}?): "
"""The words of the system's loader, and of WPE for its backend, that end a program; other libraries may be dispensable.
"""


def missing_library(output: str, *, at_start: bool = False) -> str | None:
    """The library that a program did not find, according to its standard error; None if it names none. `at_start`:
    without it the program could not start."""
    found = re.search(f"{_NOT_LOADED if at_start else ''}(?<!\\S)(\\S+): cannot open shared object file", output)
    return None if found is None else found[1]


def connection_lost(output: str = "") -> BrowserFailed:
    """The error for a browser that has ended, or has closed the connection. `output` is its standard error.

    WebKit loads some libraries only for the first page, which ends the browser if they are missing."""
    if library := missing_library(output):
        message = f"the browser has ended: it needs the library {library}, which is not installed"
        return BrowserFailed(message, INSTALL_LIBRARY)
    return BrowserFailed("the browser has ended", "Run 'goto' to start it again.")
