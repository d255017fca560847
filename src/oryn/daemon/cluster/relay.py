"""`Relay`: takes requests to the daemon that runs their session, and accepts those of other daemons
(docs/spec/records.md#relay).

The daemon that a client has reached checks the client, and says who it is in a header, beside the key that the daemons
share. The other daemon checks the scope again."""

from __future__ import annotations

import asyncio
import hmac
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import httpcore
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.websockets import WebSocket, WebSocketDisconnect
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.typing import Subprotocol

from oryn.core.records import Record
from oryn.core.spans import span, trace_headers
from oryn.daemon.access.principals import OWNER, PERSON_KEY, PRINCIPAL, Principal, TokenLimits
from oryn.daemon.events import Event
from oryn.daemon.http.middleware import SESSION_PATH, refuse
from oryn.daemon.live.login_links import SUBPROTOCOL
from oryn.daemon.live.takeover import error_fields
from oryn.daemon.request.json_body import read_body
from oryn.errors import DaemonFailed, OrynError, RecordsUnavailable, RequestError, SessionMoved
from oryn.records.leases import HEARTBEAT_SECONDS, LEASE_SECONDS

if TYPE_CHECKING:
    from starlette.requests import HTTPConnection
    from starlette.types import ASGIApp, Receive, Scope, Send

    from oryn.daemon.cluster.member import ClusterMember
    from oryn.daemon.event_bus import Subscription
    from oryn.records.leases import Lease

KEY, SENDER = "oryn-relay", "oryn-relay-sender"
"""The headers with the daemons' key, and with the principal of the request as JSON."""
CONNECT_SECONDS = 2.0
RETRY_SECONDS = 0.25
MAX_CONNECTIONS = 100
EVENTS_SECONDS = 45.0
"""Seconds of silence after which a stream of events has broken: a daemon sends something every 15 s."""

MAX_BODY_BYTES = 4 * 1024 * 1024
_NOT_FORWARDED = frozenset(
    "host connection keep-alive transfer-encoding content-length te trailer upgrade authorization cookie origin "
    "referer forwarded x-forwarded-for x-forwarded-host x-forwarded-proto user-agent".split()
)
_NOT_RETURNED = frozenset("connection keep-alive transfer-encoding content-length date server".split())


_GONE_HINT = "Look at what it has done, then go on: another daemon takes the session."


class _UnreachableError(Exception):
    """A daemon can't be connected to."""


class _Target(Record):
    """Where a request goes: `name` for messages, and whether the daemon has ended since a moment of
    `time.monotonic`."""

    name: str
    address: str
    has_ended: Callable[[float], Awaitable[bool]]


class Relay:
    """The connections of one daemon to the others."""

    def __init__(self, member: ClusterMember) -> None:
        self._member = member
        self._pool = httpcore.AsyncConnectionPool(max_connections=MAX_CONNECTIONS, keepalive_expiry=60)
        self._addresses: dict[str, str] = {}
        """Of daemons that were asked by name."""

    async def close(self) -> None:
        await self._pool.aclose()

    @property
    def name(self) -> str:
        """The name of this daemon."""
        return self._member.name

    def holder_of(self, session: str) -> str | None:
        """The name of the other daemon that runs a session, as of the last heartbeat; None if none does."""
        return self._member.holder_elsewhere(session)

    async def is_elsewhere(self, session: str) -> bool:
        """Whether another daemon runs a session; else this one has its lease now. Raises `RecordsUnavailable`."""
        return await self._member.claim(session) is not None

    # --- requests to others ---

    async def forward(self, request: Request, body: bytes, session: str, *, is_person: bool) -> Response | None:
        """Send a request to the daemon that runs a session, and return its response; None if this daemon runs it.

        A daemon that is gone keeps its lease for a moment, after which this one takes the session. Raises
        `SessionMoved` for a request that another daemon has sent already, `DaemonFailed`, `RecordsUnavailable`."""
        if (latest := self._member.lease_elsewhere(session)) is not None and KEY not in request.headers:
            # Without a question to the database; a daemon that no longer has the session says so.
            with suppress(_UnreachableError):
                answer = await self._try(request, body, self._target_of(latest), is_person=is_person)
                if not _is_moved(answer):
                    return answer
        while lease := await self._member.claim(session):
            if KEY in request.headers:
                raise SessionMoved(f"the session {session} is run by the daemon {lease.holder} by now")
            try:
                return await self._try(request, body, self._target_of(lease), is_person=is_person)
            except _UnreachableError:
                await asyncio.sleep(RETRY_SECONDS)  # nothing was sent: until the lease ends, or the daemon is back
        return None

    async def forward_to(self, daemon: str, request: Request, body: bytes) -> Response | None:
        """Send a request to a daemon, and return its response; None if it can't be reached, and has got nothing.

        Raises `DaemonFailed` if it ends or stops before it has answered, `RecordsUnavailable`."""
        if daemon not in self._addresses:
            alive = {each.name: each.address for each in await self._member.daemons() if each.alive}
            if daemon not in alive:
                return None
            self._addresses[daemon] = alive[daemon]
        target = _Target(f"the daemon {daemon}", self._addresses[daemon], partial(self._is_gone, daemon))
        try:
            return await self._try(request, body, target, is_person=False)
        except _UnreachableError:
            del self._addresses[daemon]
            return None

    async def _is_gone(self, daemon: str, since: float) -> bool:
        try:
            return not any(each.name == daemon and each.alive for each in await self._member.daemons())
        except RecordsUnavailable:
            return False

    def _target_of(self, lease: Lease) -> _Target:
        async def has_ended(since: float) -> bool:
            return self._member.has_ended(lease, since)

        return _Target(f"the daemon {lease.holder}, which has the session {lease.name},", lease.address, has_ended)

    async def _try(self, request: Request, body: bytes, target: _Target, *, is_person: bool) -> Response:
        """The response of a daemon. Raises `DaemonFailed`, and `_UnreachableError` if nothing was sent."""
        try:
            with span("relay"):
                return await self._answer(request, body, target, is_person=is_person)
        except (httpcore.ConnectError, httpcore.ConnectTimeout, httpcore.UnsupportedProtocol) as error:
            raise _UnreachableError from error
        except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException) as error:
            raise DaemonFailed(f"{target.name} ended in the middle of the command", _GONE_HINT) from error

    async def _answer(self, request: Request, body: bytes, target: _Target, *, is_person: bool) -> Response:
        """The response of a daemon, until it has ended. Raises `DaemonFailed` for one that has stopped."""
        began = time.monotonic()
        sending = asyncio.create_task(self._send(request, body, target.address, is_person=is_person))
        try:
            while not (await asyncio.wait([sending], timeout=HEARTBEAT_SECONDS))[0]:
                if await target.has_ended(began):
                    raise DaemonFailed(f"{target.name} does not answer any more", _GONE_HINT)
            return await sending
        finally:
            sending.cancel()

    async def pass_messages(self, socket: WebSocket, session: str) -> bool:
        """Pass the messages of a WebSocket to the daemon that runs a session, and back; False if this daemon runs it.
        Raises `SessionMoved`, `DaemonFailed`, `RecordsUnavailable`, before the socket is accepted."""
        end = time.monotonic() + 2 * LEASE_SECONDS
        while lease := await self._member.claim(session):
            if KEY in socket.headers:
                raise SessionMoved(f"the session {session} is run by the daemon {lease.holder} by now")
            try:
                theirs = await _connect(socket, lease.address, self._member.key)
            except OSError as error:
                if time.monotonic() > end:
                    raise DaemonFailed(
                        f"the daemon {lease.holder}, which has the session {session}, can't be reached: {error}",
                        "Try again: if it has ended, another daemon takes the session.",
                    ) from error
                await asyncio.sleep(RETRY_SECONDS)  # until the lease ends, or the daemon is back
            except WebSocketException as error:
                raise DaemonFailed(
                    f"the daemon {lease.holder}, which has the session {session}, refuses the takeover: {error}",
                    "Run one version of Oryn in all daemons.",
                ) from error
            else:
                await _pass_messages(socket, theirs)
                return True
        return False

    async def _send(self, request: Request, body: bytes, address: str, *, is_person: bool) -> Response:
        traced = trace_headers()
        left_out = _NOT_FORWARDED | traced.keys()
        headers = [(name, value) for name, value in request.headers.raw if name.decode() not in left_out]
        headers += [
            *((name.encode(), value.encode()) for name, value in traced.items()),
            (b"host", b"localhost"),  # the other daemon knows the key, and need not know its own names
            (KEY.encode(), self._member.key.encode()),
            (SENDER.encode(), _sender(is_person=is_person).encode("ascii")),
            (b"content-length", str(len(body)).encode()),
        ]
        query = request.scope["query_string"].decode("latin-1")
        url = f"{address.rstrip('/')}{request.scope['path']}{f'?{query}' if query else ''}"
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

    # --- events of others ---

    async def follow(self, subscription: Subscription) -> None:
        """Deliver the events of all other daemons to a subscription too, until the caller cancels this. A daemon that
        starts later is found with a heartbeat; one that breaks off is asked again."""
        reading: dict[str, asyncio.Task[None]] = {}
        try:
            while True:
                with suppress(RecordsUnavailable):
                    for each in await self._member.daemons():
                        is_read = each.name in reading and not reading[each.name].done()
                        if each.alive and each.name != self._member.name and not is_read:
                            reading[each.name] = asyncio.create_task(self._read_events(each.address, subscription))
                await asyncio.sleep(HEARTBEAT_SECONDS)
        finally:
            for task in reading.values():
                task.cancel()

    async def _read_events(self, address: str, subscription: Subscription) -> None:
        query = urlencode([("type", each) for each in subscription.types])
        headers = [("host", "localhost"), (KEY, self._member.key), (SENDER, _sender(is_person=False))]
        limits = {"connect": CONNECT_SECONDS, "pool": CONNECT_SECONDS, "read": EVENTS_SECONDS}
        url = f"{address.rstrip('/')}/events?{query}"
        with suppress(httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException):
            async with self._pool.stream("GET", url, headers=headers, extensions={"timeout": limits}) as answer:
                rest = b""
                async for part in answer.aiter_stream():
                    *lines, rest = (rest + part).split(b"\n")
                    for line in lines:
                        if line.startswith(b"data:"):
                            event = json.loads(line.removeprefix(b"data:"))
                            subscription.put(Event(**event, owner=subscription.owner))

    # --- requests of others ---

    @staticmethod
    def has_sent(connection: HTTPConnection) -> bool:
        """Whether a request, which was authenticated, is another daemon's."""
        return KEY in connection.headers

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
    """Takes requests for a session's picture, its notes and the like to the daemon that runs the session, and its
    takeover."""

    def __init__(self, app: ASGIApp, relay: Relay) -> None:
        self._app = app
        self._relay = relay

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = SESSION_PATH.match(scope.get("path", ""))
        if found is not None and scope["type"] == "websocket":
            await self._pass(found[1], scope, receive, send)
            return
        if found is None or self._relay.holder_of(found[1]) is None:
            await self._app(scope, receive, send)
            return
        try:
            request = Request(scope, receive)
            body = await read_body(request, MAX_BODY_BYTES) if request.method not in ("GET", "HEAD") else b""
            response = await self._relay.forward(request, body, found[1], is_person=False)
        except OrynError as error:
            await refuse(error, scope, receive, send)
        else:
            await (response or self._app)(scope, receive, send)

    async def _pass(self, session: str, scope: Scope, receive: Receive, send: Send) -> None:
        socket = WebSocket(scope, receive, send)
        try:
            if not await self._relay.pass_messages(socket, session):
                await self._app(scope, receive, send)
        except OrynError as error:
            await socket.accept(SUBPROTOCOL if SUBPROTOCOL in scope["subprotocols"] else None)
            await socket.send_json({"type": "ended", **error_fields(error)})
            await socket.close()


def _sender(*, is_person: bool) -> str:
    """The header `SENDER` for the principal of the current task."""
    sender = PRINCIPAL.get()
    return json.dumps(
        {
            "name": sender.name,
            "scopes": sorted(sender.scopes),
            "limits": sender.limits.values(),
            "person": is_person,
        }
    )


async def _connect(socket: WebSocket, address: str, key: str) -> ClientConnection:
    """A connection to another daemon for the messages of a socket. Raises `OSError`, `WebSocketException`."""
    place = httpcore.URL(address)
    is_secure, host = place.scheme == b"https", place.host.decode()
    is_offered = SUBPROTOCOL in socket.scope["subprotocols"]
    return await connect(
        f"{'wss' if is_secure else 'ws'}://localhost{socket.scope['path']}",
        host=host,
        port=place.port or (443 if is_secure else 80),
        server_hostname=host if is_secure else None,
        additional_headers={KEY: key, SENDER: _sender(is_person=False)},
        subprotocols=[Subprotocol(SUBPROTOCOL)] if is_offered else None,
        proxy=None,
        open_timeout=CONNECT_SECONDS,
        max_size=None,
    )


async def _pass_messages(client: WebSocket, daemon: ClientConnection) -> None:
    """Accept a client, and pass messages both ways until one of the two ends."""
    async with daemon:
        await client.accept(daemon.subprotocol)
        passing = [asyncio.create_task(each) for each in (_to_daemon(client, daemon), _to_client(daemon, client))]
        try:
            await asyncio.wait(passing, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in passing:
                task.cancel()
            await asyncio.wait(passing)
        for task in passing:
            if not task.cancelled():
                task.result()


async def _to_daemon(client: WebSocket, daemon: ClientConnection) -> None:
    with suppress(ConnectionClosed):
        while (message := await client.receive())["type"] == "websocket.receive":
            await daemon.send(message["text"] if message.get("text") is not None else message["bytes"])


async def _to_client(daemon: ClientConnection, client: WebSocket) -> None:
    """Returns when the daemon closes; a client whose daemon has broken off is told so."""
    with suppress(WebSocketDisconnect, RuntimeError):  # Starlette raises them for a closed connection
        try:
            async for message in daemon:
                await (client.send_text(message) if isinstance(message, str) else client.send_bytes(message))
        except ConnectionClosed:
            lost = DaemonFailed("the daemon with the session has ended", "Take it over again: another one goes on.")
            await client.send_json({"type": "ended", **error_fields(lost)})
        await client.close()


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
