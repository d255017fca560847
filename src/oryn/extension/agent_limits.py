"""What the sessions of an agent may not do: read and write files, for a chat takes none, and take pictures, for which
a tab would have to come to the front. What is risky waits for the user's yes. Pure."""

from __future__ import annotations

from pathlib import Path

from oryn.agent import RISKY
from oryn.browsers.base import Browser
from oryn.engine import Session
from oryn.engine.files import Files
from oryn.engine.policy import Policy
from oryn.errors import NotSupported
from oryn.extension.router import session_of
from oryn.language import Command, Screenshot


class NoFiles(Files):
    """Every path is refused."""

    def _absolute(self, path: str) -> Path:
        raise NotSupported(hint="An agent in a chat has no files.")


class ChatPolicy(Policy):
    """Of the model of a chat."""

    def check(self, command: Command) -> None:
        """Raises also `NotSupported`."""
        super().check(command)
        if isinstance(command, Screenshot):
            raise NotSupported(hint="A chat takes no pictures: 'text' says what is on the page.")


def agent_session(browser: Browser, name: str, *, asks: bool) -> Session:
    """A session as an agent is given one. `asks`: `RISKY` commands wait for a yes."""
    session = session_of(browser, name)
    session.files = NoFiles()
    session.options = session.options.replace(policy=ChatPolicy.of(confirm=RISKY if asks else ()) or ChatPolicy())
    return session
