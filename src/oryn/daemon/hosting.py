"""What only the host of sessions can do (`oryn.language.commands.hosting`): these commands pass a session's lock by,
and so also reach one that is busy.

The module of a family registers what performs its commands; it is imported when one of them comes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from oryn.engine import Answer
from oryn.errors import NotSupported, OrynError, SessionNotFound
from oryn.language.commands.hosting import CloseSession
from oryn.language.render import render_command

if TYPE_CHECKING:
    from oryn.language import Command
    from oryn.sessions.sessions import Sessions

Performer = TypeVar("Performer", bound=Callable[..., Awaitable[Answer]])

FAMILIES: tuple[str, ...] = ("oryn.daemon.confirming",)
"""Modules that register more performers."""

_performers: dict[type, Callable[[Hosting, str, Any], Awaitable[Answer]]] = {}


def performs(*commands: type) -> Callable[[Performer], Performer]:
    """Register what performs commands: called with the host, the session's name and the command."""

    def register(performer: Performer) -> Performer:
        for command in commands:
            _performers[command] = performer
        return performer

    return register


class Hosting:
    """A host's own commands. `settings` are those of the envelope, for a session that is opened."""

    def __init__(self, sessions: Sessions) -> None:
        self.sessions = sessions

    async def perform(self, command: Command, session: str) -> Answer:
        """Never raises for what a command says."""
        for module in FAMILIES:
            import_module(module)
        performer = _performers.get(type(command))
        try:
            if performer is None:
                raise NotSupported
            answer = await performer(self, session, command)
        except OrynError as error:
            answer = Answer(error=error)
        answer.command = answer.command or render_command(command)
        return answer


@performs(CloseSession)
async def _close(hosting: Hosting, session: str, command: CloseSession) -> Answer:
    names = hosting.sessions.names if command.all else [session]
    if not command.all and session not in names:
        raise SessionNotFound.among(hosting.sessions.names)
    for name in names:
        await hosting.sessions.close_session(name)
    return Answer(lines=[f"closed {', '.join(names)}" if names else "no session is open"], data={"closed": names})
