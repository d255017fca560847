"""Limits and confirmations of the agent's sessions.

They can't read or write files, because a chat takes none, nor take screenshots, for which a tab would have to be
activated. Risky commands wait until the user confirms them in the popup, which no page can reach."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from oryn.agent import RISKY
from oryn.browsers.base import Browser
from oryn.core.records import Record
from oryn.core.text_safety import one_line
from oryn.engine import Session
from oryn.engine.file_access import Files
from oryn.engine.policy.confirmations import CONFIRMATION_SECONDS
from oryn.engine.policy.policy import Policy
from oryn.errors import ConfirmationRequired, NotSupported
from oryn.extension.router import create_session
from oryn.language import Command, Screenshot, Zoom


class NoFiles(Files):
    """Refuses every path."""

    def _absolute(self, path: str) -> Path:
        raise NotSupported(hint="An agent in a chat has no files.")


class ChatPolicy(Policy):
    """The policy for the model of a chat."""

    def check(self, command: Command) -> None:
        """Raises also `NotSupported`."""
        super().check(command)
        if isinstance(command, Screenshot | Zoom):
            raise NotSupported(hint="A chat takes no pictures: 'text' says what is on the page.")


def create_agent_session(browser: Browser, name: str, *, asks: bool) -> Session:
    """A session for an agent. If it `asks`, `RISKY` commands wait until the user confirms them."""
    session = create_session(browser, name)
    session.files = NoFiles()
    session.options = session.options.replace(policy=ChatPolicy.of(confirm=RISKY if asks else ()) or ChatPolicy())
    return session


KEEP_ALIVE_SECONDS = 20.0
MAX_COMMAND_CHARACTERS = 5000
"""Characters of a command in a question. A longer one says so: users should not confirm what they can't see."""


class AgentQuestion(Record):
    """An open question. `command` is on one line, with its secrets masked."""

    id: str
    command: str
    answer: asyncio.Future[bool]

    def data(self) -> dict[str, Any]:
        """The question as JSON data for the popup."""
        return {"id": self.id, "command": self.command}


class AgentQuestions:
    """Asks the user to confirm commands, one at a time."""

    def __init__(self, changed: Callable[[], object], keep_alive: Callable[[], object]) -> None:
        """`changed` is called when a question is opened or closed; `keep_alive` now and then in between, because the
        browser ends a worker after 30 seconds without events or calls
        (https://developer.chrome.com/docs/extensions/develop/concepts/service-workers/lifecycle)."""
        self._changed = changed
        self._keep_alive = keep_alive
        self.open: AgentQuestion | None = None

    async def confirm(self, session: Session, waits: ConfirmationRequired) -> bool:
        """Ask the user whether a command may run. No answer within `CONFIRMATION_SECONDS` is a no."""
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self.open = AgentQuestion(waits.id or "", _display_command(waits.command_text), answer)
        self._changed()
        try:
            async with asyncio.timeout(CONFIRMATION_SECONDS):
                while not (await asyncio.wait([answer], timeout=KEEP_ALIVE_SECONDS))[0]:
                    self._keep_alive()
            return answer.result()
        except TimeoutError:
            return False
        finally:
            self.open = None
            self._changed()

    def answer(self, id: str, *, agreed: bool) -> None:
        """Answer the question `id`. Does nothing if it is no longer open."""
        if self.open is not None and self.open.id == id and not self.open.answer.done():
            self.open.answer.set_result(agreed)


def _display_command(command: str) -> str:
    line = one_line(command)
    more = len(line) - MAX_COMMAND_CHARACTERS
    return line if more <= 0 else f"{line[:MAX_COMMAND_CHARACTERS]}… and {more} characters more"
