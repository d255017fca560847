"""How a browser gets in: by a link that is good once, which leaves it with two secrets of its own.

A cookie alone would not do: browsers send it to every port of a host (RFC 6265 §8.5), so another user's server on this
computer would get it with the first visit. Hence the key, which the page's script keeps where only this origin, port
included, can read it (`localStorage`) and says with each request: https://www.rfc-editor.org/rfc/rfc6265#section-8.5
"""

from __future__ import annotations

import hmac
import secrets
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from oryn.records import Record

if TYPE_CHECKING:
    from starlette.requests import HTTPConnection

CODE_SECONDS = 60.0
"""How long a link is good for."""
VISIT_SECONDS = 12 * 3600.0
"""How long a browser stays let in, unless the daemon ends first."""
MOST = 100
"""Links that wait, and browsers that are let in; when there are more, the oldest end."""

KEY_HEADER = "oryn-key"
FILES = "/live/"
KEY_PATH = "/live/key"
LINK_PATH = "/link"
_OF_OUR_PAGES = (None, "none", "same-origin")
"""What `Sec-Fetch-Site` says of requests that no other site has made: https://www.w3.org/TR/fetch-metadata/."""


class Visit(Record, frozen=False):
    """A browser that is let in. `key` is None until its page has asked for it, which it may once."""

    until: float
    key: str | None = None


class Links:
    """The links of a daemon that wait, and the browsers that came by one. `clock` gives seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._codes: dict[str, float] = {}
        self._visits: dict[str, Visit] = {}

    def code(self) -> str:
        """What a new link says."""
        code = secrets.token_urlsafe(32)
        _make_room(self._codes)
        self._codes[code] = self._clock() + CODE_SECONDS
        return code

    def enter(self, code: str) -> str | None:
        """The cookie for whoever comes with this code; None for one that is used, old or no code."""
        until = self._codes.pop(code, 0.0)
        if self._clock() >= until:
            return None
        cookie = secrets.token_urlsafe(32)
        _make_room(self._visits)
        self._visits[cookie] = Visit(until=self._clock() + VISIT_SECONDS)
        return cookie

    def key(self, connection: HTTPConnection) -> str | None:
        """The key of a browser with a cookie, once."""
        visit = self._visit(connection)
        if visit is None or visit.key is not None:
            return None
        visit.key = secrets.token_urlsafe(32)
        return visit.key

    def is_visitor(self, connection: HTTPConnection) -> bool:
        """Whether the cookie is one of ours: enough for what is no secret, the page itself."""
        return self._visit(connection) is not None

    async def admits(self, connection: HTTPConnection) -> bool:
        """Whether a request without the token comes from a live page. For `Access`, which has checked `Host` and
        `Origin`; what may change something must have an `Origin`."""
        if connection.headers.get("sec-fetch-site") not in _OF_OUR_PAGES:
            return False
        method = connection.scope.get("method", "GET")
        if method not in ("GET", "HEAD") and "origin" not in connection.headers:
            return False
        visit = self._visit(connection)
        if visit is None:
            return False
        path = connection.scope["path"]
        if path.startswith(FILES):
            return True
        if path == LINK_PATH:
            return False  # a way in makes no other
        given = connection.headers.get(KEY_HEADER, "").encode("utf-8", "replace")
        return visit.key is not None and hmac.compare_digest(given, visit.key.encode())

    def _visit(self, connection: HTTPConnection) -> Visit | None:
        visit = self._visits.get(connection.cookies.get(cookie_name(connection), ""))
        return visit if visit is not None and self._clock() < visit.until else None


def cookie_name(connection: HTTPConnection) -> str:
    """A name of this daemon's own: cookies of one host are shared by its ports."""
    return f"oryn_{(connection.scope.get('server') or ('', 0))[1]}"


def _make_room(held: dict[str, float] | dict[str, Visit]) -> None:
    """Let the oldest go; what has run out is the oldest."""
    while len(held) >= MOST:
        del held[next(iter(held))]
