"""Calls of several lines that wait in the middle for a person's response, which another call brings.

The lines before it have run, so the second call must neither run them again nor leave out their answers. They stay here
and not in the `requestState` that the client sends back: it could then have lines left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from oryn.core.records import Record
from oryn.errors import ConfirmationNotFound, ConfirmationRequired

if TYPE_CHECKING:
    from oryn.engine import Answer
    from oryn.language import Line

MAX_UNFINISHED = 50
"""Maximum number of calls that wait; beyond it, the oldest is dropped."""


class UnfinishedCall(Record):
    """The lines of a call as they are written, and the answers to those that have run."""

    lines: tuple[str, ...]
    answers: list[Answer]


class UnfinishedLines:
    """The calls that wait, by the identifiers of their confirmations."""

    def __init__(self) -> None:
        self._calls: dict[str, UnfinishedCall] = {}

    def keep(self, waits: ConfirmationRequired, lines: Sequence[Line], answers: list[Answer]) -> None:
        """Keep the answers of a call whose next line waits for a confirmation."""
        assert waits.id is not None
        while len(self._calls) >= MAX_UNFINISHED:
            del self._calls[next(iter(self._calls))]
        self._calls[waits.id] = UnfinishedCall(_written(lines), answers)

    def take(self, id: str, lines: Sequence[Line]) -> list[Answer]:
        """Return the answers to the lines before the one that waits as `id`, whose response another call brings.

        Raises `ConfirmationNotFound` if no call of these lines waits so: they may have run, so none runs again."""
        call = self._calls.get(id)
        if call is None or call.lines != _written(lines):
            raise ConfirmationNotFound(f"no call of these lines waits as {id}")
        del self._calls[id]
        return call.answers


def _written(lines: Sequence[Line]) -> tuple[str, ...]:
    return tuple(line.canonical for line in lines)
