"""The interface of a session's console: the messages and uncaught errors of its pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from oryn.errors import NotSupported

MessageLevel = Literal["log", "info", "warn", "error"]


@dataclass(frozen=True, slots=True)
class ConsoleMessage:
    """A message on the console, or an uncaught error."""

    level: MessageLevel
    text: str
    """The page's text."""
    time: float
    """Unix time in seconds."""
    url: str = ""
    """The script that it comes from; empty if it is not known."""
    line: int | None = None
    """The line in the script, from 1."""
    stack: str = ""
    """The stack trace of an error: a line for each call, innermost first."""


class Console:
    """One session's console: the latest messages of all tabs, recorded from each document's start."""

    def messages(self) -> Sequence[ConsoleMessage]:
        """All messages, oldest first."""
        raise NotSupported

    def errors(self) -> Sequence[ConsoleMessage]:
        """Uncaught errors, oldest first."""
        raise NotSupported

    def clear_messages(self) -> int:
        """Delete all messages; how many there were."""
        raise NotSupported

    def clear_errors(self) -> int:
        """Delete all errors; how many there were."""
        raise NotSupported
