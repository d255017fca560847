"""Who may ask a daemon: programs of its own user, which know its token, under its own address (DESIGN, Trust).

A web page can send requests to loopback too, also under a name that its owner points there (DNS rebinding): hence the
checks of `Host` and `Origin`. Another user of the machine can't read the token's file."""

from __future__ import annotations

import hmac
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

_NAMES = ("127.0.0.1", "localhost", "[::1]")
WITHOUT_TOKEN = frozenset({"/healthz", "/"})
"""Paths that anybody may ask for: `/` says how to get in to whoever has not come by a link."""

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
            await _refuse(error, scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _check(self, connection: HTTPConnection) -> None:
        host = connection.headers.get("host", "")
        if host.rpartition(":")[0] not in _NAMES and host not in _NAMES:
            raise NotFromHere(f"the host {host[:80]!r} is not this daemon")
        origin = connection.headers.get("origin")
        if connection.scope["type"] == "websocket" and connection.url.path == EXTENSION:
            if not is_extension(origin):
                raise NotFromHere(f"the origin {(origin or '')[:80]!r} is no extension")
            return
        if origin is not None and origin != f"http://{host}":
            raise NotFromHere(f"the origin {origin[:80]!r} is not this daemon")
        if connection.url.path in WITHOUT_TOKEN or self._knows_token(connection):
            return
        for admitted in self._admitted:
            if await admitted(connection):
                return
        raise Unauthorized("the token is missing or wrong")

    def _knows_token(self, connection: HTTPConnection) -> bool:
        scheme, _, given = connection.headers.get("authorization", "").partition(" ")
        return scheme.lower() == "bearer" and hmac.compare_digest(given.strip().encode("utf-8", "replace"), self._token)


async def _refuse(error: RequestError, scope: Scope, receive: Receive, send: Send) -> None:
    from oryn.daemon.protocol import failure_of

    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
        return
    # https://www.rfc-editor.org/rfc/rfc9110#status.401
    headers = {"WWW-Authenticate": "Bearer"} if isinstance(error, Unauthorized) else None
    response = JSONResponse(failure_of(error).model_dump(), error.http_status, headers)
    await response(scope, receive, send)
