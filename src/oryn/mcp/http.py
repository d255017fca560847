"""Streamable HTTP: a door that any ASGI application may have, and who goes in and out by it.

https://modelcontextprotocol.io/specification/2025-11-25/basic/transports. Who may come at all (token, `Host`, `Origin`)
is the application's to say. A client of the older era has an id, which its requests carry; one of the newer is known by
its name alone, unless its address says which session it wants."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS

from oryn.mcp.clients import Client
from oryn.mcp.server import Oryn
from oryn.mcp.single_answer import SingleAnswer
from oryn.paths import is_session_name

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from starlette.types import Message, Receive, Scope, Send

    from oryn.mcp.host import Host

IDLE_SECONDS = 1800.0
"""How long a client may ask for nothing before its session ends."""
GONE_SECONDS = 60.0
"""The same for one that had a stream open and has it no more: most likely it has ended without a word."""
MOST_CLIENTS = 100

OPTIONS = ("session", "tools", "backend", "structured")
"""What an address may say: `/mcp?tools=all&session=work`."""

_VISIT = "oryn.visit"
_ID = b"mcp-session-id"


class Visitor:
    """A client as the door knows it: how many of its requests are being answered, and when it counts as gone."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.client: Client | None = None
        self.requests = 0
        self.had_stream = False
        self.timer: asyncio.TimerHandle | None = None


class Door:
    """The application. Nothing runs before its first request."""

    def __init__(
        self, host: Host, *, idle: float = IDLE_SECONDS, gone: float = GONE_SECONDS, server: type[Oryn] = Oryn
    ) -> None:
        self._host = host
        self._idle = idle
        self._gone = gone
        self._visitors: dict[str, Visitor] = {}
        self._server = server(host, self._client_of)
        self._manager = StreamableHTTPSessionManager(
            self._server, session_idle_timeout=max(idle, IDLE_SECONDS), max_sessions=MOST_CLIENTS
        )
        self._ready = asyncio.Event()
        self._stop = asyncio.Event()
        self._serving: asyncio.Task[None] | None = None
        self._closing: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._serving is None:
            self._serving = asyncio.create_task(self._serve())
        await self._ready.wait()
        visit: list[Visitor] = []
        scope[_VISIT] = visit
        status = 0
        answer = SingleAnswer(send) if scope["method"] == "POST" else send

        async def watched(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await answer(message)

        if known := next((value.decode("latin-1") for name, value in scope["headers"] if name == _ID), None):
            self._enter(visit, known)
        try:
            await self._manager.handle_request(scope, receive, watched)
        finally:
            has_ended = status == 404 or (scope["method"] == "DELETE" and status == 200)
            for visitor in visit:
                visitor.had_stream |= scope["method"] == "GET" and status == 200
                self._exit(visitor, has_ended=has_ended)

    async def _serve(self) -> None:
        """The protocol's own tasks begin and end in one task (https://anyio.readthedocs.io/en/stable/cancellation.html)."""
        async with self._manager.run():
            self._ready.set()
            await self._stop.wait()

    async def close(self) -> None:
        """End every conversation. The sessions are the host's to end."""
        self._stop.set()
        self._server.announcing.stop()
        for visitor in self._visitors.values():
            if visitor.timer is not None:
                visitor.timer.cancel()
        ending = [*self._closing, *([self._serving] if self._serving else [])]
        if ending:
            await asyncio.wait(ending)

    # --- who comes and goes ---

    def _enter(self, visit: list[Visitor], key: str) -> Visitor:
        """A request of this client is being answered."""
        visitor = self._visitors.get(key)
        if visitor is None:
            visitor = self._visitors[key] = Visitor(key)
            self._server.announcing.start()
        if visitor not in visit:
            visit.append(visitor)
            visitor.requests += 1
            if visitor.timer is not None:
                visitor.timer.cancel()
                visitor.timer = None
        return visitor

    def _exit(self, visitor: Visitor, *, has_ended: bool) -> None:
        visitor.requests -= 1
        if has_ended:
            self._leave(visitor)
        elif not visitor.requests and self._visitors.get(visitor.key) is visitor:
            limit = self._gone if visitor.had_stream else self._idle
            visitor.timer = asyncio.get_running_loop().call_later(limit, self._leave, visitor)

    def _leave(self, visitor: Visitor) -> None:
        """The client is gone; its session ends with it, where it is nobody else's."""
        if self._visitors.pop(visitor.key, None) is None:
            return
        if not self._visitors:
            self._server.announcing.stop()
        client = visitor.client
        if client is None or not client.owns:
            return
        others = (each.client.session for each in self._visitors.values() if each.client)
        if client.session not in others:
            task = asyncio.create_task(self._host.close(client.session))
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)

    def _client_of(self, context: ServerRequestContext[Any, Any]) -> Client:
        """Raises `MCPError` for an address that says what can't be."""
        request = context.request
        assert request is not None
        options = dict(options_in(request.scope["query_string"].decode("latin-1")))
        visit: list[Visitor] = request.scope[_VISIT]
        if not visit:
            self._enter(visit, f"{_name_of(context)}?{sorted(options.items())}")
        visitor = visit[0]
        if visitor.client is None:
            visitor.client = self._met(context, visitor, options)
        return visitor.client

    def _met(self, context: ServerRequestContext[Any, Any], visitor: Visitor, options: dict[str, str]) -> Client:
        named, backend = options.get("session"), options.get("backend")
        of_its_own = _name_of(context)
        if context.request is not None and any(name == _ID for name, _ in context.request.scope["headers"]):
            of_its_own += f"_{hashlib.sha256(visitor.key.encode()).hexdigest()[:8]}"
        settings = {"backend": backend} if backend else {}
        return Client(
            named or of_its_own,
            owns=named is None,
            offer=options.get("tools", "core"),
            structured=options.get("structured", "1") != "0",
            settings=settings if named else {**settings, "ephemeral": True},
        )


def options_in(query: str) -> Iterator[tuple[str, str]]:
    """Raises `MCPError` for what no address may say."""
    for name, value in parse_qsl(query, keep_blank_values=True):
        if name not in OPTIONS:
            raise MCPError(INVALID_PARAMS, f"there is no option {name[:40]!r}: the address takes {', '.join(OPTIONS)}")
        if name == "session" and not is_session_name(value):
            raise MCPError(INVALID_PARAMS, f"{value[:80]!r} is no name of a session: letters, digits, _ and -")
        yield name, value


def _name_of(context: ServerRequestContext[Any, Any]) -> str:
    """`mcp_claude_code`: what a client calls itself, as a session's name."""
    about = context.session.client_params
    words = re.findall(r"[A-Za-z0-9]+", about.client_info.name if about else "")
    return "_".join(("mcp", *words)).lower()[:40]
