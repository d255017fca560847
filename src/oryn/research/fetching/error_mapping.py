"""Maps error statuses, and all exceptions of httpx and httpcore, to errors of research. The one place."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from datetime import UTC, datetime

import httpcore
import httpx

from oryn.core.retry_after import retry_after
from oryn.core.text_safety import quoted, shortened
from oryn.core.text_safety import url as display_url
from oryn.errors import FetchFailed

HTTP_ERRORS = (
    httpcore.TimeoutException,
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.ProxyError,
    httpcore.UnsupportedProtocol,
    httpcore.ConnectionNotAvailable,
    httpx.InvalidURL,
    OSError,
)
"""The exceptions that httpx and httpcore raise while a page is fetched; `OSError` is that of TLS, which they pass
on."""

MAX_MESSAGE_CHARACTERS = 200
"""The maximum length of their messages."""

_TRANSIENT = frozenset({408, 425, 429, 500, 502, 503, 504, *range(520, 528), 529, 530, 598, 599})
"""Statuses after which a retry may succeed; those from 520 on are of large proxies in front of servers."""

_REASONS = {
    401: "it wants a login",
    402: "it wants to be paid",
    403: "access is forbidden",
    404: "there is no such page",
    407: "the proxy wants a login",
    410: "the page is gone",
    429: "too many requests",
    451: "it may not be shown for legal reasons",
    503: "it can't serve now",
}


def status_error(url: str, status: int, headers: Mapping[str, str]) -> FetchFailed:
    """The error of a response with an error status (`headers` with names in lower case)."""
    reason = f" ({_REASONS[status]})" if status in _REASONS else ""
    wait = retry_after({"retry-after": headers.get("retry-after", "")}, datetime.now(UTC))
    asks = f"; it asks to wait {wait:g} s" if wait else ""
    return FetchFailed(
        f"{display_url(url)} answers HTTP {status}{reason}{asks}", status=status, again=status in _TRANSIENT, wait=wait
    )


def map_error(error: Exception, url: str) -> FetchFailed:
    """The error of research for one of `HTTP_ERRORS`."""
    where = display_url(url)
    match error:
        case httpcore.ConnectTimeout() | httpcore.PoolTimeout():
            return FetchFailed(f"no connection to {where} came about in time", again=True)
        case httpcore.TimeoutException():
            return FetchFailed(f"the server of {where} stopped responding", again=True)
        case httpcore.UnsupportedProtocol() | httpx.InvalidURL() | httpcore.LocalProtocolError():
            return FetchFailed(f"{where} is not a URL that can be fetched: {_message(error)}")
        case httpcore.ProxyError():
            return FetchFailed(f"the proxy does not connect to {where}: {_message(error)}", again=True)
        case httpcore.ConnectError() | OSError() if _is_certificate(error):
            return FetchFailed(f"the certificate of {where} can't be trusted: {_message(error)}")
        case httpcore.ConnectError():
            return FetchFailed(f"no connection to {where}: {_message(error)}", again=True)
        case httpcore.RemoteProtocolError() | httpcore.NetworkError() | OSError():
            return FetchFailed(f"the answer of {where} broke off or is not HTTP: {_message(error)}", again=True)
        case _:
            return FetchFailed(f"{where} can't be fetched: {_message(error)}")


def _is_certificate(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return True
        error = error.__cause__ or error.__context__
    return False


def _message(error: Exception) -> str:
    return quoted(shortened(str(error) or type(error).__name__, MAX_MESSAGE_CHARACTERS))
