"""What an agent asks the user, who says yes or no in the popup, where no page has a hand in it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from oryn.engine import Session
from oryn.engine.confirming import SECONDS
from oryn.engine.escape import one_line
from oryn.errors import ConfirmationRequired
from oryn.records import Record

STIR_SECONDS = 20.0
LONGEST = 5000
"""Characters that are shown of a command. What is longer says so: nobody should agree to what they can't see."""


class Question(Record):
    """One that is open. `command` is on one line, with its secrets masked."""

    id: str
    command: str
    answer: asyncio.Future[bool]

    def data(self) -> dict[str, Any]:
        return {"id": self.id, "command": self.command}


class Questions:
    """`changed` is called when one is asked, and when it is one no more; `stir` now and then while one is open, for a
    worker that hears nothing and says nothing is ended after 30 seconds
    (https://developer.chrome.com/docs/extensions/develop/concepts/service-workers/lifecycle)."""

    def __init__(self, changed: Callable[[], object], stir: Callable[[], object]) -> None:
        self._changed = changed
        self._stir = stir
        self.open: Question | None = None

    async def agrees(self, session: Session, waits: ConfirmationRequired) -> bool:
        """Ask whether a command may be done. No answer in a minute is a no: the command waits no longer."""
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self.open = Question(waits.id or "", _shown(waits.shown), answer)
        self._changed()
        try:
            async with asyncio.timeout(SECONDS):
                while not (await asyncio.wait([answer], timeout=STIR_SECONDS))[0]:
                    self._stir()
            return answer.result()
        except TimeoutError:
            return False
        finally:
            self.open = None
            self._changed()

    def answer(self, id: str, *, agreed: bool) -> None:
        """The user says yes or no to the question that they saw, which may be over."""
        if self.open is not None and self.open.id == id and not self.open.answer.done():
            self.open.answer.set_result(agreed)


def _shown(command: str) -> str:
    line = one_line(command)
    more = len(line) - LONGEST
    return line if more <= 0 else f"{line[:LONGEST]}… and {more} characters more"
