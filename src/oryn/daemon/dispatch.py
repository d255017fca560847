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

from oryn.daemon.backends import check_backend
from oryn.daemon.events import Events, now
from oryn.daemon.history import History, Row
from oryn.daemon.hosting import Hosting
from oryn.daemon.protocol import Command, Response, error_kind
from oryn.daemon.reading import action_of, line_in
from oryn.engine import Answer, Session, jsonform
from oryn.engine.files import FOLDER
from oryn.errors import InternalError, LanguageError, NotSupported, OrynError, SessionLimit, TooManyCommands
from oryn.language import MASK, Exit, Line, Output, SessionSwitch, Type, render
from oryn.sessions.sessions import Sessions

log = logging.getLogger(__name__)

_OF_ONE_CALLER: Mapping[type, str] = {
    Exit: "'oryn daemon stop' ends the daemon, 'close' the session.",
    Output: "Each request chooses the form of its own answer.",
    SessionSwitch: 'Name the session with each command: --session, or "session" in the request.',
}
"""Commands that change something for all who use the host, and what to do in their place."""


class Dispatcher:
    """`most_commands` and `most_sessions`: how many there may be at once; 0 is no limit."""

    def __init__(
        self, sessions: Sessions, history: History, events: Events, *, most_commands: int = 0, most_sessions: int = 0
    ) -> None:
        self.sessions = sessions
        self.history = history
        self.events = events
        self.hosting = Hosting(sessions)
        self.answered = 0
        self.running: set[asyncio.Task[Any]] = set()
        self._most_commands = most_commands
        self._most_sessions = most_sessions

    async def run(self, envelope: Command) -> tuple[Response, Answer]:
        """Raises `TooManyCommands`; everything else is in the response."""
        if self._most_commands and len(self.running) >= self._most_commands:
            raise TooManyCommands(f"{len(self.running)} commands are being done")
        # A task of its own: a caller that goes away takes nothing with it.
        task = asyncio.create_task(self._run(envelope))
        self.running.add(task)
        task.add_done_callback(self.running.discard)
        return await asyncio.shield(task)

    async def _run(self, envelope: Command) -> tuple[Response, Answer]:
        action_id, begun, ts = secrets.token_hex(8), time.perf_counter(), now()
        line: Line | None = None
        if envelope.folder is not None:
            FOLDER.set(Path(envelope.folder))  # of this command's task alone
        try:
            line = line_in(envelope)
            error = None
        except LanguageError as raised:
            error = raised
        action, session = action_of(envelope, line), (line.session if line else None) or envelope.session
        about = {"action_id": action_id, "session": session, "action": action}
        self.events.publish("action.start", **about)
        before = set(self.sessions.names)
        answer = Answer(command=action, error=error) if line is None else await self._answer(envelope, line)
        elapsed = round((time.perf_counter() - begun) * 1000, 3)
        response = self._response(envelope, answer, action, session, action_id, elapsed)
        self.answered += 1
        spoken, withheld = self._spoken(line, answer, session)
        args = envelope.args if envelope.action and spoken and not withheld else {"line": spoken} if spoken else {}
        self.history.append(
            Row(
                action_id=action_id,
                ts=ts,
                elapsed_ms=elapsed,
                ok=response.ok,
                session=session,
                action=action,
                args=args,
                snapshot_generation=response.snapshot_generation,
                error_kind=response.error_kind,
                # What is wrong with a line may be a piece of it.
                error=None if line is None else response.error,
                withheld=withheld,
                source_action_id=envelope.source_action_id,
                line=spoken if spoken != args.get("line") else None,
            )
        )
        self.events.publish(
            "action.finish",
            **about,
            ok=response.ok,
            elapsed_ms=elapsed,
            snapshot_generation=response.snapshot_generation,
            error_kind=response.error_kind,
        )
        self._tell_sessions(before)
        return response, answer

    async def _answer(self, envelope: Command, line: Line) -> Answer:
        command = line.command
        try:
            if command is None:
                return Answer()
            if advice := _OF_ONE_CALLER.get(type(command)):
                raise NotSupported(f"{type(command).spec.name} is for a host with one caller", advice)
            check_backend(envelope.backend)
            if type(command).spec.host:
                name = line.session or envelope.session
                return await self.hosting.perform(command, name, partial(self._opened, name, envelope.settings))
            self._limit_sessions(line.session or envelope.session)
            return await self.sessions.execute_in(envelope.session, line, envelope.settings)
        except OrynError as error:
            return Answer(command=line.canonical.split("\n")[0].split(" ")[0], error=error)
        except Exception as error:  # a bug must cost one answer, not the daemon
            log.exception("unexpected error in %s", type(command).__name__)
            return Answer(
                command="command", error=InternalError(f"unexpected {type(error).__name__}", "Please report.")
            )

    def _opened(self, name: str, settings: Mapping[str, Any]) -> Session:
        self._limit_sessions(name)
        return self.sessions.reach(name, settings)

    def _limit_sessions(self, name: str) -> None:
        names = self.sessions.names
        if self._most_sessions and name not in names and len(names) >= self._most_sessions:
            raise SessionLimit(f"{len(names)} sessions are open already")

    def _response(
        self, envelope: Command, answer: Answer, action: str, session: str, action_id: str, elapsed: float
    ) -> Response:
        found = self.sessions.get(session)
        generation = found.generation if found else None
        data = jsonform.form(answer)
        for told_elsewhere in ("ok", "error"):
            data.pop(told_elsewhere, None)
        if envelope.source_action_id:
            data["source_action_id"] = envelope.source_action_id
        error = answer.error
        return Response(
            ok=answer.ok,
            action=action,
            session=session,
            action_id=action_id,
            data=data | {"snapshot_generation": generation},
            text=answer.render(),
            error=error.message if error else None,
            error_kind=error_kind(error) if error else None,
            hint=error.hint if error else None,
            elapsed_ms=elapsed,
            snapshot_generation=generation,
        )

    def _spoken(self, line: Line | None, answer: Answer, session: str) -> tuple[str | None, bool]:
        """The line as the history may have it, and whether something was withheld.

        What is no command may hold a password anywhere: nothing of it is kept. Neither is text that did not reach its
        field, for nobody has seen whether it was one for passwords."""
        command = line.command if line else None
        if line is None or command is None:
            return None, line is None
        if isinstance(command, Type) and answer.error is not None:
            return render(command.replace(text=MASK)), True
        found = self.sessions.get(session)
        spoken = found.spoken(line, command) if found else render(command.masked())
        if MASK in answer.command and MASK not in spoken:
            spoken = answer.command
        return spoken, MASK in spoken

    def _tell_sessions(self, before: set[str]) -> None:
        after = set(self.sessions.names)
        for name in after - before:
            self.events.publish("session.opened", session=name)
        for name in before - after:
            self.events.publish("session.closed", session=name)
