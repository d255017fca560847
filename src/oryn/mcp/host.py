"""Who runs the lines that assistants say: a host of sessions, here one of this process's own."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import anyio

from oryn.engine import Answer
from oryn.errors import Cancelled, NotSupported, SessionNotFound
from oryn.language import Exit, Output, SessionSwitch
from oryn.records import Record
from oryn.tools import line_of

if TYPE_CHECKING:
    from oryn.engine import Session
    from oryn.language import Line
    from oryn.language.command import CommandSpec
    from oryn.sessions.sessions import Sessions

MOST_ROWS = 200
"""Commands of a session that its history tells of, the newest."""

_INSTEAD: Mapping[type, str] = {
    Exit: "'session close' and a name end a session; the server ends with its client.",
    Output: "Each answer has both forms.",
    SessionSwitch: "'@name command' says a command to another session.",
}
"""What to do in the place of the commands of a conversation."""


class Done(Record):
    """One command that was done, as the history tells it. `command` is canonical, secrets masked; `ts` in UTC."""

    ts: str
    command: str
    ok: bool
    elapsed_ms: float
    error: str | None = None


class News(Record):
    """`changed` (a command was done), `opened` or `closed`, and the session."""

    kind: str
    session: str


Listener = Callable[[News], None]


class Host(Protocol):
    """What the server needs of whoever has the sessions."""

    @property
    def names(self) -> Collection[str]:
        """Of the sessions that are open."""

    def seen_by(self, name: str) -> Collection[str]:
        """Of these, those that the session of this name may look at, whose limits may keep it from the others."""

    def session(self, name: str) -> Session | None: ...

    def performs(self, spec: CommandSpec) -> bool:
        """Whether it can do such commands."""

    async def meant(self, tool: str, arguments: Mapping[str, Any]) -> Line:
        """The line that a tool's call means. Raises `LanguageError`, `RequestError`."""

    async def run(self, name: str, line: Line, settings: Mapping[str, Any]) -> Answer:
        """Run a line in a session, which is opened with these settings where it is not open. Cancelled, it ends the
        command, and has ended it when it returns. Raises `OrynError` for what was not even tried."""

    async def confirm(self, name: str, id: str) -> Answer:
        """Run a command that waits in a session for a person's yes, which somebody has said. Raises `OrynError`."""

    async def close(self, name: str) -> None:
        """End a session, where it is open, with all that is kept of it."""

    def done(self, name: str) -> Iterable[Done]:
        """What was done in a session, the newest last."""

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Tell of what happens from now on; the outcome ends that."""


class Elsewhere(Protocol):
    """What does the commands of a family of the table that no session of this process does. They have its limits, and
    are taken back when they are cancelled. Raises `OrynError` for what was not even tried."""

    @property
    def family(self) -> str: ...

    async def __call__(self, line: Line) -> Answer: ...

    async def close(self) -> None:
        """Leave nothing behind."""


class OwnHost:
    """The sessions of this process; `elsewhere` does what they don't."""

    def __init__(self, sessions: Sessions, elsewhere: Elsewhere | None = None) -> None:
        self._sessions = sessions
        self._elsewhere = elsewhere
        self._done: dict[str, deque[Done]] = {}
        self._listeners: list[Listener] = []
        self._told: set[str] = set()

    @property
    def names(self) -> Collection[str]:
        return self._sessions.names

    def seen_by(self, name: str) -> Collection[str]:
        return self._sessions.seen_by(name)

    def session(self, name: str) -> Session | None:
        return self._sessions.get(name)

    def performs(self, spec: CommandSpec) -> bool:
        if spec.host:
            return self._elsewhere is not None and spec.family == self._elsewhere.family
        return not spec.conversation

    async def meant(self, tool: str, arguments: Mapping[str, Any]) -> Line:
        return line_of(tool, arguments)

    async def run(self, name: str, line: Line, settings: Mapping[str, Any]) -> Answer:
        command = line.command
        assert command is not None
        if not self.performs(command.spec):
            raise NotSupported(
                f"{command.spec.door} is not for a host of this kind",
                _INSTEAD.get(type(command), "The daemon has it: docs/mcp.md says how to reach it."),
            )
        if command.spec.host and self._elsewhere is not None:
            return await self._noted(name, command.spec.door, self._elsewhere(line))
        addressed = self._sessions.session_of(name, line)
        return await self._noted(addressed, command.spec.door, self._sessions.execute_in(name, line, settings))

    async def confirm(self, name: str, id: str) -> Answer:
        session = self._sessions.get(name)
        if session is None:
            raise SessionNotFound.among(self._sessions.names)
        return await self._noted(name, "confirm", session.confirmations.confirm(id))

    async def _noted(self, addressed: str, door: str, doing: Coroutine[Any, Any, Answer]) -> Answer:
        """Do a command of a session, and note that it was done."""
        begun, ts = time.perf_counter(), time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        answer = Answer(command=door, error=Cancelled())
        try:
            answer = await to_its_end(asyncio.create_task(doing))
        finally:
            elapsed = round((time.perf_counter() - begun) * 1000, 1)
            error = answer.error.code if answer.error else None
            rows = self._done.setdefault(addressed, deque(maxlen=MOST_ROWS))
            rows.append(Done(ts, answer.command, answer.ok, elapsed, error))
            self._tell(addressed)
        return answer

    async def close(self, name: str) -> None:
        with suppress(SessionNotFound):
            await self._sessions.close_session(name)
        self._tell()

    def done(self, name: str) -> Iterable[Done]:
        return self._done.get(name, ())

    def listen(self, listener: Listener) -> Callable[[], None]:
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def _tell(self, changed: str | None = None) -> None:
        now, self._told = self._told, set(self._sessions.names)
        news = [News("opened", name) for name in sorted(self._told - now)]
        news += [News("closed", name) for name in sorted(now - self._told)]
        for name in now - self._told:
            self._done.pop(name, None)
        for each in [*news, *([News("changed", changed)] if changed in self._told else [])]:
            for listener in list(self._listeners):
                listener(each)


Result = TypeVar("Result")


async def to_its_end(task: asyncio.Task[Result]) -> Result:
    """Wait for a task that ends with whoever waits: when that is cancelled so is the task, once, and has ended before
    this returns. (What anyio cancels is cancelled at every step, and could not clean up.)"""
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        task.cancel()
        with anyio.CancelScope(shield=True):
            await asyncio.wait([task])
        raise
