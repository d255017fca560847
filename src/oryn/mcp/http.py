"""Streamable HTTP: an ASGI application that tracks its clients and closes their sessions.

https://modelcontextprotocol.io/specification/2025-11-25/basic/transports. The embedding application checks who may
connect (token, `Host`, `Origin`). A client of the older era has an id, which its requests carry. A client of the newer
era is identified by its name alone, unless its URL names a session.

A request whose only message is the answer gets a JSON response, as in the newer era: a stream of one event costs both
sides a millisecond or two more. If there are more messages (progress, a question, a keep-alive), the response is a
stream. The protocol allows both for any request, but the SDK chooses one for all requests of a session.
https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS

from oryn.core.modes import MODES
from oryn.errors import LanguageError, RequestError
from oryn.language.lexer import shorten
from oryn.mcp import CLIENT_ID
from oryn.mcp.clients import McpClient, select_tools
from oryn.mcp.server import OrynMcpServer
from oryn.system.paths import is_session_name

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from starlette.types import Message, Receive, Scope, Send

    from oryn.mcp.host import McpHost

_STREAM_HEADERS = frozenset({b"cache-control", b"connection", b"content-type", b"x-accel-buffering"})


class JsonResponseSend:
    """Wraps `send` for one request: the response becomes a stream only if its first event is not the answer."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._start: Message | None = None
        self._answer: bytes | None = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _is_stream(message):
            self._start = message
        elif self._start is None or message["type"] != "http.response.body":
            await self._send(message)
        elif self._answer is None and (answer := _json_rpc_answer(message.get("body", b""))) is None:
            start, self._start = self._start, None
            await self._send(start)
            await self._send(message)
        elif self._answer is None:
            self._answer = answer
        elif not message.get("more_body", False):
            await self._send_answer(self._start, self._answer)

    async def _send_answer(self, start: Message, answer: bytes) -> None:
        headers = [pair for pair in start["headers"] if pair[0].lower() not in _STREAM_HEADERS]
        headers += [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(answer))]
        await self._send({**start, "headers": headers})
        await self._send({"type": "http.response.body", "body": answer, "more_body": False})


def _is_stream(start: Message) -> bool:
    return any(
        name.lower() == b"content-type" and value.startswith(b"text/event-stream") for name, value in start["headers"]
    )


def _json_rpc_answer(event: bytes) -> bytes | None:
    """The JSON-RPC answer in an event; None for any other event, such as a comment (keep-alive)."""
    lines = [line.partition(b":") for line in event.splitlines() if line]
    if [name for name, _, _ in lines] != [b"event", b"data"]:
        return None
    message: dict[str, Any] = json.loads(lines[1][2])
    return None if "method" in message else lines[1][2].strip()


IDLE_SECONDS = 1800.0
"""Seconds without a request after which a client's session ends."""
GONE_SECONDS = 60.0
"""The same for a client whose open stream was closed: it has most likely ended without notice."""
MAX_CLIENTS = 100

OPTIONS = ("session", "tools", "backend", "structured")
"""The options of the URL: `/mcp?tools=all&session=work`."""

_VISIT = "oryn.visit"
_ID = CLIENT_ID.encode()


class HttpClientConnection:
    """A client's connection state: how many of its requests are in progress, and when the client expires."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.client: McpClient | None = None
        self.requests = 0
        self.had_stream = False
        self.timer: asyncio.TimerHandle | None = None


class StreamableHttpApp:
    """The ASGI application. Its tasks start with the first request. A connection ends `idle` seconds after its last
    request, and `gone` seconds after its client has closed the stream of events."""

    def __init__(
        self,
        host: McpHost,
        *,
        idle: float = IDLE_SECONDS,
        gone: float = GONE_SECONDS,
        server: type[OrynMcpServer] = OrynMcpServer,
    ) -> None:
        self._host = host
        self._idle = idle
        self._gone = gone
        self._connections: dict[str, HttpClientConnection] = {}
        self._server = server(host, self._client_of)
        self._manager = StreamableHTTPSessionManager(
            self._server, session_idle_timeout=max(idle, IDLE_SECONDS), max_sessions=MAX_CLIENTS
        )
        self._ready = asyncio.Event()
        self._stop = asyncio.Event()
        self._serving: asyncio.Task[None] | None = None
        self._closing: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._serving is None:
            self._serving = asyncio.create_task(self._serve())
        await self._ready.wait()
        visit: list[HttpClientConnection] = []
        scope[_VISIT] = visit
        status = 0
        answer = JsonResponseSend(send) if scope["method"] == "POST" else send

        async def watched(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await answer(message)

        if session_id := next((value.decode("latin-1") for name, value in scope["headers"] if name == _ID), None):
            self._enter(visit, session_id)
        try:
            await self._manager.handle_request(scope, receive, watched)
        finally:
            has_ended = status == 404 or (scope["method"] == "DELETE" and status == 200)
            for visitor in visit:
                visitor.had_stream |= scope["method"] == "GET" and status == 200
                self._exit(visitor, has_ended=has_ended)

    async def _serve(self) -> None:
        """Run the SDK's session manager. Its tasks must begin and end in one task
        (https://anyio.readthedocs.io/en/stable/cancellation.html)."""
        async with self._manager.run():
            self._ready.set()
            await self._stop.wait()

    async def close(self) -> None:
        """End the connections of all clients. The host closes the sessions."""
        self._stop.set()
        self._server.notifier.stop()
        for visitor in self._connections.values():
            if visitor.timer is not None:
                visitor.timer.cancel()
        ending = [*self._closing, *([self._serving] if self._serving else [])]
        if ending:
            await asyncio.wait(ending)

    # --- clients ---

    def _enter(self, visit: list[HttpClientConnection], key: str) -> HttpClientConnection:
        """Count a request of this client as in progress."""
        visitor = self._connections.get(key)
        if visitor is None:
            visitor = self._connections[key] = HttpClientConnection(key)
            self._server.notifier.start()
        if visitor not in visit:
            visit.append(visitor)
            visitor.requests += 1
            if visitor.timer is not None:
                visitor.timer.cancel()
                visitor.timer = None
        return visitor

    def _exit(self, visitor: HttpClientConnection, *, has_ended: bool) -> None:
        visitor.requests -= 1
        if has_ended:
            self._leave(visitor)
        elif not visitor.requests and self._connections.get(visitor.key) is visitor:
            limit = self._gone if visitor.had_stream else self._idle
            visitor.timer = asyncio.get_running_loop().call_later(limit, self._leave, visitor)

    def _leave(self, visitor: HttpClientConnection) -> None:
        """Remove a client; close its session if the client owns it and no other client uses it."""
        if self._connections.pop(visitor.key, None) is None:
            return
        if not self._connections:
            self._server.notifier.stop()
        client = visitor.client
        if client is None or not client.owns:
            return
        others = (each.client.session for each in self._connections.values() if each.client)
        if client.session not in others:
            task = asyncio.create_task(self._host.close(client.session))
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)

    def _client_of(self, context: ServerRequestContext[Any, Any]) -> McpClient:
        """The client of a request, created with its first one. Raises `MCPError` for invalid options."""
        request = context.request
        assert request is not None
        try:
            options = options_in(request.scope["query_string"].decode("latin-1"))
        except RequestError as error:
            raise MCPError(INVALID_PARAMS, f"{error.message}. {error.hint or ''}".strip()) from None
        visit: list[HttpClientConnection] = request.scope[_VISIT]
        if not visit:
            self._enter(visit, f"{_session_name(context)}?{sorted(options.items())}")
        visitor = visit[0]
        if visitor.client is None:
            visitor.client = self._create_client(context, visitor, options)
        return visitor.client

    def _create_client(
        self, context: ServerRequestContext[Any, Any], visitor: HttpClientConnection, options: Mapping[str, str]
    ) -> McpClient:
        named, backend = options.get("session"), options.get("backend")
        of_its_own = _session_name(context)
        if context.request is not None and any(name == _ID for name, _ in context.request.scope["headers"]):
            of_its_own += f"_{hashlib.sha256(visitor.key.encode()).hexdigest()[:8]}"
        settings = {"backend": backend} if backend else {}
        return McpClient(
            named or of_its_own,
            owns=named is None,
            offer=options.get("tools", "core"),
            structured=options.get("structured", "1") != "0",
            settings=settings if named else {**settings, "ephemeral": True},
        )


@lru_cache(maxsize=64)
def options_in(query: str) -> Mapping[str, str]:
    """The options in a URL's query.

    Raises `RequestError` if the address takes no such option, or no such value: a client then never begins."""
    options = dict(parse_qsl(query, keep_blank_values=True))
    for name, value in options.items():
        match name:
            case "session" if not is_session_name(value):
                raise RequestError(f"{shorten(value)} is not the name of a session", "Letters, digits, _ and -.")
            case "backend" if value not in MODES:
                raise RequestError(f"there is no backend {shorten(value)}", f"One of {', '.join(MODES)}.")
            case "structured" if value not in ("0", "1"):
                raise RequestError(f"structured can't be {shorten(value)}", "0 or 1.")
            case "tools":
                _check_tools(value)
            case _ if name not in OPTIONS:
                raise RequestError(f"there is no option {shorten(name)}", f"The address takes {', '.join(OPTIONS)}.")
    return options


def _check_tools(offer: str) -> None:
    try:
        found = select_tools(offer)
    except LanguageError as error:
        raise RequestError(error.message, error.hint) from None
    if not found:
        raise RequestError("tools names no tool", "'core' or 'all' are sets.")


def _session_name(context: ServerRequestContext[Any, Any]) -> str:
    about = context.session.client_params
    return session_of_client(about.client_info.name if about else "")


def session_of_client(name: str) -> str:
    """The session name for a client, from the name in its client info: `mcp_claude_code`."""
    words = re.findall(r"[A-Za-z0-9]+", name)
    return "_".join(("mcp", *words)).lower()[:40]
