"""One command on its way through the daemon, and what the history may have of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from oryn.daemon.history import Row
from oryn.errors import DaemonFailed
from oryn.language import MASK, Line, Type, render
from oryn.records import Record

if TYPE_CHECKING:
    from oryn.daemon.protocol import Command, Response
    from oryn.engine import Answer, Session
    from oryn.errors import LanguageError

LARGEST_ARGUMENTS = 16 * 1024
"""Characters of a row's arguments; of longer ones the beginning is kept, and the row can't be replayed."""
_CUT = 1_000


class Asked(Record):
    """A command on its way. `line` is None for what is no command, of which `error` tells; `begun` is a reading of
    the clock that never goes back, in seconds."""

    envelope: Command
    line: Line | None
    error: LanguageError | None
    action: str
    session: str
    action_id: str
    ts: str
    begun: float

    @property
    def about(self) -> dict[str, Any]:
        """What its events tell."""
        return {"action_id": self.action_id, "session": self.session, "action": self.action}

    @property
    def opens(self) -> bool:
        """Whether it takes a browser's time: what is no command, or the host's own, does not."""
        command = self.line.command if self.line else None
        return command is not None and not type(command).spec.host

    def row_begun(self, session: Session | None) -> Row:
        """The row of a command that a daemon began and did not end, for the one after it to find."""
        told = self._arguments(*self._spoken(None, session))
        return self._row(
            told,
            error_kind=DaemonFailed.code.lower(),
            error="the daemon ended in the middle of the command",
        )

    def row_done(self, response: Response, answer: Answer, session: Session | None, backend: str | None) -> Row:
        return self._row(
            self._arguments(*self._spoken(answer, session)),
            ok=response.ok,
            elapsed_ms=response.elapsed_ms,
            snapshot_generation=response.snapshot_generation,
            error_kind=response.error_kind,
            # What is wrong with a line may be a piece of it.
            error=None if self.line is None else response.error,
            backend=backend,
        )

    def _row(self, told: dict[str, Any], *, ok: bool = False, elapsed_ms: float = 0.0, **outcome: Any) -> Row:
        return Row(
            action_id=self.action_id,
            ts=self.ts,
            elapsed_ms=elapsed_ms,
            ok=ok,
            session=self.session,
            action=self.action,
            source_action_id=self.envelope.source_action_id,
            **told,
            **outcome,
        )

    def _arguments(self, spoken: str | None, withheld: bool) -> dict[str, Any]:
        """What a row tells of the arguments: those of the envelope, where nothing was withheld, else its line."""
        if spoken is None:
            return {"args": {}, "withheld": withheld}
        if self.envelope.action and not withheld:
            if len(json.dumps(self.envelope.args)) <= LARGEST_ARGUMENTS:
                return {"args": self.envelope.args, "line": spoken}
        elif len(spoken) <= LARGEST_ARGUMENTS:
            return {"args": {"line": spoken}, "withheld": withheld}
        return {"args": {"line": f"{spoken[:_CUT]}…"}, "withheld": True}

    def _spoken(self, answer: Answer | None, session: Session | None) -> tuple[str | None, bool]:
        """The line as the history may have it, and whether something was withheld. There is no answer yet of a command
        that begins.

        What is no command may hold a password anywhere: nothing of it is kept. Neither is text that did not reach its
        field, for nobody has seen whether it was one for passwords."""
        command = self.line.command if self.line else None
        if self.line is None or command is None:
            return None, self.line is None
        if isinstance(command, Type) and (answer is None or answer.error is not None):
            return render(command.replace(text=MASK)), True
        spoken = session.spoken(self.line, command) if session else render(command.masked())
        if answer is not None and MASK in answer.command and MASK not in spoken:
            spoken = answer.command
        return spoken, MASK in spoken
