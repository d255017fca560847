"""How far something long has come: told to whoever listens, else shown on a terminal's standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextvars import ContextVar
from typing import TextIO

LISTENER: ContextVar[Callable[[str, float], object] | None] = ContextVar("LISTENER", default=None)
"""Who is told of the command that the current task runs."""


def tell(doing: str, share: float) -> None:
    """A session's `progress`."""
    (LISTENER.get() or show)(doing, share)


def show(doing: str, share: float, stream: TextIO | None = None) -> None:
    """`# encoding demo.webm 43%`, in a line of its own that is wiped in the end."""
    stream = stream or sys.stderr
    if stream is None or not stream.isatty():
        return
    line = f"# {doing} {share:.0%}"
    stream.write(f"\r{line}" if share < 1 else f"\r{' ' * len(line)}\r")
    stream.flush()
