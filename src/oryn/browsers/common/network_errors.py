"""Network errors (`net::ERR_…`) in plain words, and the error page that a browser displays if a page did not load.

An error page reports an error, or warns, for example about a certificate. Its text and its buttons are the browser's:
"Proceed (unsafe)" is for the user. So it has no elements, and takes neither input nor scripts.

Pure; the functions that explain an error are total."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.core.records import Record
from oryn.errors import CannotAccessPage, NavigationError

if TYPE_CHECKING:
    from oryn.scanner.protocol import (
        PageResponse,
        ScannerRequest,
        ScannerResponse,
        ScanResponse,
        ScanStats,
        SettleResponse,
        TreeResponse,
    )

_CHECK_URL = "Check the spelling of the address."
# https://source.chromium.org/chromium/chromium/src/+/main:net/base/net_error_list.h
_CHECK_SERVER = "Check that the server runs and that the port is right."
_TRY_AGAIN = "Try again, or check the network."
_CHECK_CERTIFICATE = (
    "Check the address: the connection would not be private. Only the user can accept such a certificate"
    " (certificate_pins, ignore_certificate_errors)."
)
_MEANINGS: tuple[tuple[str, str, str], ...] = (
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
    ("INVALID_URL", "that is not a URL that the browser can open", _CHECK_URL),
    ("DISALLOWED_URL_SCHEME", "the browser does not open URLs of this kind", _CHECK_URL),
    ("UNKNOWN_URL_SCHEME", "the browser does not open URLs of this kind", _CHECK_URL),
    ("FILE_NOT_FOUND", "there is no such file", "Check the path."),
    ("ACCESS_DENIED", "access was denied", "Check the permissions of the file."),
    ("TOO_MANY_REDIRECTS", "the page redirects without end", "Clear the cookies of the site, or contact its owner."),
    ("UNSAFE_REDIRECT", "the redirect leads somewhere unsafe", "Go to the final address directly."),
    ("INVALID_REDIRECT", "the redirect is not valid", "Go to the final address directly."),
    (
        "BLOCKED_BY_RESPONSE",
        "the page does not allow being embedded here",
        "Open its URL directly: 'goto' or 'tab new'.",
    ),
    ("BLOCKED_BY_CLIENT", "a rule of the browser blocked it", "See 'intercept' for the rules."),
    ("BLOCKED_BY_ADMINISTRATOR", "a policy of this computer blocks it", "Ask the administrator."),
    ("NETWORK_ACCESS_REVOKED", "a policy of this computer blocks it", "Ask the administrator."),
    ("TUNNEL_CONNECTION_FAILED", "the proxy did not let it through", "Check the proxy."),
    ("PROXY", "the proxy did not answer", "Check the proxy."),
    ("CERT", "the server's certificate is not valid", _CHECK_CERTIFICATE),
    ("SSL", "no secure connection could be made", "Try http://, or contact the site's owner."),
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


def describe_error(error_text: str) -> str:
    """The meaning of a `net::ERR_…` in plain words: `the connection was refused (net::ERR_CONNECTION_REFUSED)`."""
    return f"{_explain(error_text)[0]} ({error_text})"


def suggest_fix(error_text: str) -> str:
    """The hint for a `net::ERR_…`."""
    return _explain(error_text)[1]


def load_error(url: str, error_text: str) -> NavigationError:
    """The error for a navigation to `url` that ended with `error_text`."""
    error = NavigationError(f"{url} did not load: {describe_error(error_text)}", suggest_fix(error_text))
    error.unanswered = "EMPTY_RESPONSE" in error_text
    return error


def _explain(error_text: str) -> tuple[str, str]:
    for part, plain, hint in _MEANINGS:
        if part in error_text:
            return plain, hint
    return "the load failed", _TRY_AGAIN


ERROR_PAGE_URL = "chrome-error://chromewebdata/"
"""The URL of an error page."""

READ_COMMANDS = ("page", "settle", "get_text", "get_html")
"""Scanner commands that only read the error page."""


class ErrorPage(Record):
    """An error page. `url` is what did not load, `error` the `net::ERR_…`; empty if they are not known."""

    url: str = ""
    error: str = ""
    status: int | None = None
    """The status of a response without content."""

    def __str__(self) -> str:
        """`https://a.example/ did not load: the server's certificate is not valid (net::ERR_CERT_DATE_INVALID)`."""
        what = self.url or "the page"
        if self.error:
            return f"{what} did not load: {describe_error(self.error)}"
        return f"{what} did not load" if self.status is None else f"{what} answered HTTP {self.status} and no page"

    def access_error(self) -> CannotAccessPage:
        """The error for commands on the page."""
        hint = suggest_fix(self.error) if "_CERT_" in self.error else "'refresh' tries it again."
        return CannotAccessPage(
            f"the browser shows a page of its own, which commands can't touch: {self}",
            f"{hint} 'goto' or 'back' lead elsewhere.",
        )

    def answer(self, request: ScannerRequest, page: PageResponse) -> ScannerResponse:
        """The answer to a scanner request, in place of the scanner; `page` is the data of `page`. Raises
        `CannotAccessPage` unless it is `page`, `settle`, `scan` or `tree`."""
        data = answer_without_elements(request, page)
        if data is None:
            raise self.access_error()
        return {"ok": True, "data": data}


def answer_without_elements(
    request: ScannerRequest, page: PageResponse
) -> PageResponse | SettleResponse | ScanResponse | TreeResponse | None:
    """The data of the answer to `page`, `settle`, `scan` or `tree` of a page that has no elements; None for other
    commands."""
    if request["cmd"] == "page":
        return page
    if request["cmd"] == "settle":
        return {"mutated": False, "quiet": True, "busy": None, "pending": None, "closed": False}
    if request["cmd"] == "scan":
        stats: ScanStats = {"total": 0, "returned": 0, "scanned": 0, "ms": 0}
        return {"page": page, "elements": [], "patterns": {}, "stats": stats, "next_id": request.get("next_id") or 1}
    if request["cmd"] == "tree":
        number, reference = request.get("next_id") or 1, request.get("next_ref") or 1
        return {"page": page, "nodes": [], "stats": {"scanned": 0}, "next_ref": reference, "next_id": number}
    return None


def is_error_page(url: str) -> bool:
    """Whether a document at `url` is an error page. No site can have such a URL."""
    return url.startswith("chrome-error:")
