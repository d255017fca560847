"""One tab's conversation with the browser: a session for its top document, and one for each frame that lives in a
process of its own.
"""

from __future__ import annotations

from oryn.browsers.cdp.calls import RENDERER, Calls
from oryn.browsers.cdp.connection import Session
from oryn.browsers.common.life import Life
from oryn.errors import DialogOpen, OrynError


class Channel(Life, Calls):
    """One tab's conversation with the browser."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.sessions: list[Session] = [session]

    def family(self, session: Session) -> list[Session]:
        """A session, and those of the frames within its own, innermost first: with its process they all end."""
        return [each for each in reversed(self.sessions) if session in each.lineage()]

    def interrupt(self, reason: OrynError) -> None:
        for session in self.sessions:
            if isinstance(reason, DialogOpen):
                session.connection.interrupt(session, reason, RENDERER)
            else:
                session.connection.interrupt(session, reason)
