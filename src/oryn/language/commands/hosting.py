"""*The host*: what only a host with doors can do. No lines of the language: there these verbs mean something else, or
nothing.

`Hosting.perform` of the daemon runs them; none of them waits for the session's lock."""

from __future__ import annotations

from oryn.language.command import Command, argument, flag
from oryn.language.kinds import NAME

__all__ = ["HOST_COMMANDS", "CloseSession", "Confirm", "Deny"]

_FAMILY = "The host"


class CloseSession(Command, path="close", family=_FAMILY, host=True, help="End the session, even a busy one"):
    """The session that the command is for, or with `--all` every session of the host."""

    all: bool = flag("every session")


class Confirm(
    Command,
    path="confirm",
    family=_FAMILY,
    host=True,
    help="Say yes to a command that waits for it",
    example="confirm c_3f9a1c20",
):
    """A person's yes (the setting `confirm`); the command runs now, and its answer is this one's."""

    id: str = argument(NAME, "what the command waits as")


class Deny(Command, path="deny", family=_FAMILY, host=True, help="Say no to a command that waits for a yes"):
    """The command is dropped."""

    id: str = argument(NAME, "what the command waits as")


HOST_COMMANDS: tuple[type[Command], ...] = (CloseSession, Confirm, Deny)
"""Every one of them."""
