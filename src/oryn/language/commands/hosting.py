"""*The host*: what only a host with doors can do. No lines of the language: there these verbs mean something else, or
nothing.

`Hosting.perform` of the daemon runs them; none of them waits for the session's lock."""

from __future__ import annotations

from oryn.language.command import Command, flag

__all__ = ["HOST_COMMANDS", "CloseSession"]

_FAMILY = "The host"


class CloseSession(Command, path="close", family=_FAMILY, host=True, help="End the session, even a busy one"):
    """The session that the command is for, or with `--all` every session of the host."""

    all: bool = flag("every session")


HOST_COMMANDS: tuple[type[Command], ...] = (CloseSession,)
"""Every one of them."""
