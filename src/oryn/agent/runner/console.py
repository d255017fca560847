"""The terminal of an agent run: prints progress, reads corrections, asks for confirmations.

No text of a model or a page reaches the terminal as a control sequence."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from oryn.agent.runner.transcript import summarize_message
from oryn.core.text_safety import one_line, visible
from oryn.engine.policy.confirmations import CONFIRMATION_SECONDS
from oryn.errors import UnexpectedInput
from oryn.hosts.terminal import colourize
from oryn.sessions.framing import OversizedLine, decode_line

if TYPE_CHECKING:
    from oryn.agent import Turn
    from oryn.agent.runner.loop import AgentRunResult
    from oryn.agent.runner.transcript import AgentTranscript
    from oryn.engine import Session
    from oryn.errors import ConfirmationRequired, ModelError
    from oryn.models.responses import ModelReply, Usage

Lines = AsyncIterable[bytes | OversizedLine]


class NoConsoleInput:
    """Used if there is no terminal: reads nothing and denies each confirmation."""

    def __init__(self, transcript: AgentTranscript) -> None:
        self._transcript = transcript

    async def listen(self, correct: Callable[[str], None]) -> None:
        """Return at once: there are no corrections."""
        return

    async def confirm(self, session: Session, waits: ConfirmationRequired) -> bool:
        """Deny the confirmation, and write that to the transcript."""
        self._transcript.write("confirmation", asked=waits.message, said=None, agreed=False)
        return False


class ConsoleInput:
    """Reads `lines` from the terminal. A line is a correction unless a confirmation is open. A line that was typed
    before a question never answers it."""

    def __init__(self, lines: Lines, say: Callable[[str], None], transcript: AgentTranscript) -> None:
        self._lines = lines
        self._say = say
        self._transcript = transcript
        self._question: asyncio.Future[str] | None = None
        self._is_open = True

    async def listen(self, correct: Callable[[str], None]) -> None:
        """Read lines until the terminal's end (Ctrl-D), and pass corrections to `correct`."""
        async for line in self._lines:
            try:
                text = decode_line(line).strip()
            except UnexpectedInput as error:
                self._say(f"# {error.message}")
                continue
            if self._question is not None and not self._question.done():
                self._question.set_result(text)
            elif text:
                self._transcript.write("correction", content=text)
                correct(text)
                self._say("# sent with the next message")
        self._is_open = False
        if self._question is not None and not self._question.done():
            self._question.set_result("")

    async def confirm(self, session: Session, waits: ConfirmationRequired) -> bool:
        """Ask the user whether to run a command. If there is no answer within a minute, when the confirmation expires,
        the result is False."""
        if not self._is_open:
            return await NoConsoleInput(self._transcript).confirm(session, waits)
        self._question = asyncio.get_running_loop().create_future()
        self._say(f"{waits.message}\nDo it? [y/N] ")
        try:
            async with asyncio.timeout(CONFIRMATION_SECONDS):
                reply = await self._question
        except TimeoutError:
            reply = ""
        agreed = reply.lower() in ("y", "yes")
        self._transcript.write("confirmation", asked=waits.message, said=reply, agreed=agreed)
        return agreed


Write = Callable[[str], object]


class ConsoleOutput:
    """Prints the progress of a run; a `RunObserver`. `write` takes text that may end anywhere in a line."""

    def __init__(self, write: Write | None = None, *, in_colour: bool = False) -> None:
        self._write = write or _standard_output
        self._in_colour = in_colour
        self._in_line = False

    def say(self, line: str) -> None:
        """Print a line of Oryn's own."""
        self._end_line()
        self._write(f"{colourize(line) if self._in_colour else line}\n")

    def on_text(self, text: str) -> None:
        """Print a piece of the model's response."""
        printable = visible(text)
        self._write(printable)
        self._in_line = bool(printable) and not printable.endswith("\n") if printable else self._in_line

    def on_retry(self, error: ModelError, seconds: float) -> None:
        self.say(f"# {error.message}: once more in {seconds:.1f} s")

    def on_replied(self, reply: ModelReply) -> None:
        if reply.cut:
            self.say("# the model's reply was cut off: it had no room for more")
        self._end_line()

    def on_turned(self, turn: Turn) -> None:
        """Print the message to the model, or the model's final answer unless the reply that was already printed has
        it."""
        lines = summarize_message(turn.message or "")
        if turn.outcome == "finished" and turn.call:  # otherwise it is the response already printed
            lines = (turn.answer or "").splitlines()
        for line in lines:
            self.say(one_line(line))
        self._write("\n")

    def on_shortened(self, count: int) -> None:
        self.say(f"# the conversation is too long for the model: the {count} oldest messages are left out")

    def _end_line(self) -> None:
        if self._in_line:
            self._write("\n")
            self._in_line = False


class SilentOutput:
    """A `RunObserver` that prints nothing."""

    def say(self, line: str) -> None: ...
    def on_text(self, text: str) -> None: ...
    def on_retry(self, error: ModelError, seconds: float) -> None: ...
    def on_replied(self, reply: ModelReply) -> None: ...
    def on_turned(self, turn: Turn) -> None: ...
    def on_shortened(self, count: int) -> None: ...


def result_lines(ended: AgentRunResult, transcript: Path, page: Path) -> list[str]:
    """Return the lines that report how a run ended."""
    steps = f"{ended.steps} step{'' if ended.steps == 1 else 's'}"
    return [
        f"# {ended.outcome} after {steps}, {format_usage(ended.usage, ended.cost)}",
        f"# transcript: {transcript}",
        f"# page: {page}",
        *(
            [f"# go on: oryn agent --resume {transcript}"]
            if ended.has_conversation and ended.outcome != "finished"
            else []
        ),
    ]


def format_usage(usage: Usage, cost: float | None) -> str:
    """Format token usage and cost: `1234 tokens read and 56 written, cost 0.0031`."""
    about = "about " if usage.estimated else ""
    priced = "" if cost is None else f", cost {about}{cost:.4f}"
    return f"{about}{usage.prompt} tokens read and {usage.completion} written{priced}"


def _standard_output(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
