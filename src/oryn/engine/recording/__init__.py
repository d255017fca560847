"""What a session writes down of its commands while it is told to: the trace's journal, the video."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from oryn.engine.answer import Answer
    from oryn.engine.session import Session
    from oryn.language import Command


class Recorder(Protocol):
    """Stands beside a session's commands (`Session.recorders`). None of it raises for what a page, a browser or a disk
    does: a command never fails because it is recorded."""

    async def before(self, session: Session, command: Command) -> None:
        """`command` is about to run."""

    async def after(self, session: Session, spoken: str, answer: Answer) -> None:
        """It has run; `spoken` is its canonical text, secrets masked. Not called for a command that was given up."""

    async def close(self) -> None:
        """The session ends: leave nothing behind."""


Kind = TypeVar("Kind", bound=Recorder)


def running(session: Session, kind: type[Kind]) -> Kind | None:
    """The session's recorder of this kind, or None."""
    return next((recorder for recorder in session.recorders if isinstance(recorder, kind)), None)
