"""Handlers of host commands about one session.

`confirm` and `deny` are a person's answer to a command that waits for it. The others are run by the session itself,
but are not lines of the language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.daemon.host_commands import APPROVES, DAEMON_COMMANDS, HostCommands, SessionOpener
from oryn.engine import Answer
from oryn.errors import SessionNotFound, Unauthorized
from oryn.language import Line
from oryn.language.commands.host import Captcha, CaptchaSolve, Confirm, Deny, NetworkList, NetworkStart, NetworkStop

if TYPE_CHECKING:
    from oryn.engine.policy.confirmations import Confirmations
    from oryn.language import Command


@DAEMON_COMMANDS.handles(Confirm)
async def _confirm(host: HostCommands, session: str, command: Confirm, opener: SessionOpener) -> Answer:
    confirmations = _confirmations(host, session)
    if not APPROVES.get():
        raise Unauthorized(
            "only a person approves a command: the request has not the person's key",
            f"Run 'oryn confirm {command.id}' in a terminal.",
        )
    return await confirmations.confirm(command.id)


@DAEMON_COMMANDS.handles(Deny)
async def _deny(host: HostCommands, session: str, command: Deny, opener: SessionOpener) -> Answer:
    return _confirmations(host, session).deny(command.id)


def _confirmations(host: HostCommands, session: str) -> Confirmations:
    found = host.sessions.get_own(session)
    if found is None:
        raise SessionNotFound.among(host.sessions.own_of(host.sessions.names))
    return found.confirmations


@DAEMON_COMMANDS.handles(Captcha, CaptchaSolve, NetworkStart, NetworkStop, NetworkList)
async def _execute(host: HostCommands, name: str, command: Command, opener: SessionOpener) -> Answer:
    return await opener().execute(Line.of(command))
