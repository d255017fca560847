"""The reason of a load that failed, as one of Chromium's network errors, which all modes report
(`browsers.common.network_errors`).

WebKit reports the text of an error alone. It is libsoup's, GIO's or WebKit's own, in English because the browser is
started so.

Pure."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

_CAUSES: tuple[tuple[str, str], ...] = (
    (r"Name or service not known|No address associated|Temporary failure in name|Error resolving", "NAME_NOT_RESOLVED"),
    (r"Connection refused", "CONNECTION_REFUSED"),
    (r"Connection reset|Broken pipe", "CONNECTION_RESET"),
    (r"Connection terminated unexpectedly|Connection closed", "EMPTY_RESPONSE"),
    (r"timed out|Timed out|timeout", "TIMED_OUT"),
    (r"Network is unreachable|Internet", "INTERNET_DISCONNECTED"),
    (r"No route to host|Host is down", "ADDRESS_UNREACHABLE"),
    (r"redirect", "TOO_MANY_REDIRECTS"),
    (r"No such file|not found", "FILE_NOT_FOUND"),
    (r"Permission denied|permitted", "ACCESS_DENIED"),
    (r"restricted network port", "UNSAFE_PORT"),
    (r"certificate|Certificate", "CERT_AUTHORITY_INVALID"),
    (r"TLS|SSL|handshake", "SSL_PROTOCOL_ERROR"),
    (r"Web Inspector|not allowed by ruleset", "BLOCKED_BY_CLIENT"),
    (r"[Pp]roxy|SOCKS", "PROXY_CONNECTION_FAILED"),
    (r"Invalid HTTP|malformed|[Cc]ould not parse|HTTP/2", "INVALID_HTTP_RESPONSE"),
    (r"content blocker|blocked", "BLOCKED_BY_CLIENT"),
    (r"cancel|interrupted", "ABORTED"),
)
_WEB_SCHEMES = ("http", "https", "ws", "wss", "file", "about", "data", "blob")


def network_error(text: str, url: str) -> str:
    """The network error (`net::ERR_…`) of a load of `url` that failed with `text`."""
    if "be shown" in text:  # WebKit can't show the URL
        is_web = url.partition(":")[0].lower() in _WEB_SCHEMES
        return "net::ERR_INVALID_URL" if is_web else "net::ERR_UNKNOWN_URL_SCHEME"
    for pattern, name in _CAUSES:
        if re.search(pattern, text):
            return f"net::ERR_{name}"
    return "net::ERR_FAILED"


def unsent_error(url: str) -> str:
    """The network error of a load of `url` that WebKit has refused before it sent a request, without a reason."""
    parts = urlsplit(url)
    if parts.scheme in ("http", "https"):
        return "net::ERR_UNSAFE_PORT" if parts.port else "net::ERR_FAILED"
    return "net::ERR_INVALID_URL" if parts.scheme in _WEB_SCHEMES else "net::ERR_UNKNOWN_URL_SCHEME"
