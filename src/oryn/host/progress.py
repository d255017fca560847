"""How far something long has come, on a terminal's standard error; elsewhere nobody is told."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from oryn.engine.session import Progress, Session


def shown_on(stream: TextIO | None) -> Progress | None:
    """`# encoding demo.webm 43 %` in a line of its own that is wiped in the end; None where `stream` is no terminal."""
    if stream is None or not stream.isatty():
        return None

    def show(doing: str, share: float) -> None:
        line = f"# {doing} {share:.0%}"
        stream.write(f"\r{line}" if share < 1 else f"\r{' ' * len(line)}\r")
        stream.flush()

    return show


def show_progress(session: Session) -> None:
    """Have the session's progress shown where somebody looks at standard error."""
    if show := shown_on(sys.stderr):
        session.progress = show
