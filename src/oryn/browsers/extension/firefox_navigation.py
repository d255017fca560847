"""Firefox's events of navigations, in the shape and order that Chromium has.

Firefox differs in this (found with Firefox 153):

* A navigation that changes the process begins twice; the first one is aborted, before or after the second one begins.
* `webRequest` may report a document's request before the navigation begins, or after it was committed.
* A load error is reported without a document; the error page is committed next, under the URL that did not load. For a
  blocked port there is no error at all: only the error page's `onDOMContentLoaded` has a URL that says what it is.
* Errors are numbers (https://searchfox.org/mozilla-central/source/xpcom/base/ErrorList.py), not `net::ERR_…`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urldefrag, urlsplit

from oryn.browsers.base import NO_CONTENT_STATUSES

ABORTED = "net::ERR_ABORTED"
ABORT_SECONDS = 3.0
"""How long after its abort a navigation may begin again, in a process that has yet to start, which takes more than a
second on a busy machine."""
RESPONSE_SECONDS = 0.3
"""How long a committed document waits for the report of its response."""
MAX_EARLY = 20
MAX_DOCUMENTS = 100
_TOP = 0
_ERROR_PAGES = ("about:neterror", "about:certerror", "about:httpsonlyerror")
_ABORT_CODE = 0x804B0002
_CODES = {
    _ABORT_CODE: ABORTED,
    0x804B0011: ABORTED,  # no content: a URL for another program
    0x804B000A: "net::ERR_INVALID_URL",
    0x804B000D: "net::ERR_CONNECTION_REFUSED",
    0x804B000E: "net::ERR_CONNECTION_TIMED_OUT",
    0x804B0010: "net::ERR_INTERNET_DISCONNECTED",
    0x804B0012: "net::ERR_UNKNOWN_URL_SCHEME",
    0x804B0013: "net::ERR_UNSAFE_PORT",
    0x804B0014: "net::ERR_CONNECTION_RESET",
    0x804B001D: "net::ERR_CONTENT_DECODING_FAILED",
    0x804B001E: "net::ERR_NAME_NOT_RESOLVED",
    0x804B001F: "net::ERR_TOO_MANY_REDIRECTS",
    0x804B002A: "net::ERR_PROXY_CONNECTION_FAILED",
    0x804B0047: "net::ERR_CONNECTION_CLOSED",
    0x804B0048: "net::ERR_PROXY_CONNECTION_FAILED",
    0x804B004C: "net::ERR_INCOMPLETE_CHUNKED_ENCODING",
    0x80520012: "net::ERR_FILE_NOT_FOUND",
}
_SECURITY_MODULE = 0x805A
"""The upper half of errors of TLS and certificates."""
_PAGE_ERRORS = {
    "deniedPortAccess": "net::ERR_UNSAFE_PORT",
    "connectionFailure": "net::ERR_CONNECTION_REFUSED",
    "dnsNotFound": "net::ERR_NAME_NOT_RESOLVED",
    "netOffline": "net::ERR_INTERNET_DISCONNECTED",
    "netReset": "net::ERR_CONNECTION_RESET",
    "netTimeout": "net::ERR_CONNECTION_TIMED_OUT",
    "nssBadCert": "net::ERR_CERT_INVALID",
    "redirectLoop": "net::ERR_TOO_MANY_REDIRECTS",
    "unknownProtocolFound": "net::ERR_UNKNOWN_URL_SCHEME",
}
"""By the parameter `e` of an error page's URL. https://searchfox.org/mozilla-central/source/docshell/base/nsDocShell.cpp"""


def network_error(message: str) -> str:
    """The `net::ERR_…` for an error of `webNavigation`, such as "Error code 2152398878"."""
    number = message.rpartition(" ")[2]
    if not number.isdigit():
        return message
    code = int(number)
    if code >> 16 == _SECURITY_MODULE:
        return "net::ERR_CERT_INVALID"
    return _CODES.get(code, f"net::ERR_FAILED ({message})")


def error_page_cause(url: str) -> str | None:
    """The `net::ERR_…` that the error page at `url` reports; None if that is no error page."""
    if not url.startswith(_ERROR_PAGES):
        return None
    found = parse_qs(urlsplit(url).query).get("e", [""])[0]
    return _PAGE_ERRORS.get(found, "net::ERR_FAILED")


Event = dict[str, Any]
Deliver = Callable[[str, Event], object]


class FirefoxNavigations:
    """The navigations of one tab. `on_navigated` and `on_requested` take the events of `webNavigation` and those of
    `webRequest` about the top document, and pass them on; `failed_frame(document)` is called with the id of an error
    page's document in a frame."""

    def __init__(self, navigated: Deliver, requested: Deliver, failed_frame: Callable[[str], object]) -> None:
        self._deliver = navigated
        self._deliver_request = requested
        self._failed_frame = failed_frame
        self._urls: list[str] = []
        """The URLs of the navigation in progress: the first one, and those that it was redirected to."""
        self._begun = 0
        self._aborted = 0
        self._error: str | None = None
        self._answered: dict[str, int] = {}
        """The status of the responses to it, by URL."""
        self._commit: Event | None = None
        """A document that waits for the report of its response."""
        self._unanswered: Event | None = None
        """The last document, if it was passed on without the report of its response."""
        self._held: list[tuple[str, Event]] = []
        self._early: list[tuple[str, Event]] = []
        self._documents: dict[str, None] = {}
        self._timer: asyncio.TimerHandle | None = None

    # --- webNavigation ---

    def on_navigated(self, kind: str, event: Event) -> None:
        """An event of `webNavigation`, by its name."""
        if event["frameId"] == _TOP and kind == "onDOMContentLoaded" and (cause := error_page_cause(event["url"])):
            self._on_error_page(event, cause)
        elif self._commit is not None:
            if event["frameId"] == _TOP and kind in ("onBeforeNavigate", "onCommitted"):
                self._release()
                self.on_navigated(kind, event)
            else:
                self._held.append((kind, event))
        elif event["frameId"] != _TOP:
            if kind == "onDOMContentLoaded" and error_page_cause(event["url"]):
                self._failed_frame(event["documentId"])
            self._deliver(kind, event)
        elif kind == "onBeforeNavigate":
            self._on_begin(event)
        elif kind == "onErrorOccurred":
            self._on_error(event)
        elif kind == "onCommitted":
            self._on_commit(event)
        else:
            self._deliver(kind, event)

    def _on_begin(self, event: Event) -> None:
        if event["url"] in self._urls and self._error is None:
            self._begun += 1
            self._cancel_timer()
            return
        self._reset()
        self._unanswered = None
        self._urls, self._begun = [event["url"]], 1
        self._deliver("onBeforeNavigate", event)
        early, self._early = self._early, []
        ours = {each["requestId"] for kind, each in early if kind == "onBeforeRequest" and each["url"] == event["url"]}
        for kind, each in early:
            if each["requestId"] in ours:
                self.on_requested(kind, each)

    def _on_error(self, event: Event) -> None:
        if event["url"] not in self._urls:
            return  # of a navigation that another one has replaced
        error = network_error(event["error"])
        if error != ABORTED:
            self._error = error
        else:
            self._aborted += 1
            if self._aborted < self._begun:
                return
            if self._answered.get(event["url"]) in NO_CONTENT_STATUSES:
                self._give_up()
                return
        self._start_timer(ABORT_SECONDS, self._give_up)

    def _give_up(self) -> None:
        """The navigation ends without a document."""
        event = {"url": self._urls[-1], "frameId": _TOP, "error": self._error or ABORTED}
        self._reset()
        self._deliver("onErrorOccurred", event)

    def _on_commit(self, event: Event) -> None:
        is_back = event["documentId"] in self._documents
        self._documents[event["documentId"]] = None
        if len(self._documents) > MAX_DOCUMENTS:
            del self._documents[next(iter(self._documents))]
        self._cancel_timer()
        self._commit, self._unanswered = event, None
        if self._error is not None:
            self._release(self._error)
        elif is_back or urlsplit(event["url"]).scheme not in ("http", "https") or self._is_answered(event["url"]):
            self._release()
        else:
            self._start_timer(RESPONSE_SECONDS, self._release_unanswered)

    def _on_error_page(self, event: Event, cause: str) -> None:
        """A document is an error page: its own events say nothing that its commit has not said.

        It may be ready only after the next document was committed."""
        document = event["documentId"]
        if self._commit is not None and self._commit["documentId"] == document:
            self._release(cause)
        elif self._unanswered is not None and self._unanswered["documentId"] == document:
            page, self._unanswered = self._unanswered, None
            self._deliver("onErrorOccurred", {**page, "error": cause})

    def _release_unanswered(self) -> None:
        page = self._commit
        self._release()
        self._unanswered = page

    def _release(self, error: str | None = None) -> None:
        """Pass on the document that waits, and what came after it."""
        event, held = self._commit, self._held
        assert event is not None
        self._reset()
        if error is not None:
            self._deliver("onErrorOccurred", {**event, "error": error})
        else:
            self._deliver("onCommitted", event)
        for kind, each in held:
            self.on_navigated(kind, each)

    def _is_answered(self, url: str) -> bool:
        return urldefrag(url).url in self._answered

    # --- webRequest ---

    def on_requested(self, kind: str, event: Event) -> None:
        """An event of `webRequest` about the top document, by its name."""
        if not self._urls and self._commit is None:
            self._early = [*self._early[1 - MAX_EARLY :], (kind, event)]
            return
        if kind == "onBeforeRedirect":
            self._urls.append(event["redirectUrl"])
        self._deliver_request(kind, event)
        if kind == "onResponseStarted":
            self._answered[urldefrag(event["url"]).url] = event["statusCode"]
            if self._commit is not None and self._is_answered(self._commit["url"]):
                self._release()

    # --- state ---

    def _reset(self) -> None:
        self._cancel_timer()
        self._urls, self._begun, self._aborted = [], 0, 0
        self._answered, self._error = {}, None
        self._commit, self._held = None, []

    def _start_timer(self, seconds: float, then: Callable[[], object]) -> None:
        self._cancel_timer()
        self._timer = asyncio.get_running_loop().call_later(seconds, then)

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
