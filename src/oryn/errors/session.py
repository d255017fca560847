"""Errors of sessions, and of the commands in their history."""

from __future__ import annotations

from collections.abc import Iterable

from oryn.errors.base import OrynError


class SessionNotFound(OrynError):
    """No session has that name, or no session is open."""

    code = "SESSION_NOT_FOUND"
    exit_code = 10

    def __init__(self, message: str = "session not found", hint: str | None = None) -> None:
        super().__init__(message, hint)

    @classmethod
    def among(cls, names: Iterable[str], requested: str = "") -> SessionNotFound:
        """The error for the name `requested`, with the names of the open sessions as its hint."""
        listed = ", ".join(names)
        hint = f"Sessions: {listed}." if listed else "Run 'session new <name>': no session is open."
        if requested.startswith("tab") and requested[3:].isdecimal():
            hint += (
                f" '@{requested}' is for an open session in the user's own browser: give that a line without it first."
            )
        return cls(hint=hint)


class SessionExists(OrynError):
    """Another session has that name."""

    code = "SESSION_EXISTS"
    exit_code = 10


class SessionUnreachable(OrynError):
    """A session of another process does not answer, or takes no commands."""

    code = "SESSION_UNREACHABLE"
    exit_code = 10
    advice = "Run 'sessions' to see which there are."


class SessionLimit(OrynError):
    """As many sessions are open as the host allows."""

    code = "SESSION_LIMIT"
    exit_code = 10
    advice = "Close one: 'sessions' lists them."


class ActionNotFound(OrynError):
    """No row of the history has this id."""

    code = "ACTION_NOT_FOUND"
    advice = "'oryn daemon trace' lists the history."


class NotReplayable(OrynError):
    """The command can't be repeated: it contained a secret, or needs a person."""

    code = "NOT_REPLAYABLE"


class Cancelled(OrynError):
    """The client cancelled the command while it was running."""

    code = "CANCELLED"
    advice = "What it had done by then is done: look before going on."

    def __init__(self, message: str = "cancelled by the client that sent it", hint: str | None = None) -> None:
        super().__init__(message, hint)
