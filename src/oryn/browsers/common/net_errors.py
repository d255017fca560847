"""What the network's errors (`net::ERR_…`) mean, in plain words. Every function here is total."""

from __future__ import annotations

from oryn.errors import NavigationError

_CHECK_URL = "Check the spelling of the address."
# https://source.chromium.org/chromium/chromium/src/+/main:net/base/net_error_list.h
_CHECK_SERVER = "Check that the server runs and that the port is right."
_TRY_AGAIN = "Try again, or check the network."
_CHECK_CERTIFICATE = (
    "Check the address: the connection would not be private. Only the user can accept such a certificate"
    " (certificate_pins, ignore_certificate_errors)."
)
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
    ("CERT", "the server's certificate is not valid", _CHECK_CERTIFICATE),
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


def advice(error_text: str) -> str:
    """What to do about a `net::ERR_…`."""
    return _explain(error_text)[1]


def failed_load(url: str, error_text: str) -> NavigationError:
    """The error for a navigation to `url` that ended with `error_text`."""
    return NavigationError(f"{url} did not load: {reason(error_text)}", advice(error_text))


def _explain(error_text: str) -> tuple[str, str]:
    for part, plain, hint in _NET:
        if part in error_text:
            return plain, hint
    return "the load failed", _TRY_AGAIN
