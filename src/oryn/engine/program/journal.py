"""Records of the commands of a program, which a host with a history keeps."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from oryn.engine.output.answer import Answer
    from oryn.language import Line


class ProgramJournal(Protocol):
    """Records the commands of one program. `id` is that of the program's own record."""

    @property
    def id(self) -> str: ...

    def begin(self, line: Line) -> Callable[[Answer], object]:
        """Record that a command begins. What is returned is called with its answer."""


PROGRAM_JOURNAL: ContextVar[ProgramJournal | None] = ContextVar("PROGRAM_JOURNAL", default=None)
"""The journal of the program that the current task runs; None if the host keeps none."""
