"""What comes instead of a page, as errors of ours: statuses, and whatever httpx and httpcore raise. The one place."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from datetime import UTC, datetime

import httpcore
import httpx

from oryn.engine.escape import quoted, shortened
from oryn.engine.escape import url as shown
from oryn.research.failures import FetchFailed
from oryn.retry_after import retry_after

FOREIGN = (
    httpcore.TimeoutException,
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.ProxyError,
    httpcore.UnsupportedProtocol,
    httpcore.ConnectionNotAvailable,
    httpx.InvalidURL,
    OSError,
)
"""What the two raise while a page is fetched; `OSError` is TLS's that they let through."""

SHOWN = 200
"""Characters of what they say."""

_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504, *range(520, 528), 529, 530, 598, 599})
"""Statuses of what may be otherwise in a moment; from 520 on they are those of large proxies in front of servers."""

_REASONS = {
    401: "it wants a login",
    402: "it wants to be paid",
    403: "it does not let us",
    404: "there is no such page",
    407: "the proxy wants a login",
    410: "the page is gone",
    429: "too many requests",
    451: "it may not be shown for legal reasons",
    503: "it can't serve now",
}


def refusal(url: str, status: int, headers: Mapping[str, str]) -> FetchFailed:
    """Of an answer that is an error (headers with names in small letters)."""
    reason = f" ({_REASONS[status]})" if status in _REASONS else ""
    wait = retry_after({"retry-after": headers.get("retry-after", "")}, datetime.now(UTC))
    asks = f"; it asks to wait {wait:g} s" if wait else ""
    return FetchFailed(
        f"{shown(url)} answers HTTP {status}{reason}{asks}", status=status, again=status in _PASSING, wait=wait
    )


def failure(error: Exception, url: str) -> FetchFailed:
    """Of one of `FOREIGN`."""
    where = shown(url)
    match error:
        case httpcore.ConnectTimeout() | httpcore.PoolTimeout():
            return FetchFailed(f"no connection to {where} came about in time", again=True)
        case httpcore.TimeoutException():
            return FetchFailed(f"the server of {where} has gone silent", again=True)
        case httpcore.UnsupportedProtocol() | httpx.InvalidURL() | httpcore.LocalProtocolError():
            return FetchFailed(f"{where} is no URL that can be asked for: {_said(error)}")
        case httpcore.ProxyError():
            return FetchFailed(f"the proxy does not connect to {where}: {_said(error)}", again=True)
        case httpcore.ConnectError() | OSError() if _is_certificate(error):
            return FetchFailed(f"the certificate of {where} can't be trusted: {_said(error)}")
        case httpcore.ConnectError():
            return FetchFailed(f"no connection to {where}: {_said(error)}", again=True)
        case httpcore.RemoteProtocolError() | httpcore.NetworkError() | OSError():
            return FetchFailed(f"the answer of {where} broke off or is no HTTP: {_said(error)}", again=True)
        case _:
            return FetchFailed(f"{where} can't be fetched: {_said(error)}")


def _is_certificate(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return True
        error = error.__cause__ or error.__context__
    return False


def _said(error: Exception) -> str:
    return quoted(shortened(str(error) or type(error).__name__, SHOWN))
