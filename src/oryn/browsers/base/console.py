"""What a session's console must offer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from oryn.errors import NotSupported

MessageLevel = Literal["log", "info", "warn", "error"]


@dataclass(frozen=True, slots=True)
class Message:
    """One message on the console, or one error that nothing caught."""

    level: MessageLevel
    text: str
    """The page's words."""
    time: float
    """Unix time in seconds."""
    url: str = ""
    """The script that it comes from, where that is known."""
    line: int | None = None
    """From 1."""
    stack: str = ""
    """An error's calls, innermost first, a line each."""


class Console:
    """One session's console, captured from each document's start. It keeps the latest messages of all tabs."""

    def messages(self) -> Sequence[Message]:
        """Oldest first."""
        raise NotSupported

    def errors(self) -> Sequence[Message]:
        """Errors that no script caught, oldest first."""
        raise NotSupported

    def clear_messages(self) -> int:
        """How many there were."""
        raise NotSupported

    def clear_errors(self) -> int:
        """How many there were."""
        raise NotSupported
