"""Logs a browser in to the live page by a one-time link, which gives it a cookie and a key.

A cookie alone is not enough: browsers send it to every port of a host (RFC 6265 §8.5). The server of another user of
this computer would get it with the first visit. Hence the key. The page's script stores it where only this origin, port
included, can read it (`localStorage`), and sends it with each request:
https://www.rfc-editor.org/rfc/rfc6265#section-8.5

A link is also rejected if another user of this computer opened it: on Linux, the kernel's tables have the owner of a
TCP connection."""

from __future__ import annotations

import hmac
import os
import secrets
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING

from oryn.core.records import Record

if TYPE_CHECKING:
    from starlette.requests import HTTPConnection

    from oryn.daemon.access.principals import Principal

CODE_SECONDS = 60.0
"""Seconds for which a link is valid."""
BROWSER_LOGIN_SECONDS = 12 * 3600.0
"""Seconds for which a browser stays logged in, unless the daemon ends first."""
MAX_LINKS = 100
"""Maximum number of pending links, and of logged-in browsers; beyond it, the oldest are removed."""

KEY_HEADER = "oryn-key"
SUBPROTOCOL = "oryn"
KEY_SUBPROTOCOL = "oryn-key."
"""Before the key in the subprotocols of a WebSocket: a page can send no headers with it.
https://www.rfc-editor.org/rfc/rfc6455#section-1.9"""
FILES_PATH = "/live/"
KEY_PATH = "/live/key"
LINK_PATH = "/link"
_SAME_ORIGIN_SITES = (None, "none", "same-origin")
"""Values of `Sec-Fetch-Site` in requests that no other site has caused: https://www.w3.org/TR/fetch-metadata/."""


class LoginCode(Record):
    """The code of a link that a principal has made."""

    until: float
    principal: Principal


class BrowserLogin(Record, frozen=False):
    """A logged-in browser, which may do what the principal may whose link it has opened. `key` is None until its page
    has requested it, which the page may do once."""

    until: float
    principal: Principal
    key: str | None = None


class OneTimeLinks:
    """The pending links of a daemon, and the browsers that logged in by one. `clock` returns seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._codes: dict[str, LoginCode] = {}
        self._logins: dict[str, BrowserLogin] = {}

    def create_code(self, principal: Principal) -> str:
        """Create the code of a new link of a principal."""
        code = secrets.token_urlsafe(32)
        _evict_oldest(self._codes)
        self._codes[code] = LoginCode(self._clock() + CODE_SECONDS, principal)
        return code

    def redeem(self, code: str) -> str | None:
        """The cookie for a browser with this code; None if the code is unknown, used or expired."""
        link = self._codes.pop(code, None)
        if link is None or self._clock() >= link.until:
            return None
        cookie = secrets.token_urlsafe(32)
        _evict_oldest(self._logins)
        self._logins[cookie] = BrowserLogin(self._clock() + BROWSER_LOGIN_SECONDS, link.principal)
        return cookie

    def issue_key(self, connection: HTTPConnection) -> str | None:
        """Create the key of a browser with a cookie; None without a valid cookie, and from the second call on."""
        visit = self._login_of(connection)
        if visit is None or visit.key is not None:
            return None
        visit.key = secrets.token_urlsafe(32)
        return visit.key

    def is_logged_in(self, connection: HTTPConnection) -> bool:
        """Whether the cookie is valid. This is enough for content that is not secret: the page itself."""
        return self._login_of(connection) is not None

    async def authenticate(self, connection: HTTPConnection) -> Principal | None:
        """The principal of a request without a token that comes from a live page; None for any other.

        An authenticator for `AuthMiddleware`, which has checked `Host` and `Origin`. Requests that may change something
        must have an `Origin`."""
        if connection.headers.get("sec-fetch-site") not in _SAME_ORIGIN_SITES:
            return None
        # A WebSocket has no method, and may change something.
        if connection.scope.get("method") not in ("GET", "HEAD") and "origin" not in connection.headers:
            return None
        visit = self._login_of(connection)
        if visit is None:
            return None
        path = connection.scope["path"]
        if path.startswith(FILES_PATH):
            return visit.principal
        if path == LINK_PATH:
            return None  # a logged-in browser can't create links
        key = _key_of(connection).encode("utf-8", "replace")
        has_key = visit.key is not None and hmac.compare_digest(key, visit.key.encode())
        return visit.principal if has_key else None

    def _login_of(self, connection: HTTPConnection) -> BrowserLogin | None:
        visit = self._logins.get(connection.cookies.get(cookie_name(connection), ""))
        return visit if visit is not None and self._clock() < visit.until else None


def _key_of(connection: HTTPConnection) -> str:
    for protocol in connection.scope.get("subprotocols", ()):
        if protocol.startswith(KEY_SUBPROTOCOL):
            return str(protocol.removeprefix(KEY_SUBPROTOCOL))
    return connection.headers.get(KEY_HEADER, "")


def cookie_name(connection: HTTPConnection) -> str:
    """The cookie's name, which contains the port: all ports of a host share their cookies."""
    return f"oryn_{(connection.scope.get('server') or ('', 0))[1]}"


def _evict_oldest(held: dict[str, LoginCode] | dict[str, BrowserLogin]) -> None:
    """Remove the oldest entries until there is room for one more; expired entries are the oldest."""
    while len(held) >= MAX_LINKS:
        del held[next(iter(held))]


_TABLES = ("/proc/net/tcp", "/proc/net/tcp6")
"""https://www.kernel.org/doc/html/latest/networking/proc_net_tcp.html"""
_ROOT = 0


def belongs_to_other_user(connection: HTTPConnection) -> bool:
    """Whether another user of this computer made the connection. False if the owner can't be determined."""
    client, server = connection.client, connection.scope.get("server")
    if client is None or not server or not server[1] or not hasattr(os, "getuid"):
        return False  # not TCP: the socket is in the user's own folder
    if not ip_address(client.host).is_loopback:
        return False  # another computer, or a proxy
    owner = _socket_owner((client.host, client.port), (server[0], server[1]))
    return owner is not None and owner not in (os.getuid(), _ROOT)


def _socket_owner(local: tuple[str, int], remote: tuple[str, int]) -> int | None:
    """The user ID of the owner of the socket between these addresses; None if it is not in the tables."""
    ends = _table_address(*local), _table_address(*remote)
    for table in _TABLES:
        with suppress(OSError):
            for line in Path(table).read_text("ascii").splitlines()[1:]:
                fields = line.split()
                if (_address_tail(fields[1]), _address_tail(fields[2])) == ends:
                    return int(fields[7])
    return None


def _table_address(host: str, port: int) -> str:
    """Format an address as in the tables, in the machine's byte order: `127.0.0.1`, 80 → `0100007F:0050`."""
    end = ip_address(host).packed[-4:]  # of an IPv6 address, the last of four words
    return f"{int.from_bytes(end, sys.byteorder):08X}:{port:04X}"


def _address_tail(address: str) -> str:
    """The IPv4 part of an IPv4-mapped IPv6 address, and the last word of any other."""
    return address[-13:]
