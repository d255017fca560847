"""Why a page did not load: WebKit's driver calls every load a success, and its error page has no text.

The address of Firefox's error page has a reason; without one, the address is tried from here. The result has the form
of Chromium's network errors, which the other modes report (`browsers.common.network_errors`)."""

from __future__ import annotations

import asyncio
import ipaddress
import ssl
from urllib.parse import parse_qs, urlsplit

PROBE_SECONDS = 3.0
_DEFAULT_PORTS = {"http": 80, "https": 443}
UNKNOWN = "net::ERR_FAILED"

# https://searchfox.org/mozilla-esr140/source/docshell/base/nsDocShell.cpp, `DisplayLoadError`
_FIREFOX_REASONS = {
    "connectionFailure": "net::ERR_CONNECTION_REFUSED",
    "deniedPortAccess": "net::ERR_UNSAFE_PORT",
    "dnsNotFound": "net::ERR_NAME_NOT_RESOLVED",
    "fileNotFound": "net::ERR_FILE_NOT_FOUND",
    "malformedURI": "net::ERR_INVALID_URL",
    "netOffline": "net::ERR_INTERNET_DISCONNECTED",
    "netTimeout": "net::ERR_CONNECTION_TIMED_OUT",
    "proxyConnectFailure": "net::ERR_PROXY_CONNECTION_FAILED",
    "redirectLoop": "net::ERR_TOO_MANY_REDIRECTS",
    "unknownProtocolFound": "net::ERR_UNKNOWN_URL_SCHEME",
}


def reason_of(error_document: str) -> str | None:
    """The network error that the address of an error page of Firefox names; None if it names none."""
    code = parse_qs(urlsplit(error_document).query).get("e", [""])[0]
    return _FIREFOX_REASONS.get(code)


async def diagnose(url: str) -> str:
    """The network error of a load that has failed; `net::ERR_FAILED` if it can't be found out. Never raises."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return "net::ERR_INVALID_URL"
    if parts.scheme not in _DEFAULT_PORTS:
        return "net::ERR_UNKNOWN_URL_SCHEME"
    if not parts.hostname:
        return "net::ERR_INVALID_URL"
    try:
        async with asyncio.timeout(PROBE_SECONDS):
            return await _probe(parts.hostname, port or _DEFAULT_PORTS[parts.scheme], parts.scheme == "https")
    except TimeoutError:
        return "net::ERR_CONNECTION_TIMED_OUT"


async def _probe(host: str, port: int, secure: bool) -> str:
    loop = asyncio.get_running_loop()
    try:
        ipaddress.ip_address(host)
    except ValueError:
        try:
            await loop.getaddrinfo(host, port)
        except OSError:
            return "net::ERR_NAME_NOT_RESOLVED"
    try:
        reader, writer = await asyncio.open_connection(host, port, ssl=ssl.create_default_context() if secure else None)
    except ssl.SSLCertVerificationError:
        return "net::ERR_CERT_AUTHORITY_INVALID"
    except ssl.SSLError:
        return "net::ERR_SSL_PROTOCOL_ERROR"
    except ConnectionRefusedError:
        return "net::ERR_CONNECTION_REFUSED"
    except OSError:
        return "net::ERR_CONNECTION_FAILED"
    try:
        # A server that closes the connection at once answers nothing to the browser either.
        async with asyncio.timeout(0.2):
            if await reader.read(1) == b"":
                return "net::ERR_EMPTY_RESPONSE"
    except TimeoutError:
        pass
    except OSError:
        return "net::ERR_CONNECTION_RESET"
    finally:
        writer.close()
    return "net::ERR_EMPTY_RESPONSE"
