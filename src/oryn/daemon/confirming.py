"""`confirm` and `deny`: a person's answer to a command that waits for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.daemon.hosting import Hosting, performs
from oryn.errors import SessionNotFound
from oryn.language.commands.hosting import Confirm, Deny

if TYPE_CHECKING:
    from oryn.engine import Answer
    from oryn.engine.confirming import Confirmations


@performs(Confirm)
async def _confirm(hosting: Hosting, session: str, command: Confirm) -> Answer:
    return await _confirmations(hosting, session).confirm(command.id)


@performs(Deny)
async def _deny(hosting: Hosting, session: str, command: Deny) -> Answer:
    return _confirmations(hosting, session).deny(command.id)


def _confirmations(hosting: Hosting, session: str) -> Confirmations:
    found = hosting.sessions.get(session)
    if found is None:
        raise SessionNotFound.among(hosting.sessions.names)
    return found.confirmations
