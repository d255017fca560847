"""Commands that wait for a person's yes (the setting `confirm`).

The agent that gave a command can't say it: `confirm` is no line of the language. A host asks its person, or is asked by
one, and calls `Session.confirmations`.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from oryn.engine.answer import Answer
from oryn.engine.elements import label
from oryn.engine.execute import masked
from oryn.errors import ConfirmationNotFound, ConfirmationRequired
from oryn.language import Command, Id, Line, render
from oryn.records import Record

if TYPE_CHECKING:
    from oryn.engine.session import Session

SECONDS = 60.0
"""How long a command waits."""
MOST = 50
"""Commands of a session that wait at once; the one that waits longest gives way."""


class Waiting(Record):
    """A command that waits until `end`, of the clock that never goes back."""

    id: str
    line: Line
    shown: str
    end: float


class Confirmations:
    """Those of one session. A confirmed command runs as if it were given then: what it finds is the page of then."""

    def __init__(self, session: Session, clock: Callable[[], float] = time.monotonic) -> None:
        self._session = session
        self._clock = clock
        self._waiting: dict[str, Waiting] = {}
        self._agreed: list[Command] = []

    def ask(self, command: Command) -> None:
        """Let a command pass that somebody has said yes to. Raises `ConfirmationRequired` for every other."""
        if any(command is agreed for agreed in self._agreed):
            return
        self._forget_old()
        again = next((each for each in self._waiting.values() if each.line.command == command), None)
        waiting = self._added(command, again.id if again else f"c_{secrets.token_hex(4)}")
        named = waiting.id if self._session.name == "default" else f"{waiting.id} --session {self._session.name}"
        raise ConfirmationRequired(
            f"{waiting.shown} waits for a person's yes: {waiting.id}",
            f"A person says it within {SECONDS:g} s: 'oryn confirm {named}', or 'oryn deny {named}'. The prompt of "
            "'oryn headless' asks them; its line protocol and scripts can't.",
            waiting.id,
            self._session.name,
            waiting.shown,
        )

    async def confirm(self, id: str, *, json: bool | None = None) -> Answer:
        """Run a command that waits, and answer it. An identifier counts once."""
        try:
            waiting = self._taken(id)
        except ConfirmationNotFound as error:
            return Answer(command=f"confirm {id}", error=error, json=bool(json))
        command = waiting.line.command
        assert command is not None
        self._agreed.append(command)
        try:
            return await self._session.execute(waiting.line, json=json)
        finally:
            self._agreed.remove(command)

    def deny(self, id: str) -> Answer:
        """Drop a command that waits."""
        try:
            waiting = self._taken(id)
        except ConfirmationNotFound as error:
            return Answer(command=f"deny {id}", error=error)
        return Answer(command=f"deny {id}", lines=[f"dropped: {waiting.shown}"], data={"dropped": waiting.shown})

    def _added(self, command: Command, id: str) -> Waiting:
        while len(self._waiting) >= MOST:
            del self._waiting[next(iter(self._waiting))]
        self._waiting[id] = waiting = Waiting(id, Line.of(command), self._shown(command), self._clock() + SECONDS)
        return waiting

    def _taken(self, id: str) -> Waiting:
        self._forget_old()
        if id not in self._waiting:
            raise ConfirmationNotFound(f"nothing waits as {id} in the session {self._session.name}")
        return self._waiting.pop(id)

    def _forget_old(self) -> None:
        now = self._clock()
        for waiting in [each for each in self._waiting.values() if each.end <= now]:
            del self._waiting[waiting.id]

    def _shown(self, command: Command) -> str:
        """`click 5 ([5] button "Delete")`: a person knows no numbers."""
        text = render(masked(self._session, command))
        target = getattr(command, "target", None)
        number = target.number if isinstance(target, Id) else None
        element = (self._session.view.elements or {}).get(number) if number is not None else None
        return f"{text} ({label(element)})" if element else text
