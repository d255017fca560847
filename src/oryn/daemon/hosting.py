"""What only the host of sessions can do (`oryn.language.commands.hosting`): these commands pass a session's lock by,
and so also reach one that is busy.

The module of a family registers what performs its commands; it is imported when one of them comes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from oryn.daemon.research_worker import Researching
from oryn.engine import Answer
from oryn.errors import NotSupported, OrynError, SessionNotFound
from oryn.language.commands.hosting import CloseSession
from oryn.language.render import render_command

if TYPE_CHECKING:
    from oryn.daemon.logging_in import Login
    from oryn.engine import Session
    from oryn.language import Command
    from oryn.sessions.sessions import Sessions
    from oryn.settings import Configuration

Performer = TypeVar("Performer", bound=Callable[..., Awaitable[Answer]])

FAMILIES: tuple[str, ...] = (
    "oryn.daemon.confirming",
    "oryn.daemon.logging_in",
    "oryn.daemon.captcha",
    "oryn.daemon.network",
    "oryn.daemon.research",
)
"""Modules that register more performers."""

_performers: dict[type, Callable[..., Awaitable[Answer]]] = {}
_openers: set[type] = set()


class Open:
    """Called, it gives the session that a command is for, made where there is none yet; raises what making one does.
    `settings` is what the command's caller says: of the session, and of research."""

    __slots__ = ("_open", "settings")

    def __init__(self, open: Callable[[], Session], settings: Mapping[str, Any]) -> None:
        self._open = open
        self.settings = settings

    def __call__(self) -> Session:
        return self._open()


def performs(*commands: type, opens: bool = False) -> Callable[[Performer], Performer]:
    """Register what performs commands: called with the host, the session's name and the command; one that `opens` the
    session where it is not open yet also with what does that (`Open`)."""

    def register(performer: Performer) -> Performer:
        for command in commands:
            _performers[command] = performer
            if opens:
                _openers.add(command)
        return performer

    return register


class Hosting:
    """A host's own commands."""

    def __init__(self, sessions: Sessions, configuration: Configuration) -> None:
        self.sessions = sessions
        self.configuration = configuration
        self.researching = Researching(configuration.settings.research_idle)
        self.logins: dict[Session, Login] = {}
        """Those that wait for a person now."""

    async def close(self) -> None:
        """End what was started for it."""
        await self.researching.close()

    async def perform(self, command: Command, session: str, opened: Open) -> Answer:
        """Never raises for what a command says. `opened` opens the session for a command that may."""
        for module in FAMILIES:
            import_module(module)
        performer = _performers.get(type(command))
        try:
            if performer is None:
                raise NotSupported
            more = (opened,) if type(command) in _openers else ()
            answer = await performer(self, session, command, *more)
        except OrynError as error:
            answer = Answer(error=error)
        answer.command = answer.command or render_command(command)
        return answer


@performs(CloseSession)
async def _close(hosting: Hosting, session: str, command: CloseSession) -> Answer:
    known = [*hosting.sessions.names, *hosting.sessions.dormant]
    names = known if command.all else [session]
    if not command.all and session not in known:
        raise SessionNotFound.among(known)
    # At once: one that is slow to end keeps none of the others.
    await asyncio.gather(*(hosting.sessions.close_session(name) for name in names))
    return Answer(lines=[f"closed {', '.join(names)}" if names else "no session is open"], data={"closed": names})
