"""The address of a browser that runs already: what it may be, and what may be shown of it.

`ws://` and `wss://` lead to the DevTools endpoint itself, with whatever a service wants to be told in user, path or
query. `http://` and `https://` lead to a browser's port, which tells its endpoint at `/json/version`.
https://chromedevtools.github.io/devtools-protocol/#endpoints
"""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit

DOTS = "••••"
_SCHEMES = ("ws", "wss", "http", "https")
_LOOPBACK = ("localhost", "::1", "[::1]")


def read(value: object) -> str:
    """The address in full: a bare `host:port` is that of a browser's port. Raises `ValueError` for what is none."""
    if not isinstance(value, str) or any(character <= " " for character in value):
        raise ValueError("no address")
    text = value if "://" in value else f"http://{value}"
    parts = urlsplit(text)
    if parts.scheme not in _SCHEMES or not parts.hostname or parts.fragment or parts.port == 0:
        raise ValueError("no address of a browser")
    return text


def shown(address: object) -> object:
    """An address with dots in the place of the user and of the query, where services put their keys; of what is no
    address, for errors, nothing that could be a key."""
    if not isinstance(address, str) or not ("@" in address or "?" in address):
        return address
    try:
        parts = urlsplit(read(address))
    except ValueError:
        return DOTS
    _, at, host = parts.netloc.rpartition("@")
    return urlunsplit((parts.scheme, f"{DOTS if at else ''}{at}{host}", parts.path, parts.query and DOTS, ""))


def is_local(address: str) -> bool:
    """Whether it is this computer's own."""
    host = urlsplit(address).hostname or ""
    return host in _LOOPBACK or host.startswith("127.")


def endpoint(address: str, told: str) -> str:
    """The endpoint that the browser behind the port of `address` has `told`: reached the same way as the port, for it
    does not know how it is seen from here, and with the same user and query."""
    asked, answered = urlsplit(address), urlsplit(told)
    scheme = {"http": "ws", "https": "wss"}[asked.scheme]
    return urlunsplit((scheme, asked.netloc, answered.path, answered.query or asked.query, ""))
