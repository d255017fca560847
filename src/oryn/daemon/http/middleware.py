"""Middleware: authentication of requests, and validation of query parameters.

Only programs of the daemon's own user may send requests: they have its token, and use its own address
(docs/spec/daemon-protocol.md#authentication).
A web page can send requests to loopback too, also under a name that its owner resolves to loopback (DNS rebinding).
`Host` and `Origin` are therefore checked. Another user of the machine can't read the token's file. The script of a page
that has learnt the token is rejected too, by what browsers add to its requests: `Origin`, `Referer`, `User-Agent`,
`Sec-Fetch-*`. A page can suppress some of them, and not every browser sends all, so each one is enough. A person's
approval needs the person's key besides, in a header that no page can send.

The checked path is that of the ASGI scope, as for routing. A URL that is built from `Host` is not used: `Host:
localhost:/healthz?` would be in it.

A query parameter that an address does not have is an error; it is not ignored."""

from __future__ import annotations

import hmac
import re
import secrets
from collections.abc import Awaitable, Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse

from oryn.daemon.protocol import DOCUMENT_POLICY, failure_of
from oryn.errors import NotFromHere, RequestError, Unauthorized
from oryn.extension_server.server import is_extension
from oryn.language.lexer import shorten
from oryn.system.daemon_paths import TOKEN_FILE
from oryn.system.paths import write_private

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_HOST = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(?::([0-9]{1,5}))?", re.ASCII | re.IGNORECASE)
"""A `Host` of this daemon, with or without a port. https://www.rfc-editor.org/rfc/rfc9110#section-7.2 also allows an
empty port, which no client sends."""
PUBLIC_PATHS = frozenset({"/healthz", "/"})
"""Paths that need no authentication; without a login, `/` explains how to log in."""

_BROWSER_HEADERS = frozenset({b"origin", b"referer", b"sec-fetch-site", b"sec-fetch-dest", b"sec-fetch-user"})
"""Headers that only browsers send (https://www.w3.org/TR/fetch-metadata/). WebKit before 2.48 sends no `Sec-Fetch-*`.

`Sec-Fetch-Mode` is not among them, as Node sends it too (https://github.com/nodejs/undici, `lib/web/fetch/index.js`).
"""

EXTENSION_PATH = "/extension"
"""The extension's endpoint, which is authenticated by pairing."""

Authenticator = Callable[[HTTPConnection], Awaitable[bool]]


_BROWSER_AGENT = b"mozilla/"
"""How the `User-Agent` of every browser begins: https://html.spec.whatwg.org/multipage/system-state.html#dom-navigator-appversion."""


def load_token(folder: Path, name: str = TOKEN_FILE) -> str:
    """The daemon's token, or another of its secrets, which is created if it does not exist. Raises
    `ConfigurationError`, `OSError`."""
    file = folder / name
    try:
        if token := file.read_text("ascii").strip():
            return token
    except (FileNotFoundError, UnicodeDecodeError):
        pass
    token = secrets.token_urlsafe(32)
    write_private(file, f"{token}\n")
    return token


class AuthMiddleware:
    """Rejects requests that are not authenticated. `admitted` are authenticators besides the token; each is called with
    a request."""

    def __init__(self, app: ASGIApp, token: str, admitted: tuple[Authenticator, ...] = ()) -> None:
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
        if connection.scope["type"] == "websocket" and path == EXTENSION_PATH:
            if not is_extension(origin):
                raise NotFromHere(f"the origin {(origin or '')[:80]!r} is not that of an extension")
            return
        if origin is not None and origin != f"http://{host}":
            raise NotFromHere(f"the origin {origin[:80]!r} is not this daemon")
        if path in PUBLIC_PATHS or self._has_token(connection):
            return
        for admitted in self._admitted:
            if await admitted(connection):
                return
        raise Unauthorized("the token is missing or wrong")

    def _has_token(self, connection: HTTPConnection) -> bool:
        """Whether the request has the right token. Raises `NotFromHere` if a page in a browser sends any token."""
        if (authorization := connection.headers.get("authorization")) is None:
            return False
        for name, value in connection.scope["headers"]:
            if name in _BROWSER_HEADERS or (name == b"user-agent" and value.lower().startswith(_BROWSER_AGENT)):
                raise NotFromHere(
                    "a web page must not send the daemon's token",
                    "The token is for programs; 'oryn open' opens the live page in a browser.",
                )
        scheme, _, token = authorization.partition(" ")
        return scheme.lower() == "bearer" and hmac.compare_digest(token.strip().encode("utf-8", "replace"), self._token)


def _host_of(scope: Scope) -> str:
    """The `Host` of a request, in lower case.

    Raises `NotFromHere` unless there is exactly one, with a name of this computer and, if it has a port, the port of
    the connection."""
    hosts = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
    host = hosts[0] if len(hosts) == 1 else ""
    found = _HOST.fullmatch(host)
    own = (scope.get("server") or ("", None))[1]  # None for the Unix socket, to which no browser connects
    if found is None or (found[2] is not None and own is not None and int(found[2]) != own):
        raise NotFromHere(f"the host {host[:80]!r} is not this daemon")
    return host.lower()


async def refuse(error: RequestError, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a request with an error; a WebSocket is rejected with code 1008."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
        return
    # https://www.rfc-editor.org/rfc/rfc9110#status.401
    headers = {"WWW-Authenticate": "Bearer"} if isinstance(error, Unauthorized) else None
    response = JSONResponse(failure_of(error).model_dump(), error.http_status, headers)
    await response(scope, receive, send)


class DocumentPolicyMiddleware:
    """Adds `DOCUMENT_POLICY` to every response without a policy of its own.

    A page at this daemon's own address whose script has learnt the token sends no `Origin` with a `GET`, and may leave
    out `Referer`; WebKit before 2.48 sends nothing else that tells of a page. So no document here may connect."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def limited(message: Message) -> None:
            # A 304 would replace the policy of the response that the browser has stored.
            if message["type"] == "http.response.start" and message["status"] != 304:
                headers = message.get("headers", ())
                if not any(name.lower() == b"content-security-policy" for name, _ in headers):
                    message["headers"] = [*headers, (b"content-security-policy", DOCUMENT_POLICY.encode())]
            await send(message)

        await self._app(scope, receive, limited if scope["type"] == "http" else send)


ErrorResponder = Callable[[RequestError, "Scope", "Receive", "Send"], Awaitable[None]]

REPEATABLE = frozenset({"type"})
"""Parameters that may occur more than once."""
_MAX_PARAMETERS = 100
"""Maximum number of parameters of one request."""


class QueryParameterMiddleware:
    """Rejects requests with unknown query parameters.

    `parameters` has the allowed ones by path; other paths take no parameters. The applications at `exempt_paths` check
    theirs themselves."""

    def __init__(
        self,
        app: ASGIApp,
        parameters: Mapping[str, Collection[str]],
        refuse: ErrorResponder,
        exempt_paths: Collection[str] = (),
    ) -> None:
        self._app = app
        self._parameters = parameters
        self._refuse = refuse
        self._exempt_paths = exempt_paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket") and scope["query_string"] and scope["path"] not in self._exempt_paths:
            try:
                check_query(scope["query_string"], self._parameters.get(scope["path"], ()))
            except RequestError as error:
                await self._refuse(error, scope, receive, send)
                return
        await self._app(scope, receive, send)


def check_query(query: bytes, allowed: Collection[str]) -> None:
    """Check a query string. Raises `RequestError` for a parameter that is not allowed, or that occurs twice."""
    takes = f"It takes {', '.join(allowed)}." if allowed else "It takes none."
    try:
        pairs = parse_qsl(query.decode("latin-1"), keep_blank_values=True, max_num_fields=_MAX_PARAMETERS)
    except ValueError:
        raise RequestError("the address has too many parameters", takes) from None
    names = [name for name, _ in pairs]
    for number, name in enumerate(names):
        if name not in allowed:
            raise RequestError(f"the address has no parameter {shorten(name)}", takes)
        if name in names[:number] and name not in REPEATABLE:
            raise RequestError(f"the address has the parameter {name} twice", takes)
