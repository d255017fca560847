"""`/mcp`: assistants that speak the Model Context Protocol come to the daemon by it. The package is imported with the
first of them (extra `mcp`)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import JSONResponse

from oryn.daemon.bodies import body_of
from oryn.daemon.protocol import failure_of, read_command
from oryn.daemon.queries import check
from oryn.daemon.reader import SMALL
from oryn.errors import NotSupported, RequestError, SessionNotAllowed, SessionNotFound
from oryn.extras import needed
from oryn.language import Line
from oryn.language.commands.hosting import CloseSession, Confirm
from oryn.language.tree import Tree

if TYPE_CHECKING:
    from starlette.types import Message, Receive, Scope, Send

    from oryn.daemon.daemon import Daemon
    from oryn.daemon.dispatch import Dispatcher
    from oryn.engine import Answer, Session
    from oryn.language.command import CommandSpec
    from oryn.mcp.host import Done, Listener
    from oryn.mcp.http import Door

PATH = "/mcp"
LARGEST_MESSAGE = 4 * 1024 * 1024
"""Bytes of a client's message, as the SDK has it."""
_INVALID = -32602
"""https://www.jsonrpc.org/specification#error_object"""


class Assistants:
    """The address as an ASGI application."""

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon
        self._door: Door | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            with needed("mcp", PATH):
                if self._door is None:  # a second's work for whoever comes first, in which others are answered
                    await asyncio.to_thread(import_module, "oryn.mcp.http")
                door = self._door = self._door or self._made()
        except NotSupported as missing:
            await JSONResponse(failure_of(missing).model_dump(), status_code=501)(scope, receive, send)
        else:
            from oryn.mcp.http import OPTIONS

            try:
                check(scope["query_string"], OPTIONS)
            except RequestError as error:  # in the protocol's form: its clients show no other
                told = {"code": _INVALID, "message": f"{error.message}: {(error.hint or '').lower().rstrip('.')}"}
                refusal = JSONResponse({"jsonrpc": "2.0", "id": None, "error": told}, status_code=400)
                await refusal(scope, receive, send)
                return
            await door(scope, await self._read(scope, receive), send)

    async def _read(self, scope: Scope, receive: Receive) -> Receive:
        """What gives the request's body, which was looked at where it is large. Raises `RequestError`."""
        if scope["method"] != "POST":
            return receive
        body: bytes | None = await body_of(Request(scope, receive), LARGEST_MESSAGE)
        if body is not None and len(body) > SMALL:
            await self._daemon.reader.data(body)

        async def again() -> Message:
            nonlocal body
            if body is None:
                return await receive()
            whole, body = body, None
            return {"type": "http.request", "body": whole, "more_body": False}

        return again

    def _made(self) -> Door:
        from oryn.mcp.http import Door

        return Door(DaemonHost(self._daemon))

    async def close(self) -> None:
        if self._door is not None:
            await self._door.close()


class DaemonHost:
    """The daemon's sessions, for `oryn.mcp.host.Host`: commands go the way of all others."""

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon

    @property
    def _dispatcher(self) -> Dispatcher:
        return self._daemon.dispatcher

    @property
    def names(self) -> Collection[str]:
        return self._daemon.sessions.names

    def seen_by(self, name: str) -> Collection[str]:
        return self._daemon.sessions.seen_by(name)

    def session(self, name: str) -> Session | None:
        return self._daemon.sessions.get(name)

    def performs(self, spec: CommandSpec) -> bool:
        return not (spec.conversation or spec.person)

    async def meant(self, tool: str, arguments: Mapping[str, Any]) -> Line:
        return await self._daemon.reader.tool(tool, arguments)

    async def run(self, name: str, line: Line, settings: Mapping[str, Any]) -> Answer:
        from oryn.mcp.host import to_its_end

        if isinstance(line.command, CloseSession) and self._daemon.sessions.is_limited(name):
            raise SessionNotAllowed(
                f"the session {name} has limits, which would end with it", "Only the user can close it: oryn close."
            )
        own = dict(settings)
        envelope = read_command(
            {"line": line.canonical, "session": name, "backend": own.pop("backend", None), "settings": own}
        )
        return (await to_its_end(self._dispatcher.begun(envelope, line)))[1]

    async def confirm(self, name: str, id: str) -> Answer:
        return await self.run(name, Line(Confirm(id), None, None, f"confirm {id}", Tree()), {})

    async def close(self, name: str) -> None:
        with suppress(SessionNotFound):
            await self._daemon.sessions.close_session(name)
        self._dispatcher.tell_sessions()

    def done(self, name: str) -> Iterable[Done]:
        from oryn.mcp.host import MOST_ROWS, Done

        newest: list[Done] = []
        for row in self._daemon.history.newest():
            if row.session == name:
                said = row.line or row.args.get("line") or row.action
                newest.append(Done(row.ts, said, row.ok, row.elapsed_ms, row.error_kind and row.error_kind.upper()))
            if len(newest) == MOST_ROWS:
                break
        return reversed(newest)

    def listen(self, listener: Listener) -> Callable[[], None]:
        task = asyncio.create_task(self._listen(listener))

        def stop() -> None:
            task.cancel()

        return stop

    async def _listen(self, listener: Listener) -> None:
        from oryn.mcp.host import News

        kinds = {"action.finish": "changed", "session.opened": "opened", "session.closed": "closed"}
        with self._daemon.events.subscribed(list(kinds)) as subscription:
            async for event in subscription:
                listener(News(kinds[event.type], event.data["session"]))
