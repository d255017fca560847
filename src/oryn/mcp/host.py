"""The host interface of the MCP server, which runs the lines of its clients, and the host for sessions of this
process."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import anyio

from oryn.core.listeners import Listeners
from oryn.core.records import Record
from oryn.engine import Answer
from oryn.errors import Cancelled, NotSupported, SessionNotFound
from oryn.sessions.conversation import conversation_alternative
from oryn.tools import line_of

if TYPE_CHECKING:
    from oryn.engine import Session
    from oryn.language import Line
    from oryn.language.command import CommandScope, CommandSpec
    from oryn.sessions.sessions import Sessions

MAX_HISTORY_ROWS = 200
"""Maximum number of rows in a session's history; the latest are kept."""


class CompletedCommand(Record):
    """A row of a session's history. `command` is canonical, with secrets masked; `ts` is in UTC (ISO 8601)."""

    ts: str
    command: str
    ok: bool
    elapsed_ms: float
    error: str | None = None


class SessionEvent(Record):
    """A change of a session: `kind` is `changed` (a command was run), `noted` (a person's notes have changed), `opened`
    or `closed`."""

    kind: str
    session: str


SessionEventListener = Callable[[SessionEvent], None]


class McpHost(Protocol):
    """The interface of the MCP server to the sessions that it offers."""

    @property
    def names(self) -> Collection[str]:
        """Names of the open sessions."""

    def visible_to(self, name: str) -> Collection[str]:
        """Names of the open sessions that the limits of the session `name` let it see."""

    def session(self, name: str) -> Session | None:
        """The open session of this name; None if there is no such session."""

    def supports(self, spec: CommandSpec) -> bool:
        """Whether the host can run commands of this kind."""

    async def parse_tool_call(self, tool: str, arguments: Mapping[str, Any]) -> Line:
        """The line for a call of a tool. Raises `LanguageError`, `RequestError`."""

    async def run(self, name: str, line: Line, settings: Mapping[str, Any]) -> Answer:
        """Run a line in the session `name`, which is opened with `settings` if it is not open.

        If the call is cancelled, the command has ended when it returns. Raises `OrynError` if the line was not run; an
        error of the command itself is in the answer."""

    async def confirm(self, name: str, id: str) -> Answer:
        """Run the command `id`, which waits in the session for a person's confirmation. Raises `OrynError`."""

    async def close(self, name: str) -> None:
        """Close a session, if it is open, and delete everything that was saved of it."""

    def history(self, name: str) -> Iterable[CompletedCommand]:
        """The commands that were run in a session, the latest last."""

    def listen(self, listener: SessionEventListener) -> Callable[[], None]:
        """Call `listener` for every event from now on. Returns a function that removes the listener."""


class CommandDelegate(Protocol):
    """Runs the commands of one scope of the command table in another process, with this process's limits.

    If a command is cancelled, it is also cancelled there. Raises `OrynError` if a command was not run."""

    @property
    def scope(self) -> CommandScope:
        """The scope of commands that the delegate runs, as in `CommandSpec.scope`."""

    async def __call__(self, line: Line) -> Answer: ...

    async def close(self) -> None:
        """End what the delegate has started."""


class LocalMcpHost:
    """The sessions of this process; `delegate` runs the commands that they do not support."""

    def __init__(self, sessions: Sessions, delegate: CommandDelegate | None = None) -> None:
        self._sessions = sessions
        self._delegate = delegate
        self._done: dict[str, deque[CompletedCommand]] = {}
        self._events: Listeners[[SessionEvent]] = Listeners()
        self._published: set[str] = set()

    @property
    def names(self) -> Collection[str]:
        return self._sessions.names

    def visible_to(self, name: str) -> Collection[str]:
        return self._sessions.visible_to(name)

    def session(self, name: str) -> Session | None:
        return self._sessions.get(name)

    def supports(self, spec: CommandSpec) -> bool:
        """Whether a session can run commands of this kind, or else whether the delegate can."""
        return spec.scope == "session" or (self._delegate is not None and spec.scope == self._delegate.scope)

    async def parse_tool_call(self, tool: str, arguments: Mapping[str, Any]) -> Line:
        return line_of(tool, arguments)

    async def run(self, name: str, line: Line, settings: Mapping[str, Any]) -> Answer:
        command = line.command
        assert command is not None
        if not self.supports(command.spec):
            hint = conversation_alternative(type(command), "mcp")
            raise NotSupported(
                f"{command.spec.api_name} is not available in 'oryn mcp'",
                hint or "Connect to the daemon instead: 'oryn mcp --http' prints the configuration.",
            )
        if command.spec.scope != "session" and self._delegate is not None:
            return await self._record(name, command.spec.api_name, self._delegate(line))
        addressed = self._sessions.session_of(name, line)
        return await self._record(addressed, command.spec.api_name, self._sessions.execute_in(name, line, settings))

    async def confirm(self, name: str, id: str) -> Answer:
        session = self._sessions.get(name)
        if session is None:
            raise SessionNotFound.among(self._sessions.names)
        return await self._record(name, "confirm", session.confirmations.confirm(id))

    async def _record(self, addressed: str, api_name: str, work: Coroutine[Any, Any, Answer]) -> Answer:
        """Await a command of the session `addressed`, and add it to the history."""
        started, ts = time.perf_counter(), time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        answer = Answer(command=api_name, error=Cancelled())
        try:
            answer = await run_to_completion(asyncio.create_task(work))
        finally:
            elapsed = round((time.perf_counter() - started) * 1000, 1)
            error = answer.error.code if answer.error else None
            rows = self._done.setdefault(addressed, deque(maxlen=MAX_HISTORY_ROWS))
            rows.append(CompletedCommand(ts, answer.command, answer.ok, elapsed, error))
            self._publish(addressed)
        return answer

    async def close(self, name: str) -> None:
        with suppress(SessionNotFound):
            await self._sessions.close_session(name)
        self._publish()

    def history(self, name: str) -> Iterable[CompletedCommand]:
        return self._done.get(name, ())

    def listen(self, listener: SessionEventListener) -> Callable[[], None]:
        return self._events.subscribe(listener)

    def _publish(self, changed: str | None = None) -> None:
        now, self._published = self._published, set(self._sessions.names)
        events = [SessionEvent("opened", name) for name in sorted(self._published - now)]
        events += [SessionEvent("closed", name) for name in sorted(now - self._published)]
        for name in now - self._published:
            self._done.pop(name, None)
        for each in [*events, *([SessionEvent("changed", changed)] if changed in self._published else [])]:
            self._events.notify(each)


Result = TypeVar("Result")


async def run_to_completion(task: asyncio.Task[Result]) -> Result:
    """Wait for a task. If the waiting is cancelled, cancel the task once and wait until it has ended.

    anyio cancels at every await, which would keep the task from cleaning up."""
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        task.cancel()
        with anyio.CancelScope(shield=True):
            await asyncio.wait([task])
        raise
