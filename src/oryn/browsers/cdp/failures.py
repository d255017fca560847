"""The one place where the browser's failures become Oryn's errors: protocol errors, `net::ERR_…`, exceptions of
scripts.

The protocol has no error codes worth the name (nearly all are -32000), so its messages are matched; what matches
nothing is an `InternalError` that quotes the message. Every function here is total.
"""

from __future__ import annotations

import json
from typing import Any

from oryn.errors import (
    AlreadyRunning,
    DialogNotPresent,
    ElementStale,
    FrameNotFound,
    InternalError,
    InvalidValue,
    NavigationError,
    OrynError,
    PageError,
    ScriptError,
    TabNotFound,
    Timeout,
)


class DocumentGone(NavigationError):
    """The document (or its script world) went away before it answered. Trying again in the new one is safe for
    reads."""


class SessionGone(TabNotFound):
    """The target behind a session has closed."""


class SharedOverride(PageError):
    """Another target of the same process has set this already; what it has set holds for both."""


class NotJson(ScriptError):
    """A value that the protocol can't hand over as JSON."""


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
_PROTOCOL: tuple[tuple[str, _Failure], ...] = (
    ("Cannot find context with specified id", _DOCUMENT),
    ("Cannot find execution context", _DOCUMENT),
    ("uniqueContextId not found", _DOCUMENT),
    ("Execution context was destroyed", _DOCUMENT),
    ("Execution context is not available", _DOCUMENT),
    ("Cannot find default execution context", _DOCUMENT),
    ("Inspected target navigated or closed", _DOCUMENT),
    ("Not attached to an active page", _DOCUMENT),
    ("Execution was terminated", (Timeout, "the script did not end in time", "Wait longer with --timeout.")),
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
    ("Cannot navigate to invalid URL", (NavigationError, "that is no URL the browser can open", _CHECK_URL)),
    ("Invalid cookie fields", _COOKIE),
    ("URL or domain need to be specified", _COOKIE),
    ("url or domain", _COOKIE),
    ("Tracing has already been started", _TRACED),
    ("Invalid locale name", _LOCALE),
    ("Invalid timezone id", _ZONE),
    ("override is already in effect", _SHARED),
    ("No entry with passed id", (NavigationError, "there is no such entry in the history", _CHECK_URL)),
)


def from_answer(method: str, error: dict[str, Any]) -> OrynError:
    """What the `error` of an answer to `method` means."""
    text = str(error.get("message", ""))
    for part, (kind, message, hint) in _PROTOCOL:
        if part in text:
            return kind(message, hint)
    if detail := error.get("data"):
        text = f"{text} ({detail})"
    return InternalError(f"{method}: {text}", "This is a bug of Oryn's: please report it.")


# https://source.chromium.org/chromium/chromium/src/+/main:net/base/net_error_list.h
_CHECK_SERVER = "Check that the server runs and that the port is right."
_TRY_AGAIN = "Try again, or check the network."
_NET: tuple[tuple[str, str, str], ...] = (
    ("NAME_NOT_RESOLVED", "the host's name does not resolve", _CHECK_URL),
    ("NAME_RESOLUTION_FAILED", "the host's name does not resolve", _CHECK_URL),
    ("PROXY_CONNECTION_FAILED", "the proxy did not answer", "Check the proxy."),
    ("CONNECTION_REFUSED", "the connection was refused", _CHECK_SERVER),
    ("CONNECTION_TIMED_OUT", "the server did not answer in time", _TRY_AGAIN),
    ("TIMED_OUT", "the server did not answer in time", _TRY_AGAIN),
    ("CONNECTION_RESET", "the server broke off the connection", _TRY_AGAIN),
    ("CONNECTION_CLOSED", "the server closed the connection", _TRY_AGAIN),
    ("CONNECTION_ABORTED", "the connection was broken off", _TRY_AGAIN),
    ("CONNECTION_FAILED", "the connection failed", _TRY_AGAIN),
    ("SOCKET_NOT_CONNECTED", "the connection failed", _TRY_AGAIN),
    ("EMPTY_RESPONSE", "the server closed the connection without an answer", _TRY_AGAIN),
    ("INTERNET_DISCONNECTED", "there is no network", "Connect to a network, or end 'offline' with 'offline off'."),
    ("NETWORK_CHANGED", "the network changed while loading", "Try again."),
    ("ADDRESS_UNREACHABLE", "the address can't be reached", _CHECK_SERVER),
    ("ADDRESS_INVALID", "the address is not valid", _CHECK_URL),
    ("UNSAFE_PORT", "the browser refuses this port", "Serve the page on another port."),
    ("INVALID_URL", "that is no URL the browser can open", _CHECK_URL),
    ("DISALLOWED_URL_SCHEME", "the browser does not open URLs of this kind", _CHECK_URL),
    ("UNKNOWN_URL_SCHEME", "the browser does not open URLs of this kind", _CHECK_URL),
    ("FILE_NOT_FOUND", "there is no such file", "Check the path."),
    ("ACCESS_DENIED", "access was denied", "Check the permissions of the file."),
    ("TOO_MANY_REDIRECTS", "the page redirects without end", "Clear the cookies of the site, or tell its owner."),
    ("UNSAFE_REDIRECT", "the redirect leads somewhere unsafe", "Go to the final address directly."),
    ("INVALID_REDIRECT", "the redirect is not valid", "Go to the final address directly."),
    ("BLOCKED_BY_RESPONSE", "the page forbids to be shown here", "Go to it in a tab of its own."),
    ("BLOCKED_BY_CLIENT", "a rule of the browser blocked it", "See 'intercept' for the rules."),
    ("BLOCKED_BY_ADMINISTRATOR", "a policy of this computer blocks it", "Ask the administrator."),
    ("NETWORK_ACCESS_REVOKED", "a policy of this computer blocks it", "Ask the administrator."),
    ("TUNNEL_CONNECTION_FAILED", "the proxy did not let it through", "Check the proxy."),
    ("PROXY", "the proxy did not answer", "Check the proxy."),
    ("CERT", "the server's certificate is not valid", "Check the address; the connection would not be private."),
    ("SSL", "no secure connection could be made", "Try http://, or tell the site's owner."),
    ("CLEARTEXT", "the connection would not be encrypted", "Try https://."),
    ("HTTP2", "the server's answer is broken", _TRY_AGAIN),
    ("QUIC", "the server's answer is broken", _TRY_AGAIN),
    ("INVALID_HTTP_RESPONSE", "the server's answer is not HTTP", _CHECK_SERVER),
    ("INVALID_RESPONSE", "the server's answer is broken", _TRY_AGAIN),
    ("RESPONSE_HEADERS", "the server's answer is broken", _TRY_AGAIN),
    ("CONTENT_DECODING", "the server's answer is broken", _TRY_AGAIN),
    ("CONTENT_LENGTH", "the server broke off its answer", _TRY_AGAIN),
    ("INCOMPLETE", "the server broke off its answer", _TRY_AGAIN),
    ("INVALID_AUTH", "the server refused the credentials", "See 'credentials'."),
    ("INSUFFICIENT_RESOURCES", "the browser has no resources left", "Close tabs and try again."),
    ("OUT_OF_MEMORY", "the browser has no memory left", "Close tabs and try again."),
    ("ABORTED", "the load was broken off", "Try again."),
)


def reason(error_text: str) -> str:
    """What a `net::ERR_…` means, in plain words: `the connection was refused (net::ERR_CONNECTION_REFUSED)`."""
    return f"{_explain(error_text)[0]} ({error_text})"


def failed_load(url: str, error_text: str) -> NavigationError:
    """The error for a navigation to `url` that ended with `error_text`."""
    return NavigationError(f"{url} did not load: {reason(error_text)}", _explain(error_text)[1])


def _explain(error_text: str) -> tuple[str, str]:
    for part, plain, hint in _NET:
        if part in error_text:
            return plain, hint
    return "the load failed", _TRY_AGAIN


def from_exception(details: dict[str, Any]) -> ScriptError:
    """The error for an exception that a script threw (`Runtime.ExceptionDetails`)."""
    thrown = details.get("exception") or {}
    if "value" in thrown:
        text = thrown["value"] if isinstance(thrown["value"], str) else json.dumps(thrown["value"])
    else:
        text = thrown.get("description") or thrown.get("unserializableValue") or details.get("text", "the script threw")
    # A description ends with the stack; its lines are of no use to who wrote one line.
    message = str(text).split("\n    at ", 1)[0]
    return ScriptError(message)
