"""Registry and dispatch of the commands that only the host of sessions can run (`oryn.language.commands.host`).

They don't wait for a session's lock, so they also reach a session that is busy."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from importlib import import_module
from typing import TYPE_CHECKING, Any

from oryn.daemon.research_process import ResearchProcessClient
from oryn.engine import Answer
from oryn.engine.handlers.registry import CommandRegistry
from oryn.errors import NotSupported, OrynError, SessionNotFound
from oryn.language.commands.host import CloseSession
from oryn.language.render import render_command

if TYPE_CHECKING:
    from oryn.daemon.event_bus import EventBus
    from oryn.engine import Session
    from oryn.language import Command
    from oryn.sessions.sessions import Sessions
    from oryn.settings import Configuration

DAEMON_COMMANDS = CommandRegistry(
    lambda module: import_module(f"oryn.daemon.{module}"),
    {
        "The host": ("session_commands", "login.interactive"),
        "Research": ("research.commands",),
    },
)
"""The commands that the daemon runs. A handler is called with the `HostCommands`, the session's name, the command, and
a `SessionOpener`."""

APPROVES: ContextVar[bool] = ContextVar("APPROVES", default=False)
"""Whether the current command comes from a person, who may approve another: its request has the person's key, or the
person's own program has asked them."""


class SessionOpener:
    """Opens the session that a command is for.

    `settings` are those in the request: of the session, and of research. Calling the opener returns the session, which
    is created if it does not exist. It raises what creating a session raises (`Sessions.get_or_open`)."""

    __slots__ = ("_open", "settings")

    def __init__(self, open: Callable[[], Session], settings: Mapping[str, Any]) -> None:
        self._open = open
        self.settings = settings

    def __call__(self) -> Session:
        return self._open()


class HostCommands:
    """Runs the host commands of one daemon."""

    def __init__(self, sessions: Sessions, configuration: Configuration, events: EventBus) -> None:
        self.sessions = sessions
        self.events = events
        self.configuration = configuration
        self.research_process = ResearchProcessClient(configuration.settings.research_idle)

    async def close(self) -> None:
        """End the research process, if it runs."""
        await self.research_process.close()

    async def perform(self, command: Command, session: str, opener: SessionOpener) -> Answer:
        """Run `command` for the session of this name, which `opener` opens if needed.

        Errors of the command (`OrynError`) are in the answer and not raised; without a handler that is
        `NotSupported`."""
        handler = DAEMON_COMMANDS.handler_of(type(command))
        try:
            if handler is None:
                raise NotSupported
            answer = await handler(self, session, command, opener)
        except OrynError as error:
            answer = Answer(error=error)
        answer.command = answer.command or render_command(command)
        return answer


@DAEMON_COMMANDS.handles(CloseSession)
async def _close(host: HostCommands, session: str, command: CloseSession, opener: SessionOpener) -> Answer:
    existing = host.sessions.own_of([*host.sessions.names, *host.sessions.dormant])
    names = existing if command.all else [session]
    if not command.all and session not in existing:
        raise SessionNotFound.among(existing)
    # In parallel: a session that is slow to close does not delay the others.
    await asyncio.gather(*(host.sessions.close_session(name) for name in names))
    return Answer(lines=[f"closed {', '.join(names)}" if names else "no session is open"], data={"closed": names})
