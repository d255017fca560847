"""`Relay`: takes requests to the daemon that runs their session, and accepts those of other daemons
(docs/spec/records.md#relay).

The daemon that a client has reached checks the client, and says who it is in a header, beside the key that the daemons
share. The other daemon checks the scope again."""

from __future__ import annotations

import asyncio
import hmac
import json
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import httpcore
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from oryn.core.spans import span, trace_headers
from oryn.daemon.access.principals import OWNER, PERSON_KEY, PRINCIPAL, Principal, TokenLimits
from oryn.daemon.http.middleware import SESSION_PATH, refuse
from oryn.daemon.request.json_body import read_body
from oryn.errors import DaemonFailed, OrynError, RequestError, SessionMoved
from oryn.records.leases import HEARTBEAT_SECONDS

if TYPE_CHECKING:
    from starlette.requests import HTTPConnection
    from starlette.types import ASGIApp, Receive, Scope, Send

    from oryn.daemon.cluster.member import ClusterMember
    from oryn.records.leases import Lease

KEY, SENDER = "oryn-relay", "oryn-relay-sender"
"""The headers with the daemons' key, and with the principal of the request as JSON."""
CONNECT_SECONDS = 2.0
RETRY_SECONDS = 0.25
MAX_CONNECTIONS = 100

MAX_BODY_BYTES = 4 * 1024 * 1024
_NOT_FORWARDED = frozenset(
    "host connection keep-alive transfer-encoding content-length te trailer upgrade authorization cookie origin "
    "referer forwarded x-forwarded-for x-forwarded-host x-forwarded-proto user-agent".split()
)
_NOT_RETURNED = frozenset("connection keep-alive transfer-encoding content-length date server".split())


class _UnreachableError(Exception):
    """A daemon can't be connected to."""


class Relay:
    """The connections of one daemon to the others."""

    def __init__(self, member: ClusterMember) -> None:
        self._member = member
        self._pool = httpcore.AsyncConnectionPool(max_connections=MAX_CONNECTIONS, keepalive_expiry=60)

    async def close(self) -> None:
        await self._pool.aclose()

    def holder_of(self, session: str) -> str | None:
        """The name of the other daemon that runs a session, as of the last heartbeat; None if none does."""
        return self._member.holder_elsewhere(session)

    # --- requests to others ---

    async def forward(self, request: Request, body: bytes, session: str, *, is_person: bool) -> Response | None:
        """Send a request to the daemon that runs a session, and return its response; None if this daemon runs it.

        A daemon that is gone keeps its lease for a moment, after which this one takes the session. Raises
        `SessionMoved` for a request that another daemon has sent already, `DaemonFailed`, `RecordsUnavailable`."""
        if (latest := self._member.lease_elsewhere(session)) is not None and KEY not in request.headers:
            # Without a question to the database; a daemon that no longer has the session says so.
            with suppress(_UnreachableError):
                answer = await self._try(request, body, latest, is_person=is_person)
                if not _is_moved(answer):
                    return answer
        while lease := await self._member.claim(session):
            if KEY in request.headers:
                raise SessionMoved(f"the session {session} is run by the daemon {lease.holder} by now")
            try:
                return await self._try(request, body, lease, is_person=is_person)
            except _UnreachableError:
                await asyncio.sleep(RETRY_SECONDS)  # nothing was sent: until the lease ends, or the daemon is back
        return None

    async def _try(self, request: Request, body: bytes, lease: Lease, *, is_person: bool) -> Response:
        """The response of the daemon that has a lease. Raises `DaemonFailed`, and `_UnreachableError` if nothing was
        sent."""
        try:
            with span("relay"):
                return await self._answer(request, body, lease, is_person=is_person)
        except (httpcore.ConnectError, httpcore.ConnectTimeout, httpcore.UnsupportedProtocol) as error:
            raise _UnreachableError from error
        except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException) as error:
            raise DaemonFailed(
                f"the daemon {lease.holder}, which has the session {lease.name}, ended in the middle of the command",
                "Look at what it has done, then go on: another daemon takes the session.",
            ) from error

    async def _answer(self, request: Request, body: bytes, lease: Lease, *, is_person: bool) -> Response:
        """The response of a daemon, as long as it has the session. Raises `DaemonFailed` for one that has stopped."""
        began = time.monotonic()
        sending = asyncio.create_task(self._send(request, body, lease, is_person=is_person))
        try:
            while not (await asyncio.wait([sending], timeout=HEARTBEAT_SECONDS))[0]:
                if self._member.has_ended(lease, began):
                    raise DaemonFailed(
                        f"the daemon {lease.holder}, which had the session {lease.name}, does not answer any more",
                        "Look at what it has done, then go on: another daemon takes the session.",
                    )
            return await sending
        finally:
            sending.cancel()

    async def _send(self, request: Request, body: bytes, lease: Lease, *, is_person: bool) -> Response:
        sender = PRINCIPAL.get()
        about = {
            "name": sender.name,
            "scopes": sorted(sender.scopes),
            "limits": sender.limits.values(),
            "person": is_person,
        }
        traced = trace_headers()
        left_out = _NOT_FORWARDED | traced.keys()
        headers = [(name, value) for name, value in request.headers.raw if name.decode() not in left_out]
        headers += [
            *((name.encode(), value.encode()) for name, value in traced.items()),
            (b"host", b"localhost"),  # the other daemon knows the key, and need not know its own names
            (KEY.encode(), self._member.key.encode()),
            (SENDER.encode(), json.dumps(about).encode("ascii")),
            (b"content-length", str(len(body)).encode()),
        ]
        query = request.scope["query_string"].decode("latin-1")
        url = f"{lease.address.rstrip('/')}{request.scope['path']}{f'?{query}' if query else ''}"
        outgoing = httpcore.Request(
            request.method,
            url,
            headers=headers,
            content=body,
            extensions={"timeout": {"connect": CONNECT_SECONDS, "pool": CONNECT_SECONDS}},
        )
        answer = await self._pool.handle_async_request(outgoing)
        received = {name.decode("latin-1"): value.decode("latin-1") for name, value in answer.headers}
        returned = {name: value for name, value in received.items() if name.lower() not in _NOT_RETURNED}
        if any(name.lower() == "content-length" for name in received):
            try:
                return Response(await answer.aread(), answer.status, returned)
            finally:
                await answer.aclose()
        return StreamingResponse(_parts(answer), answer.status, returned)

    # --- requests of others ---

    async def authenticate(self, connection: HTTPConnection) -> Principal | None:
        """The principal of a request that another daemon has sent; None for any other. An authenticator for
        `AuthMiddleware`. Raises `RequestError`."""
        key = connection.headers.get(KEY)
        if key is None or not self._member.key or not hmac.compare_digest(key.encode(), self._member.key.encode()):
            return None
        try:
            about: dict[str, Any] = json.loads(connection.headers[SENDER])
            limits = TokenLimits(**{**about["limits"], "domains": tuple(about["limits"]["domains"])})
            sender = Principal(about["name"], frozenset(about["scopes"]), limits)
            principal = OWNER if sender == OWNER else sender
            if about["person"]:
                connection.scope[PERSON_KEY] = True
        except (KeyError, TypeError, ValueError) as error:
            raise RequestError(f"the header {SENDER} is invalid", "Run one version of Oryn in all daemons.") from error
        return principal


class RelayMiddleware:
    """Takes requests for a session's picture, its notes and the like to the daemon that runs the session."""

    def __init__(self, app: ASGIApp, relay: Relay) -> None:
        self._app = app
        self._relay = relay

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = SESSION_PATH.match(scope.get("path", ""))
        holder = self._relay.holder_of(found[1]) if found else None
        if found is None or holder is None:
            await self._app(scope, receive, send)
            return
        try:
            if scope["type"] != "http":
                raise SessionMoved(
                    f"the session {found[1]} is run by the daemon {holder}",
                    "Open the live page of that daemon: a takeover is not relayed.",
                )
            request = Request(scope, receive)
            body = await read_body(request, MAX_BODY_BYTES) if request.method not in ("GET", "HEAD") else b""
            response = await self._relay.forward(request, body, found[1], is_person=False)
        except OrynError as error:
            await refuse(error, scope, receive, send)
        else:
            await (response or self._app)(scope, receive, send)


def _is_moved(answer: Response) -> bool:
    """Whether a daemon has answered that it no longer has the session: it has run nothing."""
    return answer.status_code == SessionMoved.http_status and SessionMoved.code.lower().encode() in getattr(
        answer, "body", b""
    )


async def _parts(answer: httpcore.Response) -> AsyncIterator[bytes]:
    try:
        async for part in answer.aiter_stream():
            yield part
    finally:
        await answer.aclose()
