"""Middleware: authentication of requests, and validation of query parameters.

Only programs with a token may send requests, under a name of the daemon (docs/spec/daemon-protocol.md#authentication).
A web page can send requests to the daemon's address too, also under a name that its owner resolves to it (DNS
rebinding). `Host` and `Origin` are therefore checked. Another user of the machine can't read the token's file. The
script of a page that has learnt a token is rejected too, by what browsers add to its requests: `Origin`, `Referer`,
`User-Agent`, `Sec-Fetch-*`. A page can suppress some of them, and not every browser sends all, so each one is enough. A
person's approval needs the person's key besides, in a header that no page can send.

The checked path is that of the ASGI scope, as for routing. A URL that is built from `Host` is not used: `Host:
localhost:/healthz?` would be in it.

A query parameter that an address does not have is an error; it is not ignored."""

from __future__ import annotations

import errno
import re
import secrets
from collections.abc import Awaitable, Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse

from oryn.daemon.access.gate import Gate
from oryn.daemon.access.principals import ADDRESS, OWNER, PRINCIPAL, PRINCIPAL_KEY, Principal
from oryn.daemon.access.proxies import CLIENT_KEY
from oryn.daemon.access.scopes import require_scope, scope_of_request
from oryn.daemon.protocol import DOCUMENT_POLICY, failure_of
from oryn.errors import (
    NotFromHere,
    OrynError,
    RateLimited,
    RecordsUnavailable,
    RequestError,
    SessionNotFound,
    Unauthorized,
)
from oryn.extension_server.server import is_extension
from oryn.language.lexer import shorten
from oryn.system.daemon_paths import TOKEN_FILE
from oryn.system.paths import write_private

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from oryn.sessions.sessions import Sessions

PROBES = frozenset({"/healthz", "/readyz"})
"""Paths for those that watch over the daemon, such as a kubelet: they need no token and no name of the daemon, as their
answers say nothing."""
PUBLIC_PATHS = PROBES | {"/"}
"""Paths that need no authentication; without a login, `/` explains how to log in."""

_BROWSER_HEADERS = frozenset({b"origin", b"referer", b"sec-fetch-site", b"sec-fetch-dest", b"sec-fetch-user"})
"""Headers that only browsers send (https://www.w3.org/TR/fetch-metadata/). WebKit before 2.48 sends no `Sec-Fetch-*`.

`Sec-Fetch-Mode` is not among them, as Node sends it too (https://github.com/nodejs/undici, `lib/web/fetch/index.js`).
"""

SESSION_PATH = re.compile(r"/sessions/([^/]+)/")
"""How the path of a request for a session begins."""

EXTENSION_PATH = "/extension"
"""The extension's endpoint, which is authenticated by pairing."""

Authenticator = Callable[[HTTPConnection], Awaitable[Principal | None]]
"""Returns the principal of a request; None if it does not know the request."""


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
    """Rejects requests that are not authenticated, or not allowed to their principal, and has them audited.

    `admitted` are authenticators besides the tokens of the gate; each is called with a request."""

    def __init__(self, app: ASGIApp, gate: Gate, admitted: tuple[Authenticator, ...] = ()) -> None:
        self._app = app
        self._gate = gate
        self._admitted = admitted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        try:
            await self._check(HTTPConnection(scope, receive))
        except RecordsUnavailable as error:  # it refuses nobody
            await refuse(error, scope, receive, send)
        except RequestError as error:
            origin = scope.get(CLIENT_KEY)
            address = origin.address if origin else str((scope.get("client") or ("",))[0])
            self._gate.refuse(scope.get(PRINCIPAL_KEY), address, "request", scope["path"], error)
            await refuse(error, scope, receive, send)
        else:
            await self._app(scope, receive, self._while_valid(scope.get(PRINCIPAL_KEY), self._audited(scope, send)))

    def _audited(self, scope: Scope, send: Send) -> Send:
        """A `send` that has what administrators do audited, whichever address does it."""
        principal: Principal | None = scope.get(PRINCIPAL_KEY)
        path, method = scope["path"], scope.get("method", "")
        if principal is None or method in ("GET", "HEAD") or scope_of_request(method, path) != "administer":
            return send
        query = scope["query_string"].decode("latin-1")
        subject, address = f"{path[1:]}{f'?{query}' if query else ''}", scope[CLIENT_KEY].address

        async def audited(message: Message) -> None:
            if message["type"] == "http.response.start":
                if message["status"] < 400:
                    self._gate.change(principal, address, "daemon", subject, "requested")
                else:
                    self._gate.audit.refuse(principal.name, address, "daemon", subject, f"status {message['status']}")
            await send(message)

        return audited

    def _while_valid(self, principal: Principal | None, send: Send) -> Send:
        """A `send` that ends the response to a token that was revoked, was changed or has expired since: streams last
        for long."""
        if principal is None or principal is OWNER:
            return send

        async def checked(message: Message) -> None:
            is_stream = message["type"] == "websocket.send" or message.get("more_body", False)
            if is_stream and await self._gate.authority.current(principal) != principal:
                raise OSError(errno.EPIPE, "the token has changed or is no longer valid")
            await send(message)

        return checked

    async def _check(self, connection: HTTPConnection) -> None:
        """Check a request, and put its origin and its principal into its scope. Raises `RequestError`."""
        scope, path = connection.scope, connection.scope["path"]
        origin = connection.headers.get("origin")
        if path in PROBES and origin is None:
            return
        scope[CLIENT_KEY] = found = self._gate.proxies.origin_of(scope)
        if not self._gate.names.accepts(found.host, found.scheme, (scope.get("server") or ("", None))[1]):
            raise NotFromHere(f"the host {found.host[:80]!r} is not this daemon", _UNKNOWN_HOST)
        if scope["type"] == "websocket" and path == EXTENSION_PATH:
            if not is_extension(origin):
                raise NotFromHere(f"the origin {(origin or '')[:80]!r} is not that of an extension")
            return
        if origin is not None and origin != f"{found.scheme}://{found.host}":
            raise NotFromHere(f"the origin {origin[:80]!r} is not this daemon")
        if path in PUBLIC_PATHS:
            return
        principal = await self._principal(connection)
        scope[PRINCIPAL_KEY] = principal
        PRINCIPAL.set(principal)  # in this request's task only
        ADDRESS.set(found.address)
        self._gate.rates.take(principal)
        if needed := scope_of_request(scope.get("method", ""), path):
            require_scope(principal, needed, path)

    async def _principal(self, connection: HTTPConnection) -> Principal:
        if (token := self._token_of(connection)) and (found := await self._gate.identify(token)):
            if found.expired is None:
                return found.principal
            connection.scope[PRINCIPAL_KEY] = found.principal  # for the audit
            raise Unauthorized(
                f"the token {found.principal.name} has expired: {found.expired}", "The daemon's user can make another."
            )
        for admitted in self._admitted:
            if visitor := await admitted(connection):
                principal = await self._gate.authority.current(visitor)
                if principal is not None:
                    return principal
        raise Unauthorized("the token is missing or wrong")

    def _token_of(self, connection: HTTPConnection) -> str:
        """The token in the request; empty without one. Raises `NotFromHere` if a page in a browser sends a token."""
        if (authorization := connection.headers.get("authorization")) is None:
            return ""
        for name, value in connection.scope["headers"]:
            if name in _BROWSER_HEADERS or (name == b"user-agent" and value.lower().startswith(_BROWSER_AGENT)):
                raise NotFromHere(
                    "a web page must not send the daemon's token",
                    "The token is for programs; 'oryn open' opens the live page in a browser.",
                )
        scheme, _, token = authorization.partition(" ")
        return token.strip() if scheme.lower() == "bearer" else ""


_UNKNOWN_HOST = (
    "Send it from a program on this computer, to http://127.0.0.1:PORT; 'oryn daemon status' shows the port. The "
    "setting allowed_hosts adds other names of the daemon."
)


async def refuse(error: OrynError, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a request with an error; a WebSocket is rejected with code 1008."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
        return
    # https://www.rfc-editor.org/rfc/rfc9110#status.401
    headers = {"WWW-Authenticate": "Bearer"} if isinstance(error, Unauthorized) else None
    if isinstance(error, RateLimited):
        headers = {"Retry-After": str(error.retry_after)}
    response = JSONResponse(failure_of(error).model_dump(), max(error.http_status, 400), headers)
    await response(scope, receive, send)


class OwnSessionsMiddleware:
    """Rejects requests for a session that is not the principal's, if it has sessions of its own."""

    def __init__(self, app: ASGIApp, sessions: Sessions, gate: Gate) -> None:
        self._app = app
        self._sessions = sessions
        self._gate = gate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = SESSION_PATH.match(scope.get("path", ""))
        if found is not None and not self._sessions.is_own(found[1]):
            error = SessionNotFound(f"you have no session {shorten(found[1])}", "'sessions' lists yours.")
            self._gate.refuse(scope.get(PRINCIPAL_KEY), scope[CLIENT_KEY].address, "request", scope["path"], error)
            await refuse(error, scope, receive, send)
            return
        await self._app(scope, receive, send)


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
