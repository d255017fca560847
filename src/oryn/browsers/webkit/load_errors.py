"""The reason of a load that failed, as one of Chromium's network errors, which all modes report
(`browsers.common.network_errors`).

WebKit reports the text of an error alone. It is libsoup's, GIO's or WebKit's own, in English because the browser is
started so.

Pure."""

from __future__ import annotations

from urllib.parse import urlsplit

_CAUSES: tuple[tuple[tuple[str, ...], str], ...] = (
    (("name or service not known", "no address associated", "error resolving", "failure in name"), "NAME_NOT_RESOLVED"),
    (("connection refused",), "CONNECTION_REFUSED"),
    (("connection reset", "broken pipe"), "CONNECTION_RESET"),
    (("connection terminated unexpectedly", "connection closed"), "EMPTY_RESPONSE"),
    (("timed out", "timeout"), "TIMED_OUT"),
    (("network is unreachable", "no network"), "INTERNET_DISCONNECTED"),
    (("no route to host", "host is down"), "ADDRESS_UNREACHABLE"),
    (("redirect",), "TOO_MANY_REDIRECTS"),
    (("no such file", "not found"), "FILE_NOT_FOUND"),
    (("permission denied", "not permitted"), "ACCESS_DENIED"),
    (("restricted network port",), "UNSAFE_PORT"),
    (("certificate",), "CERT_AUTHORITY_INVALID"),
    (("tls", "ssl", "handshake"), "SSL_PROTOCOL_ERROR"),
    (("web inspector", "not allowed by ruleset", "content blocker", "blocked"), "BLOCKED_BY_CLIENT"),
    (("proxy", "socks"), "PROXY_CONNECTION_FAILED"),
    (("invalid http", "malformed", "could not parse", "http/2"), "INVALID_HTTP_RESPONSE"),
    (("cancel", "interrupted"), "ABORTED"),
)
"""Parts of texts in small letters, and the name of the error; the first that fits counts."""
_WEB_SCHEMES = ("http", "https", "ws", "wss", "file", "about", "data", "blob")


def network_error(text: str, url: str) -> str:
    """The network error (`net::ERR_…`) of a load of `url` that failed with `text`."""
    if "be shown" in text:  # WebKit can't show the URL
        is_web = url.partition(":")[0].lower() in _WEB_SCHEMES
        return "net::ERR_INVALID_URL" if is_web else "net::ERR_UNKNOWN_URL_SCHEME"
    words = text.lower()
    for parts, name in _CAUSES:
        if any(part in words for part in parts):
            return f"net::ERR_{name}"
    return "net::ERR_FAILED"


def unsent_error(url: str) -> str:
    """The network error of a load of `url` that WebKit has refused before it sent a request, without a reason."""
    parts = urlsplit(url)
    if parts.scheme in ("http", "https"):
        return "net::ERR_UNSAFE_PORT" if parts.port else "net::ERR_FAILED"
    return "net::ERR_INVALID_URL" if parts.scheme in _WEB_SCHEMES else "net::ERR_UNKNOWN_URL_SCHEME"
