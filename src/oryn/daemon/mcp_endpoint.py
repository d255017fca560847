"""The `/mcp` endpoint: MCP clients use the daemon's sessions. The first request imports the `mcp` package (extra
`mcp`)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import JSONResponse

from oryn.daemon.access.principals import OWNER, PRINCIPAL, Principal, principal_of
from oryn.daemon.host_commands import APPROVES
from oryn.daemon.http.middleware import check_query
from oryn.daemon.protocol import failure_of, read_command
from oryn.daemon.request.json_body import read_body, replay_body
from oryn.daemon.request.parser_pool import MAX_INLINE_BYTES
from oryn.errors import NotSupported, RequestError, SessionNotAllowed, SessionNotFound
from oryn.language import Line
from oryn.language.commands.host import CloseSession, Confirm
from oryn.system.optional_dependencies import require_extra

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from oryn.daemon.dispatcher import Dispatcher
    from oryn.daemon.request.parser_pool import RequestParserPool
    from oryn.engine import Answer, Session
    from oryn.language.command import CommandSpec
    from oryn.mcp.host import CompletedCommand, SessionEventListener
    from oryn.mcp.http import StreamableHttpApp

MCP_PATH = "/mcp"
MAX_MESSAGE_BYTES = 4 * 1024 * 1024
"""Maximum size of a client's message in bytes, the same as in the SDK."""
_INVALID = -32602
"""https://www.jsonrpc.org/specification#error_object"""


class McpEndpoint:
    """The endpoint as an ASGI application. `parser` checks messages that are too large to be parsed in this process."""

    def __init__(self, host: DaemonHost, parser: RequestParserPool) -> None:
        self._host = host
        self._parser = parser
        self._apps: dict[str, tuple[Principal, StreamableHttpApp]] = {}
        """One for each principal, so that no client gets the session or the scopes of another's."""
        self._has_imported = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self.load()
            app = await self._app_of(principal_of(scope))
        except NotSupported as missing:
            await JSONResponse(failure_of(missing).model_dump(), status_code=501)(scope, receive, send)
        else:
            from oryn.mcp.http import OPTIONS, options_in

            try:
                check_query(scope["query_string"], OPTIONS)
                options_in(scope["query_string"].decode("latin-1"))
            except RequestError as error:  # in the form of JSON-RPC, as MCP clients show no other error
                rejection = {"code": _INVALID, "message": f"{error.message}: {(error.hint or '').lower().rstrip('.')}"}
                refusal = JSONResponse({"jsonrpc": "2.0", "id": None, "error": rejection}, status_code=400)
                await refusal(scope, receive, send)
                return
            await app(scope, await self._read(scope, receive), send)

    async def load(self) -> None:
        """Import the `mcp` package. Raises `NotSupported` if it is not installed."""
        if not self._has_imported:  # it takes a second; in a thread, so that other requests are answered
            with require_extra("mcp", MCP_PATH):
                await asyncio.to_thread(import_module, "oryn.mcp.http")
            self._has_imported = True

    async def _app_of(self, principal: Principal) -> StreamableHttpApp:
        from oryn.mcp.http import StreamableHttpApp

        holder, app = self._apps.get(principal.name, (None, None))
        if app is None or holder != principal:  # its token has other scopes or limits now
            former, app = app, StreamableHttpApp(self._host.of(principal))
            self._apps[principal.name] = principal, app
            if former is not None:
                await former.close()
        return app

    async def _read(self, scope: Scope, receive: Receive) -> Receive:
        """A `receive` callable for the request's body; a large body has been validated. Raises `RequestError`."""
        if scope["method"] != "POST":
            return receive
        body = await read_body(Request(scope, receive), MAX_MESSAGE_BYTES)
        if len(body) > MAX_INLINE_BYTES:
            await self._parser.parse_json(body)

        return replay_body(body, receive)

    async def close(self) -> None:
        """End the connections of MCP clients."""
        for _, app in self._apps.values():
            await app.close()


class DaemonHost:
    """The daemon's sessions as an `oryn.mcp.host.McpHost`.

    Commands go through the dispatcher, as those of all clients do; `parser` turns tool calls into lines. `principal`
    gives the commands."""

    def __init__(self, dispatcher: Dispatcher, parser: RequestParserPool, principal: Principal = OWNER) -> None:
        self._dispatcher = dispatcher
        self._sessions = dispatcher.sessions
        self._parser = parser
        self._principal = principal

    def of(self, principal: Principal) -> DaemonHost:
        """The same sessions for another principal."""
        return DaemonHost(self._dispatcher, self._parser, principal)

    @contextmanager
    def _giving(self) -> Iterator[None]:
        """Let the principal give the commands of the block: the SDK runs requests in tasks of its own."""
        before = PRINCIPAL.set(self._principal)
        try:
            yield
        finally:
            PRINCIPAL.reset(before)

    @property
    def names(self) -> Collection[str]:
        with self._giving():
            return self._sessions.own_of(self._sessions.names)

    def visible_to(self, name: str) -> Collection[str]:
        with self._giving():
            return self._sessions.visible_to(name)

    def session(self, name: str) -> Session | None:
        with self._giving():
            return self._sessions.get_own(name)

    def supports(self, spec: CommandSpec) -> bool:
        """Whether MCP clients may run commands of this kind: not those of the language's conversation, nor those that
        only a person may run."""
        return spec.scope != "conversation" and not spec.person

    async def parse_tool_call(self, tool: str, arguments: Mapping[str, Any]) -> Line:
        return await self._parser.parse_tool_call(tool, arguments)

    async def run(self, name: str, line: Line, settings: Mapping[str, Any]) -> Answer:
        from oryn.mcp.host import run_to_completion

        with self._giving():
            is_limited = isinstance(line.command, CloseSession) and self._sessions.is_limited(name)
        if is_limited:
            raise SessionNotAllowed(
                f"the session {name} has limits, which would end with it", "Only the user can close it: oryn close."
            )
        own = dict(settings)
        envelope = read_command(
            {"line": line.canonical, "session": name, "backend": own.pop("backend", None), "settings": own}
        )
        with self._giving():
            task = self._dispatcher.start(envelope, line)
        return (await run_to_completion(task)).answer

    async def confirm(self, name: str, id: str) -> Answer:
        approving = APPROVES.set(True)  # the client has asked its user
        try:
            return await self.run(name, Line.of(Confirm(id)), {})
        finally:
            APPROVES.reset(approving)

    async def close(self, name: str) -> None:
        with suppress(SessionNotFound), self._giving():
            await self._sessions.close_session(name)
        self._dispatcher.publish_sessions()

    def history(self, name: str) -> Iterable[CompletedCommand]:
        from oryn.mcp.host import MAX_HISTORY_ROWS, CompletedCommand

        newest: list[CompletedCommand] = []
        owner = self._principal.owner
        for row in self._dispatcher.history.newest():
            if row.session == name and (owner is None or row.principal == owner.name):
                line = row.line or row.args.get("line") or row.action
                newest.append(
                    CompletedCommand(row.ts, line, row.ok, row.elapsed_ms, row.error_kind and row.error_kind.upper())
                )
            if len(newest) == MAX_HISTORY_ROWS:
                break
        return reversed(newest)

    def listen(self, listener: SessionEventListener) -> Callable[[], None]:
        task = asyncio.create_task(self._listen(listener))

        def stop() -> None:
            task.cancel()

        return stop

    async def _listen(self, listener: SessionEventListener) -> None:
        from oryn.mcp.host import SessionEvent

        kinds = {
            "action.finish": "changed",
            "session.noted": "noted",
            "session.opened": "opened",
            "session.closed": "closed",
        }
        owner = self._principal.owner
        with self._dispatcher.events.subscribe(list(kinds), owner.name if owner else None) as subscription:
            async for event in subscription:
                listener(SessionEvent(kinds[event.type], event.data["session"]))
