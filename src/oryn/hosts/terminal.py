"""Colours and progress on a terminal.

The beginning of a line decides its colour, and page text never begins a line. Progress is reported to a listener if
there is one, else to the terminal's standard error."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from oryn.settings.types import ColourUse

RESET, BOLD, DIM, RED, GREEN, YELLOW, BLUE, CYAN = (f"\x1b[{code}m" for code in (0, 1, 2, 31, 32, 33, 34, 36))

_ELEMENT = re.compile(r"^(\[\d+\]) (\S+)(.*)$")
_PREFIX_COLOURS = {"+ ": GREEN, "- ": RED, "~ ": YELLOW, "@ ": BLUE, "# ": DIM, "| ": DIM}


def use_colour(use: ColourUse, stream: TextIO, environment: Mapping[str, str] = os.environ) -> bool:
    """Whether to colour output to `stream`. `auto` colours it on a terminal, and respects https://no-color.org and
    https://force-color.org."""
    if use != "auto":
        return use == "always"
    if environment.get("NO_COLOR"):
        return False
    return bool(environment.get("FORCE_COLOR")) or (stream.isatty() and environment.get("TERM") != "dumb")


def colourize(answer: str) -> str:
    """Add ANSI colours to an answer's text."""
    return "\n".join(map(_colourize_line, answer.split("\n")))


def _colourize_line(line: str) -> str:
    if match := _ELEMENT.match(line):
        number, kind, rest = match.groups()
        return f"{CYAN}{number}{RESET} {DIM}{kind}{RESET}{rest}"
    word, _, rest = line.partition(" ")
    if word == "ok":
        return f"{GREEN}ok{RESET} {rest}"
    if word in ("error", "error:"):
        return f"{RED}{BOLD}{word}{RESET} {rest}"
    colour = _PREFIX_COLOURS.get(line[:2])
    return f"{colour}{line}{RESET}" if colour else line


PROGRESS_LISTENER: ContextVar[Callable[[str, float], object] | None] = ContextVar("LISTENER", default=None)
"""The receiver of the progress of the command that the current task runs; None for standard error."""


def report_progress(activity: str, share: float) -> None:
    """Report a session's progress: an activity, and its completed share from 0 to 1."""
    (PROGRESS_LISTENER.get() or show_progress)(activity, share)


def stage_progress(progress: Mapping[str, Any]) -> tuple[str, float]:
    """Convert a pipeline's progress (`oryn.research.documents.ResearchProgress`) into an activity (`embed 3/12`) and a
    share."""
    done, total = progress["done"], progress.get("total")
    return f"{progress['stage']} {done}" + (f"/{total}" if total else ""), done / total if total else 0.0


def show_progress(activity: str, share: float, stream: TextIO | None = None) -> None:
    """Print `# encoding demo.webm 43%` on a line that is cleared when the share reaches 1."""
    stream = stream or sys.stderr
    if stream is None or not stream.isatty():
        return
    line = f"# {activity} {share:.0%}"
    stream.write(f"\r{line}" if share < 1 else f"\r{' ' * len(line)}\r")
    stream.flush()
