"""How far something long has come, on a terminal's standard error; elsewhere nobody is told."""

from __future__ import annotations

import sys
from typing import TextIO


def show(doing: str, share: float, stream: TextIO | None = None) -> None:
    """`# encoding demo.webm 43%`, in a line of its own that is wiped in the end. A session's `progress`."""
    stream = stream or sys.stderr
    if stream is None or not stream.isatty():
        return
    line = f"# {doing} {share:.0%}"
    stream.write(f"\r{line}" if share < 1 else f"\r{' ' * len(line)}\r")
    stream.flush()
