"""A run on a terminal: what the model says as it comes, what came of it, and how it ended.

Nothing that a model or a page says reaches the terminal as a control sequence.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from oryn.engine.escape import one_line, visible
from oryn.host.agent.summary import summary
from oryn.host.colour import coloured

if TYPE_CHECKING:
    from oryn.agent import Turn
    from oryn.errors import ModelError
    from oryn.host.agent.running import Ended
    from oryn.models.reading import Reply
    from oryn.models.usage import Usage

Write = Callable[[str], object]


class Terminal:
    """Shows a run. `write` takes text that may end anywhere in a line."""

    def __init__(self, write: Write | None = None, *, in_colour: bool = False) -> None:
        self._write = write or _standard_output
        self._in_colour = in_colour
        self._in_line = False

    def say(self, line: str) -> None:
        """A line of ours."""
        self._end_line()
        self._write(f"{coloured(line) if self._in_colour else line}\n")

    def said(self, text: str) -> None:
        """A piece of what the model says."""
        shown = visible(text)
        self._write(shown)
        self._in_line = bool(shown) and not shown.endswith("\n") if shown else self._in_line

    def again(self, error: ModelError, seconds: float) -> None:
        self.say(f"# {error.message}: once more in {seconds:.1f} s")

    def replied(self, reply: Reply) -> None:
        if reply.cut:
            self.say("# the model's reply was cut off: it had no room for more")
        self._end_line()

    def turned(self, turn: Turn) -> None:
        told = summary(turn.message or "")
        if turn.outcome == "finished" and turn.call:  # else the model has just said it
            told = (turn.answer or "").splitlines()
        for line in told:
            self.say(one_line(line))
        self._write("\n")

    def shortened(self, count: int) -> None:
        self.say(f"# the conversation is too long for the model: the {count} oldest messages are left out")

    def _end_line(self) -> None:
        if self._in_line:
            self._write("\n")
            self._in_line = False


class Silence:
    """Watches without a word."""

    def say(self, line: str) -> None: ...
    def said(self, text: str) -> None: ...
    def again(self, error: ModelError, seconds: float) -> None: ...
    def replied(self, reply: Reply) -> None: ...
    def turned(self, turn: Turn) -> None: ...
    def shortened(self, count: int) -> None: ...


def ending(ended: Ended, transcript: Path, page: Path) -> list[str]:
    """How a run ended, in lines."""
    steps = f"{ended.steps} step{'' if ended.steps == 1 else 's'}"
    return [
        f"# {ended.outcome} after {steps}, {spent(ended.usage, ended.cost)}",
        f"# transcript: {transcript}",
        f"# page: {page}",
        *([f"# go on: oryn agent --resume {transcript}"] if ended.spoken and ended.outcome != "finished" else []),
    ]


def spent(usage: Usage, cost: float | None) -> str:
    """`1234 tokens read and 56 written, cost 0.0031`."""
    about = "about " if usage.estimated else ""
    priced = "" if cost is None else f", cost {about}{cost:.4f}"
    return f"{about}{usage.prompt} tokens read and {usage.completion} written{priced}"


def _standard_output(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
