"""Execution of commands: from a request's envelope to the response, for every command that the daemon receives.

Each command gets one response, one row in the history, and a start and a finish event."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Collection, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from oryn.daemon.access.audit import AuditLog
from oryn.daemon.access.principals import ADDRESS, PRINCIPAL
from oryn.daemon.access.scopes import require_scope, scope_of_command
from oryn.daemon.event_bus import EventBus
from oryn.daemon.events import utc_now
from oryn.daemon.history.log import ActionHistory
from oryn.daemon.host_commands import HostCommands, SessionOpener
from oryn.daemon.protocol import CommandEnvelope
from oryn.daemon.request.command import (
    CommandRequest,
    FinishedCommand,
    apply_command_settings,
    mode_of,
    settings_with_backend,
)
from oryn.daemon.request.parser import action_name, parse_line_or_error
from oryn.engine import Answer, Session
from oryn.engine.file_access import CALLER_FOLDER
from oryn.engine.program.journal import PROGRAM_JOURNAL
from oryn.errors import (
    Cancelled,
    ConfigurationError,
    DaemonEnding,
    DaemonFailed,
    InternalError,
    LanguageError,
    NotSupported,
    OrynError,
    SessionLimit,
    SessionNotFound,
    TokenScope,
    TooManyCommands,
)
from oryn.language import Help, Line, SessionClose, SessionNew, SessionSwitch
from oryn.language import Sessions as ListSessions
from oryn.language.command import HOST_SCOPES
from oryn.language.commands.host import CloseSession
from oryn.sessions.conversation import conversation_alternative
from oryn.sessions.sessions import Sessions
from oryn.settings import RESEARCH
from oryn.system.logs import LOG_FIELDS

log = logging.getLogger(__name__)

_HISTORY_WARNING = (
    "the history can't be written ({}): this command's row is in memory, and lost if the daemon is killed"
)

MAX_QUEUED_COMMANDS = 32
"""Maximum number of commands of one session at once: the running one and those that wait for it."""

GRACE_SECONDS = 2.0
"""Seconds that running commands get when the daemon ends, and again to answer that they were cancelled."""


class SessionRights(Protocol):
    """The right to run sessions, which daemons with the same records share: the interface of a `Dispatcher` to
    `oryn.daemon.cluster.member.ClusterMember`."""

    def begin(self, name: str) -> None:
        """Note that a command needs a session: its lease stays until `end`."""

    def end(self, name: str) -> None:
        """Note that a command has ended."""

    async def require(self, names: Collection[str]) -> None:
        """Take the leases of sessions. Raises `SessionMoved` if another daemon has one, `RecordsUnavailable`."""

    async def flush(self) -> None:
        """Wait until what was saved so far is in the database, if it answers. Never raises."""


class Dispatcher:
    """Runs the commands of all clients.

    At most `max_commands` run and at most `max_sessions` are open at once; 0 means no limit. `audit` gets
    the commands that a principal may not give."""

    def __init__(
        self,
        sessions: Sessions,
        history: ActionHistory,
        events: EventBus,
        host_commands: HostCommands,
        *,
        max_commands: int = 0,
        max_sessions: int = 0,
        audit: AuditLog | None = None,
    ) -> None:
        self.sessions = sessions
        self.history = history
        self.events = events
        self.host_commands = host_commands
        self.answered = 0
        self.running: dict[asyncio.Task[Any], CommandRequest] = {}
        self.last_activity = time.monotonic()
        """When a command last started or ended (`time.monotonic`)."""
        self._max_commands = max_commands
        self._max_sessions = max_sessions
        self._audit = audit
        sessions.caller = lambda: PRINCIPAL.get().owner
        self._published_sessions: Mapping[str, str | None] = {}
        """The sessions whose opening was published, with their owners."""
        self._ending = False
        self.cluster: SessionRights | None = None
        """The place of this daemon among others with the same records; None if it has its own."""
        self._broken_off: dict[asyncio.Task[Any], OrynError] = {}
        """Why tasks were cancelled, if not by their callers."""

    async def run(self, envelope: CommandEnvelope, line: Line | LanguageError | None = None) -> FinishedCommand:
        """Run a command. Raises `TooManyCommands`, `DaemonEnding`; all other errors are in the outcome."""
        # A separate task, so that the command continues if its caller is cancelled.
        return await asyncio.shield(self.start(envelope, line))

    def start(
        self, envelope: CommandEnvelope, line: Line | LanguageError | None = None
    ) -> asyncio.Task[FinishedCommand]:
        """Start a command and return its task. If the caller cancels the task, the answer is `Cancelled`.

        `line` is the parsed envelope, if the caller has it. Raises as `run` does; `DaemonEnding` if the daemon is
        stopping; `TokenScope`, `SessionNotFound` or `ConfigurationError` if the principal of the current task may not
        give the command, or has sessions of its own and names another one, or a setting for more than these."""
        if self._ending:
            raise DaemonEnding("the daemon is ending")
        request = self._create_request(envelope, line)
        if request.line is not None:
            try:
                require_scope(request.principal, scope_of_command(request.line.command), request.action)
                self._check_own(request)
            except (TokenScope, SessionNotFound, ConfigurationError) as error:
                if self._audit is not None:
                    name, detail = request.principal.name, f"{error.code.lower()}: {error.message}"
                    self._audit.refuse(name, ADDRESS.get(), "command", request.action, detail)
                raise
        if request.needs_browser:
            self._limit_commands(request.session)
        task = asyncio.create_task(self._run(request))
        self.running[task] = request
        task.add_done_callback(self.running.pop)
        return task

    def _create_request(self, envelope: CommandEnvelope, parsed: Line | LanguageError | None) -> CommandRequest:
        started, ts = time.perf_counter(), utc_now()
        parsed = parsed or parse_line_or_error(envelope)
        line, error = (parsed, None) if isinstance(parsed, Line) else (None, parsed)
        session = self.sessions.session_of(envelope.session, line)
        return CommandRequest(
            envelope,
            line,
            error,
            action_name(envelope, line),
            session,
            secrets.token_hex(8),
            ts,
            started,
            principal=PRINCIPAL.get(),
        )

    def _check_own(self, request: CommandRequest) -> None:
        """Raise an error if the principal has sessions of its own, and the command is about more than these."""
        if (owner := request.principal.owner) is None:
            return
        envelope, line = request.envelope, request.line
        for name in {*_sessions_used(request.session, line), *filter(None, [envelope.browse_in])}:
            self.sessions.require_own(name)
        settings = settings_with_backend(envelope.settings, mode_of(envelope.backend), request.session, None)
        owner.check_settings({name: value for name, value in settings.items() if name not in RESEARCH})

    def queue_of(self, session: str) -> list[CommandRequest]:
        """The requests of a session that run or wait for their turn, the oldest first."""
        return [each for each in self.running.values() if each.session == session and each.needs_browser]

    async def end(self) -> None:
        """Reject further commands, and cancel the running ones after `GRACE_SECONDS`. Each gets a response."""
        self._ending = True
        for _ in range(2):
            if self.running:
                await asyncio.wait(self.running, timeout=GRACE_SECONDS)
            for task in self.running:
                task.cancel()

    async def _run(self, request: CommandRequest) -> FinishedCommand:
        self.last_activity = time.monotonic()
        LOG_FIELDS.set({**LOG_FIELDS.get(), "action_id": request.action_id, "session": request.session})
        if request.envelope.folder is not None:
            CALLER_FOLDER.set(Path(request.envelope.folder))  # set in this command's task only
        before = self.sessions.get_own(request.session)
        self.publish_sessions()
        PROGRAM_JOURNAL.set(_ProgramRows(self, request))  # in this command's task only
        self.begin(request, before)
        try:
            answer = await (self._perform(request) if self.cluster is None else self._perform_leased(request))
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - a bug must cost one answer, not all
            answer = self._failed_answer(request, error)
        outcome = self.finish(request, answer, before)
        if self.cluster is not None:
            await self.cluster.flush()
        self.answered += 1
        return outcome

    async def _perform_leased(self, request: CommandRequest) -> Answer:
        """Run the command with the leases of the sessions that it needs."""
        assert self.cluster is not None
        names = sessions_needed(request.session, request.line)
        for name in names:
            self.cluster.begin(name)
        try:
            await self.cluster.require(names)
            return await self._perform(request)
        finally:
            for name in names:
                self.cluster.end(name)

    def break_off(self, sessions: Collection[str], error: OrynError) -> None:
        """Cancel the running commands of sessions; their answers say `error`."""
        for task, request in self.running.items():
            if request.session in sessions and not task.done():
                self._broken_off[task] = error
                task.cancel()

    def begin(self, request: CommandRequest, session: Session | None) -> None:
        """Record and publish that a command begins. `session`: its session, if it is open."""
        self.events.publish("action.start", self._owner(request), **request.event_data)
        self.history.begin(request.started_row(session))

    def finish(self, request: CommandRequest, answer: Answer, before: Session | None) -> FinishedCommand:
        """Record and publish that a command has ended. `before`: its session when it began."""
        session = self.sessions.get_own(request.session)
        elapsed_ms = round((time.perf_counter() - request.started) * 1000, 3)
        outcome = FinishedCommand(request, answer, session.generation if session else None, elapsed_ms)
        browser_session = session or before
        backend = browser_session.browser.mode if browser_session else None
        self.history.append(request.finished_row(outcome, session, backend))
        if self.history.failing is not None:
            answer.notes.append(_HISTORY_WARNING.format(self.history.failing))
        self.publish_sessions()
        self.events.publish(
            "action.finish",
            self._owner(request),
            **request.event_data,
            ok=answer.ok,
            elapsed_ms=elapsed_ms,
            snapshot_generation=outcome.generation,
            error_kind=outcome.error_kind,
            backend=backend,
        )
        self.last_activity = time.monotonic()
        return outcome

    def _owner(self, request: CommandRequest) -> str | None:
        """The owner of the session of a command; None if all may use it."""
        owner = request.principal.owner
        return self.sessions.owner_of(request.session) if owner is None else owner.name

    def _failed_answer(self, request: CommandRequest, error: BaseException) -> Answer:
        """The answer to a command that has raised an error, or was cancelled."""
        if isinstance(error, asyncio.CancelledError):
            task = asyncio.current_task()
            assert task is not None
            task.uncancel()
            error = self._broken_off.pop(task, Cancelled())
            if self._ending:
                error = DaemonFailed(
                    "the daemon ended in the middle of the command", "Give it again: another one starts."
                )
        if not isinstance(error, OrynError):
            log.exception("unexpected error in %s", request.action)
            return Answer(command=request.action, error=InternalError(f"unexpected {type(error).__name__}"))
        # The first word of the line alone: its arguments may be secret, and no session has masked them.
        echo = request.line.canonical.split("\n")[0].split(" ")[0] if request.line else request.action
        return Answer(command=echo, error=error)

    async def _perform(self, request: CommandRequest) -> Answer:
        """Run the command. Raises `OrynError` for one that does not reach its session."""
        envelope, line, name = request.envelope, request.line, request.session
        if line is None:
            return Answer(command=request.action, error=request.error)
        command = line.command
        if command is None:
            return Answer()
        self._check_own(request)  # again: another daemon may have saved the session
        if command.spec.scope == "conversation":
            hint = conversation_alternative(type(command), "daemon")
            raise NotSupported(f"{command.spec.name} is not available in the daemon", hint)
        present = self.sessions.mode_of(name)
        settings_by_name = settings_with_backend(envelope.settings, mode_of(envelope.backend), name, present)
        is_host_command = command.spec.scope in HOST_SCOPES
        if is_host_command or present is not None:
            line, settings_by_name = apply_command_settings(line, settings_by_name, self.host_commands.configuration)
            command = line.command or command
        settings = {name: value for name, value in settings_by_name.items() if name not in RESEARCH}
        is_shell_close = isinstance(command, SessionClose) and envelope.argv is not None
        if is_host_command or is_shell_close:  # `execute_in` checks all others
            own = {name: value for name, value in envelope.settings.items() if name not in RESEARCH}
            self.sessions.check_access(envelope.session, line, own)
        if isinstance(command, SessionClose) and is_shell_close and self.sessions.is_limited(name):
            await self.sessions.close_session(command.name)  # from a shell, so the user's command and not a session's
            return Answer(command=line.canonical)
        if is_host_command:
            name = envelope.browse_in or name
            return await self.host_commands.perform(
                command, name, SessionOpener(partial(self._open_session, name, settings), settings_by_name)
            )
        self._limit_sessions(command.name if isinstance(command, SessionNew) else name)
        return await self.sessions.execute_in(envelope.session, line, settings)

    def _open_session(self, name: str, settings: Mapping[str, Any]) -> Session:
        self._limit_sessions(name)
        return self.sessions.get_or_open(name, settings)

    def _limit_commands(self, session: str) -> None:
        if self._max_commands and len(self.running) >= self._max_commands:
            raise TooManyCommands(f"{len(self.running)} commands are being done")
        waiting = sum(request.session == session for request in self.running.values())
        if waiting >= MAX_QUEUED_COMMANDS:
            raise TooManyCommands(
                f"{waiting} commands wait for the session {session}", "Wait for some of them to end, or 'close' it."
            )

    def _limit_sessions(self, name: str) -> None:
        if not self._max_sessions:
            return
        names = self.sessions.names
        if name not in names and len(names) >= self._max_sessions:
            raise SessionLimit(f"{len(names)} sessions are open already")

    def publish_sessions(self) -> None:
        """Publish the sessions that were opened and closed since the last call, by any caller."""
        now_open = {name: self.sessions.owner_of(name) for name in self.sessions.names}
        published, self._published_sessions = self._published_sessions, now_open
        for name in sorted(now_open.keys() - published.keys()):
            owner = now_open[name]
            self.events.publish("session.opened", owner, session=name)
            if (session := self.sessions.get(name)) is not None:
                session.on_notes_changed.append(partial(self.events.publish, "session.noted", owner, session=name))
        for name in sorted(published.keys() - now_open.keys()):
            self.events.publish("session.closed", published[name], session=name)


def sessions_needed(session: str, line: Line | None) -> Collection[str]:
    """The names of the sessions that must be this daemon's for a line to run in `session`."""
    command = line.command if line else None
    if command is None or isinstance(command, Help | ListSessions):
        return ()
    others = {command.name} if isinstance(command, SessionNew | SessionClose | SessionSwitch) else set()
    return {session, *others}


def _sessions_used(session: str, line: Line | None) -> Collection[str]:
    """The names of the sessions that a line for `session` runs in, opens or closes."""
    command = line.command if line else None
    if isinstance(command, SessionNew | SessionClose):
        return {command.name}
    if isinstance(command, CloseSession) and command.all:
        return ()
    return sessions_needed(session, line)


class _ProgramRows:
    """The rows and the events of the commands of one program (`ProgramJournal`), if the command runs one."""

    def __init__(self, dispatcher: Dispatcher, program: CommandRequest) -> None:
        self._dispatcher = dispatcher
        self._program = program

    @property
    def id(self) -> str:
        """The `action_id` of the program."""
        return self._program.action_id

    def begin(self, line: Line) -> Callable[[Answer], object]:
        """Record that a command begins."""
        program, dispatcher = self._program, self._dispatcher
        said: dict[str, Any] = {"line": line.canonical, "argv": None, "action": None, "args": {}}
        envelope = program.envelope.model_copy(update=said)
        action, ts, started = action_name(envelope, line), utc_now(), time.perf_counter()
        request = CommandRequest(
            envelope,
            line,
            None,
            action,
            program.session,
            secrets.token_hex(8),
            ts,
            started,
            program.action_id,
            program.principal,
        )
        session = dispatcher.sessions.get_own(program.session)
        dispatcher.begin(request, session)
        return lambda answer: dispatcher.finish(request, answer, session)
