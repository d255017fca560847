"""One command after the other, from an envelope to the response: the way of every command through the daemon.

Whatever comes in gets one response, one row in the history, and its two events."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from oryn.daemon.asked import Asked
from oryn.daemon.backends import for_one, mode_of, settings_with
from oryn.daemon.events import Events, now
from oryn.daemon.history import History
from oryn.daemon.hosting import Hosting, Open
from oryn.daemon.protocol import Command, Response, error_kind
from oryn.daemon.reading import action_of, line_or_error
from oryn.engine import Answer, Session, jsonform
from oryn.engine.files import FOLDER
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
from oryn.language import Exit, Line, Output, SessionClose, SessionNew, SessionSwitch
from oryn.sessions.sessions import Sessions
from oryn.settings import RESEARCH

log = logging.getLogger(__name__)

_INSTEAD: Mapping[type, str] = {
    Exit: "'oryn daemon stop' ends the daemon, 'close' the session.",
    Output: "Each request chooses the form of its own answer.",
    SessionSwitch: 'Name the session with each command: --session, or "session" in the request.',
}
"""What to do in the place of the commands of a conversation."""


_UNWRITTEN = "the history can't be written ({}): this command's row is in memory, and lost if the daemon is killed"

MOST_WAITING = 32
"""Commands that one session has at once: the one that it does, and those that wait for it."""

GRACE_SECONDS = 2.0
"""How long commands under way may go on when the daemon ends; so long again to say that they were ended."""


class Dispatcher:
    """`most_commands` and `most_sessions`: how many there may be at once; 0 is no limit."""

    def __init__(
        self,
        sessions: Sessions,
        history: History,
        events: Events,
        hosting: Hosting,
        *,
        most_commands: int = 0,
        most_sessions: int = 0,
    ) -> None:
        self.sessions = sessions
        self.history = history
        self.events = events
        self.hosting = hosting
        self.answered = 0
        self.running: dict[asyncio.Task[Any], Asked] = {}
        self.latest = time.monotonic()
        """When a command came or ended the last time."""
        self._most_commands = most_commands
        self._most_sessions = most_sessions
        self._open: set[str] = set()
        """Names of the sessions that listeners have been told of."""
        self._ending = False

    async def run(self, envelope: Command, line: Line | LanguageError | None = None) -> tuple[Response, Answer]:
        """Raises `TooManyCommands`, `DaemonEnding`; everything else is in the response."""
        # A task of its own: a caller that goes away takes nothing with it.
        return await asyncio.shield(self.begun(envelope, line))

    def begun(
        self, envelope: Command, line: Line | LanguageError | None = None
    ) -> asyncio.Task[tuple[Response, Answer]]:
        """The command on its way, for a caller who may take it back: cancelled, it answers `Cancelled`. `line` is what
        the envelope means, where the caller knows that. Raises as `run`."""
        if self._ending:
            raise DaemonEnding("the daemon is ending")
        asked = self._asked(envelope, line)
        if asked.opens:
            self._limit_commands(asked.session)
        task = asyncio.create_task(self._run(asked))
        self.running[task] = asked
        task.add_done_callback(self.running.pop)
        return task

    def _asked(self, envelope: Command, meant: Line | LanguageError | None) -> Asked:
        begun, ts = time.perf_counter(), now()
        meant = meant or line_or_error(envelope)
        line, error = (meant, None) if isinstance(meant, Line) else (None, meant)
        session = self.sessions.session_of(envelope.session, line)
        return Asked(envelope, line, error, action_of(envelope, line), session, secrets.token_hex(8), ts, begun)

    async def end(self) -> None:
        """Take no more commands. Those under way get a short time, and are then ended; each is answered."""
        self._ending = True
        for _ in range(2):
            if self.running:
                await asyncio.wait(self.running, timeout=GRACE_SECONDS)
            for task in self.running:
                task.cancel()

    async def _run(self, asked: Asked) -> tuple[Response, Answer]:
        self.latest = time.monotonic()
        if asked.envelope.folder is not None:
            FOLDER.set(Path(asked.envelope.folder))  # of this command's task alone
        before = self.sessions.get(asked.session)
        self.tell_sessions()
        self.events.publish("action.start", **asked.about)
        self.history.begin(asked.row_begun(before))
        answer = await self._answer(asked)
        session = self.sessions.get(asked.session)
        response = _response(asked, answer, session.generation if session else None)
        known = session or before
        self.history.append(asked.row_done(response, answer, session, known.browser.mode if known else None))
        if self.history.failing is not None:
            answer.notes.append(_UNWRITTEN.format(self.history.failing))
            response = _response(asked, answer, response.snapshot_generation)
        self.tell_sessions()
        self.events.publish(
            "action.finish",
            **asked.about,
            ok=response.ok,
            elapsed_ms=response.elapsed_ms,
            snapshot_generation=response.snapshot_generation,
            error_kind=response.error_kind,
        )
        self.answered += 1
        self.latest = time.monotonic()
        return response, answer

    async def _answer(self, asked: Asked) -> Answer:
        if asked.line is None:
            return Answer(command=asked.action, error=asked.error)
        try:
            return await self._perform(asked.envelope, asked.line)
        except OrynError as error:
            return Answer(command=_echo(asked.line), error=error)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            assert task is not None
            task.uncancel()
            if not self._ending:
                return Answer(command=_echo(asked.line), error=Cancelled())
            ended = DaemonFailed("the daemon ended in the middle of the command", "Give it again: another one starts.")
            return Answer(command=_echo(asked.line), error=ended)
        except Exception as raised:  # a bug must cost one answer, not the daemon
            log.exception("unexpected error in %s", asked.action)
            bug = InternalError(f"unexpected {type(raised).__name__}", "Please report.")
            return Answer(command=asked.action, error=bug)

    async def _perform(self, envelope: Command, line: Line) -> Answer:
        command, name = line.command, self.sessions.session_of(envelope.session, line)
        if command is None:
            return Answer()
        if command.spec.conversation:
            raise NotSupported(f"{command.spec.name} is for a host with one caller", _INSTEAD[type(command)])
        there = self.sessions.own()
        given = settings_with(envelope.settings, mode_of(envelope.backend), name, there)
        if command.spec.host or any(one.name == name for one in there):
            line, given = for_one(line, given, self.hosting.configuration)
            command = line.command or command
        settings = {name: value for name, value in given.items() if name not in RESEARCH}
        own = {name: value for name, value in envelope.settings.items() if name not in RESEARCH}
        self.sessions.check_reach(envelope.session, line, own)
        if isinstance(command, SessionClose) and envelope.argv is not None and self.sessions.is_limited(name):
            await self.sessions.close_session(command.name)  # words of a shell are the user's, not a session's line
            return Answer(command=line.canonical)
        if command.spec.host:
            name = envelope.browse_in or name
            return await self.hosting.perform(command, name, Open(partial(self._opened, name, settings), given))
        self._limit_sessions(command.name if isinstance(command, SessionNew) else name)
        return await self.sessions.execute_in(envelope.session, line, settings)

    def _opened(self, name: str, settings: Mapping[str, Any]) -> Session:
        self._limit_sessions(name)
        return self.sessions.reach(name, settings)

    def _limit_commands(self, session: str) -> None:
        if self._most_commands and len(self.running) >= self._most_commands:
            raise TooManyCommands(f"{len(self.running)} commands are being done")
        waiting = sum(asked.session == session for asked in self.running.values())
        if waiting >= MOST_WAITING:
            raise TooManyCommands(
                f"{waiting} commands wait for the session {session}", "Wait for some of them to end, or 'close' it."
            )

    def _limit_sessions(self, name: str) -> None:
        names = self.sessions.names
        if self._most_sessions and name not in names and len(names) >= self._most_sessions:
            raise SessionLimit(f"{len(names)} sessions are open already")

    def tell_sessions(self) -> None:
        """Sessions that have opened and closed since the last time, whoever opened or closed them."""
        now_open = set(self.sessions.names)
        told, self._open = self._open, now_open
        for name in sorted(now_open - told):
            self.events.publish("session.opened", session=name)
        for name in sorted(told - now_open):
            self.events.publish("session.closed", session=name)


def _response(asked: Asked, answer: Answer, generation: int | None) -> Response:
    data = jsonform.form(answer)
    data.pop("ok")
    told = data.pop("error", {})  # with boundaries, what of it is ours
    if asked.envelope.source_action_id:
        data["source_action_id"] = asked.envelope.source_action_id
    error = answer.error
    return Response(
        ok=answer.ok,
        action=asked.action,
        session=asked.session,
        action_id=asked.action_id,
        data=data | {"snapshot_generation": generation},
        text=answer.render(),
        error=told.get("message", error.code) if error else None,
        error_kind=error_kind(error) if error else None,
        hint=told.get("hint"),
        elapsed_ms=round((time.perf_counter() - asked.begun) * 1000, 3),
        snapshot_generation=generation,
    )


def _echo(line: Line) -> str:
    """A command that did not come to its session, which knows what of it is secret: its first word alone."""
    return line.canonical.split("\n")[0].split(" ")[0]
