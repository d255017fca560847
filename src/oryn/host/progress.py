"""How far something long has come: told to whoever listens, else shown on a terminal's standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any, TextIO

LISTENER: ContextVar[Callable[[str, float], object] | None] = ContextVar("LISTENER", default=None)
"""Who is told of the command that the current task runs."""


def tell(doing: str, share: float) -> None:
    """A session's `progress`."""
    (LISTENER.get() or show)(doing, share)


def of_stage(progress: Mapping[str, Any]) -> tuple[str, float]:
    """What is told of a pipeline's progress (`oryn.research.documents.Progress`): `embed 3/12`, and the share of it."""
    done, total = progress["done"], progress.get("total")
    return f"{progress['stage']} {done}" + (f"/{total}" if total else ""), done / total if total else 0.0


def show(doing: str, share: float, stream: TextIO | None = None) -> None:
    """`# encoding demo.webm 43%`, in a line of its own that is wiped in the end."""
    stream = stream or sys.stderr
    if stream is None or not stream.isatty():
        return
    line = f"# {doing} {share:.0%}"
    stream.write(f"\r{line}" if share < 1 else f"\r{' ' * len(line)}\r")
    stream.flush()
