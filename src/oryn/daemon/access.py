"""Who may ask a daemon: programs of its own user, which know its token, under its own address (DESIGN, Trust).

A web page can send requests to loopback too, also under a name that its owner points there (DNS rebinding): hence the
checks of `Host` and `Origin`. Another user of the machine can't read the token's file. A page's script that learnt the
token is no program of the user either: browsers mark its requests (`Sec-Fetch-*`), and it can't take the mark away.

What is asked for is the scope's path, which routes are chosen by too. A URL that is put together from `Host` is not
asked: `Host: localhost:/healthz?` would be in it."""

from __future__ import annotations

import hmac
import re
import secrets
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse

from oryn.errors import NotFromHere, RequestError, Unauthorized
from oryn.paths import write_private
from oryn.places import TOKEN
from oryn.remote.origins import is_extension

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

_HOST = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(?::([0-9]{1,5}))?", re.ASCII | re.IGNORECASE)
"""A `Host` of ours, with a port or without. https://www.rfc-editor.org/rfc/rfc9110#section-7.2 has an empty port too,
which no client sends."""
WITHOUT_TOKEN = frozenset({"/healthz", "/"})
"""Paths that anybody may ask for: `/` says how to get in to whoever has not come by a link."""

_MARKS = frozenset({b"sec-fetch-site", b"sec-fetch-dest", b"sec-fetch-user"})
"""What browsers say with every request (https://www.w3.org/TR/fetch-metadata/) and nobody else. `Sec-Fetch-Mode` is not
among them: programs in Node say that too (https://github.com/nodejs/undici, `lib/web/fetch/index.js`)."""

EXTENSION = "/extension"
"""The extension's door: who comes there is known by pairing."""

Admission = Callable[[HTTPConnection], Awaitable[bool]]


def token_in(folder: Path) -> str:
    """The daemon's token, which is made when there is none. Raises `ConfigurationError`, `OSError`."""
    file = folder / TOKEN
    try:
        if token := file.read_text("ascii").strip():
            return token
    except (FileNotFoundError, UnicodeDecodeError):
        pass
    token = secrets.token_urlsafe(32)
    write_private(file, f"{token}\n")
    return token


class Access:
    """Lets through what may ask. `admitted` are other ways in than the token: each is asked about a request."""

    def __init__(self, app: ASGIApp, token: str, admitted: tuple[Admission, ...] = ()) -> None:
        self._app = app
        self._token = token.encode()
        self._admitted = admitted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        try:
            await self._check(HTTPConnection(scope, receive))
        except RequestError as error:
            await refuse(error, scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _check(self, connection: HTTPConnection) -> None:
        host, path = _host_of(connection.scope), connection.scope["path"]
        origin = connection.headers.get("origin")
        if connection.scope["type"] == "websocket" and path == EXTENSION:
            if not is_extension(origin):
                raise NotFromHere(f"the origin {(origin or '')[:80]!r} is no extension")
            return
        if origin is not None and origin != f"http://{host}":
            raise NotFromHere(f"the origin {origin[:80]!r} is not this daemon")
        if path in WITHOUT_TOKEN or self._knows_token(connection):
            return
        for admitted in self._admitted:
            if await admitted(connection):
                return
        raise Unauthorized("the token is missing or wrong")

    def _knows_token(self, connection: HTTPConnection) -> bool:
        """Raises `NotFromHere` for a page that says what it takes for the token, right or wrong."""
        if (authorization := connection.headers.get("authorization")) is None:
            return False
        if any(name in _MARKS for name, _ in connection.scope["headers"]):
            raise NotFromHere(
                "a page in a browser says a token", "The token is for programs; 'oryn open' is for browsers."
            )
        scheme, _, given = authorization.partition(" ")
        return scheme.lower() == "bearer" and hmac.compare_digest(given.strip().encode("utf-8", "replace"), self._token)


def _host_of(scope: Scope) -> str:
    """The `Host` of a request, of which there is one, and it is ours: a name of this computer and, if there is a port,
    the port that was asked. Raises `NotFromHere`."""
    hosts = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
    host = hosts[0] if len(hosts) == 1 else ""
    found = _HOST.fullmatch(host)
    own = (scope.get("server") or ("", None))[1]  # None: it came by the socket, where no browser comes
    if found is None or (found[2] is not None and own is not None and int(found[2]) != own):
        raise NotFromHere(f"the host {host[:80]!r} is not this daemon")
    return host.lower()


async def refuse(error: RequestError, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a request with an error; what would have been a WebSocket is none."""
    from oryn.daemon.protocol import failure_of

    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
        return
    # https://www.rfc-editor.org/rfc/rfc9110#status.401
    headers = {"WWW-Authenticate": "Bearer"} if isinstance(error, Unauthorized) else None
    response = JSONResponse(failure_of(error).model_dump(), error.http_status, headers)
    await response(scope, receive, send)
