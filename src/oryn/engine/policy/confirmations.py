"""Commands that wait for a person's confirmation (the setting `confirm`).

The agent that sent a command can't confirm it: `confirm` is not a command of the language. A host prompts its person,
or receives their request, and calls `Session.confirmations`."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from typing import Protocol

from oryn.core.records import Record
from oryn.engine.output.answer import Answer
from oryn.errors import ConfirmationNotFound, ConfirmationRequired
from oryn.language import Command, Line

CONFIRMATION_SECONDS = 60.0
"""Seconds until a waiting command expires."""
MAX_PENDING = 50
"""Maximum number of waiting commands in a session; beyond it, the oldest is dropped."""


class PendingConfirmation(Record):
    """A waiting command, which expires at `end`, in seconds of the monotonic clock."""

    id: str
    line: Line
    description: str
    end: float


class LineExecutor(Protocol):
    """The interface of `Session.execute`."""

    async def __call__(self, line: Line, *, json: bool | None = None) -> Answer: ...


class Confirmations:
    """The waiting commands of one session. A confirmed command acts on the page at the time of the confirmation.

    session: the session's name, which messages contain.
    execute: runs a confirmed command.
    clock: returns the seconds of a monotonic clock."""

    def __init__(self, session: str, execute: LineExecutor, clock: Callable[[], float] = time.monotonic) -> None:
        self._session = session
        self._execute = execute
        self._clock = clock
        self._pending: dict[str, PendingConfirmation] = {}
        self._confirmed: list[Command] = []
        self._notes: dict[str, str] = {}
        self.outcomes: dict[str, Answer | None] = {}
        """The answers to the latest commands that a person has confirmed; None for those that were refused."""

    def require(self, command: Command, describe: Callable[[], str]) -> None:
        """Return if `command` was confirmed. Otherwise add it to the waiting ones, and raise `ConfirmationRequired`.

        `describe` returns the text that a person confirms."""
        if any(command is agreed for agreed in self._confirmed):
            return
        self._forget_old()
        pending = next((each for each in self._pending.values() if each.line.command == command), None)
        waiting = self._add(command, pending.id if pending else f"c_{secrets.token_hex(4)}", describe())
        arguments = waiting.id if self._session == "default" else f"{waiting.id} --session {self._session}"
        raise ConfirmationRequired(
            f"{waiting.description} waits for a person's approval: {waiting.id}",
            f"A person approves it within {CONFIRMATION_SECONDS:g} s: 'oryn confirm {arguments}', "
            f"or 'oryn deny {arguments}'. The prompt of "
            "'oryn headless' asks the person; its line protocol and scripts can't.",
            waiting.id,
            self._session,
            waiting.description,
        )

    def command(self, id: str) -> Command | None:
        """Return the command that waits under this identifier; None if there is none."""
        self._forget_old()
        waiting = self._pending.get(id)
        return waiting.line.command if waiting else None

    async def confirm(self, id: str, *, json: bool | None = None) -> Answer:
        """Run a waiting command and return its answer. Each identifier is valid once."""
        try:
            waiting = self._take(id)
        except ConfirmationNotFound as error:
            return Answer(command=f"confirm {id}", error=error, json=bool(json))
        command = waiting.line.command
        assert command is not None
        self._confirmed.append(command)
        try:
            answer = await self._execute(waiting.line, json=json)
        finally:
            self._confirmed.remove(command)
        self._note_outcome(id, answer)
        if (note := self._notes.pop(id, None)) is not None:
            answer.notes.append(note)
        return answer

    def deny(self, id: str) -> Answer:
        """Drop a waiting command."""
        try:
            waiting = self._take(id)
        except ConfirmationNotFound as error:
            return Answer(command=f"deny {id}", error=error)
        self._note_outcome(id, None)
        return Answer(
            command=f"deny {id}", lines=[f"dropped: {waiting.description}"], data={"dropped": waiting.description}
        )

    def add_note(self, id: str, note: str) -> None:
        """Add a note to the answer that the command gets when it is confirmed."""
        self._notes = {waiting: text for waiting, text in self._notes.items() if waiting in self._pending}
        self._notes[id] = note

    def _note_outcome(self, id: str, answer: Answer | None) -> None:
        while len(self.outcomes) >= MAX_PENDING:
            del self.outcomes[next(iter(self.outcomes))]
        self.outcomes[id] = answer

    def _add(self, command: Command, id: str, description: str) -> PendingConfirmation:
        while len(self._pending) >= MAX_PENDING:
            del self._pending[next(iter(self._pending))]
        self._pending[id] = waiting = PendingConfirmation(
            id, Line.of(command), description, self._clock() + CONFIRMATION_SECONDS
        )
        return waiting

    def _take(self, id: str) -> PendingConfirmation:
        self._forget_old()
        if id not in self._pending:
            raise ConfirmationNotFound(f"nothing waits as {id} in the session {self._session}")
        return self._pending.pop(id)

    def _forget_old(self) -> None:
        now = self._clock()
        for waiting in [each for each in self._pending.values() if each.end <= now]:
            del self._pending[waiting.id]
