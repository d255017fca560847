"""The interface of recorders of a session's commands: the journal of a trace, and the video."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from oryn.browsers.base import Browser
    from oryn.engine.output.answer import Answer
    from oryn.language import Command


class Recorder(Protocol):
    """Observes the commands of a session (`Session.recorders`). `browser` is the session's browser at that moment.

    No method raises because of a page, a browser or a disk: a command never fails because it is recorded."""

    async def before(self, browser: Browser, command: Command, canonical: str, program: Any) -> Any:
        """Called before `command` runs; `canonical` is its canonical text, secrets masked. What it returns is passed to
        `after`, and as `program` to `before` of commands that it gives; `program` is None for a line."""

    async def after(self, browser: Browser, canonical: str, answer: Answer, entry: Any) -> None:
        """Called after the command has run; the command may have received more secrets, which are masked in `canonical`
        too. Not called for a cancelled command."""

    async def close(self) -> None:
        """Called when the session ends: remove every temporary file."""


RecorderType = TypeVar("RecorderType", bound=Recorder)


def active_recorder(recorders: Iterable[Recorder], type_: type[RecorderType]) -> RecorderType | None:
    """Return the first recorder of this type, or None."""
    return next((recorder for recorder in recorders if isinstance(recorder, type_)), None)
