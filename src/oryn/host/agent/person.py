"""Whoever sits at the terminal: types corrections while a run goes on, and is asked about what wants a yes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, Callable
from typing import TYPE_CHECKING

from oryn.engine.confirming import SECONDS
from oryn.errors import UnexpectedInput
from oryn.sessions.framing import TooLong, text_of

if TYPE_CHECKING:
    from oryn.engine import Session
    from oryn.errors import ConfirmationRequired
    from oryn.host.agent.transcript import Transcript

Lines = AsyncIterable[bytes | TooLong]


class Nobody:
    """Where no terminal is: nothing is typed, and each answer is a no."""

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript

    async def listen(self, correct: Callable[[str], None]) -> None:
        return

    async def agrees(self, session: Session, waits: ConfirmationRequired) -> bool:
        self._transcript.write("confirmation", asked=waits.message, said=None, agreed=False)
        return False


class Person:
    """Reads `lines`, of which each is a correction unless a question is open. A line that was typed before a question
    was asked never answers it."""

    def __init__(self, lines: Lines, say: Callable[[str], None], transcript: Transcript) -> None:
        self._lines = lines
        self._say = say
        self._transcript = transcript
        self._question: asyncio.Future[str] | None = None
        self._is_there = True

    async def listen(self, correct: Callable[[str], None]) -> None:
        """Until the terminal's end (Ctrl-D)."""
        async for line in self._lines:
            try:
                text = text_of(line).strip()
            except UnexpectedInput as error:
                self._say(f"# {error.message}")
                continue
            if self._question is not None and not self._question.done():
                self._question.set_result(text)
            elif text:
                self._transcript.write("correction", content=text)
                correct(text)
                self._say("# told with the next message")
        self._is_there = False
        if self._question is not None and not self._question.done():
            self._question.set_result("")

    async def agrees(self, session: Session, waits: ConfirmationRequired) -> bool:
        """Ask whether a command may be done. No answer in a minute is a no: the command waits no longer."""
        if not self._is_there:
            return await Nobody(self._transcript).agrees(session, waits)
        self._question = asyncio.get_running_loop().create_future()
        self._say(f"{waits.message}\nDo it? [y/N] ")
        try:
            async with asyncio.timeout(SECONDS):
                said = await self._question
        except TimeoutError:
            said = ""
        agreed = said.lower() in ("y", "yes")
        self._transcript.write("confirmation", asked=waits.message, said=said, agreed=agreed)
        return agreed
