"""Execution of commands: from a request's envelope to the response, for every command that the daemon receives.

Each command gets one response, one row in the history, and a start and a finish event."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

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
from oryn.errors import (
    Cancelled,
    DaemonEnding,
    DaemonFailed,
    InternalError,
    LanguageError,
    NotSupported,
    OrynError,
    SessionLimit,
    TooManyCommands,
)
from oryn.language import Line, SessionClose, SessionNew
from oryn.language.command import HOST_SCOPES
from oryn.sessions.conversation import conversation_alternative
from oryn.sessions.sessions import Sessions
from oryn.settings import RESEARCH

log = logging.getLogger(__name__)

_HISTORY_WARNING = (
    "the history can't be written ({}): this command's row is in memory, and lost if the daemon is killed"
)

MAX_QUEUED_COMMANDS = 32
"""Maximum number of commands of one session at once: the running one and those that wait for it."""

GRACE_SECONDS = 2.0
"""Seconds that running commands get when the daemon ends, and again to answer that they were cancelled."""


class Dispatcher:
    """Runs the commands of all clients.

    At most `max_commands` run and at most `max_sessions` are open at once; 0 means no limit."""

    def __init__(
        self,
        sessions: Sessions,
        history: ActionHistory,
        events: EventBus,
        host_commands: HostCommands,
        *,
        max_commands: int = 0,
        max_sessions: int = 0,
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
        self._published_sessions: set[str] = set()
        """Names of the sessions whose opening was published."""
        self._ending = False

    async def run(self, envelope: CommandEnvelope, line: Line | LanguageError | None = None) -> FinishedCommand:
        """Run a command. Raises `TooManyCommands`, `DaemonEnding`; all other errors are in the outcome."""
        # A separate task, so that the command continues if its caller is cancelled.
        return await asyncio.shield(self.start(envelope, line))

    def start(
        self, envelope: CommandEnvelope, line: Line | LanguageError | None = None
    ) -> asyncio.Task[FinishedCommand]:
        """Start a command and return its task. If the caller cancels the task, the answer is `Cancelled`.

        `line` is the parsed envelope, if the caller has it. Raises as `run` does; `DaemonEnding` if the daemon is
        stopping."""
        if self._ending:
            raise DaemonEnding("the daemon is ending")
        request = self._create_request(envelope, line)
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
            envelope, line, error, action_name(envelope, line), session, secrets.token_hex(8), ts, started
        )

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
        if request.envelope.folder is not None:
            CALLER_FOLDER.set(Path(request.envelope.folder))  # set in this command's task only
        before = self.sessions.get(request.session)
        self.publish_sessions()
        self.events.publish("action.start", **request.event_data)
        self.history.begin(request.started_row(before))
        try:
            answer = await self._perform(request)
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - a bug must cost one answer, not all
            answer = self._failed_answer(request, error)
        session = self.sessions.get(request.session)
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
            **request.event_data,
            ok=answer.ok,
            elapsed_ms=elapsed_ms,
            snapshot_generation=outcome.generation,
            error_kind=outcome.error_kind,
        )
        self.answered += 1
        self.last_activity = time.monotonic()
        return outcome

    def _failed_answer(self, request: CommandRequest, error: BaseException) -> Answer:
        """The answer to a command that has raised an error, or was cancelled."""
        if isinstance(error, asyncio.CancelledError):
            task = asyncio.current_task()
            assert task is not None
            task.uncancel()
            error = Cancelled()
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
        now_open = set(self.sessions.names)
        published, self._published_sessions = self._published_sessions, now_open
        for name in sorted(now_open - published):
            self.events.publish("session.opened", session=name)
        for name in sorted(published - now_open):
            self.events.publish("session.closed", session=name)
