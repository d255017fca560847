"""One session's brain: resolves targets, acts, and says what changed. Standard library only."""

from __future__ import annotations

from oryn.engine.answer import Answer, Observation
from oryn.engine.changes import Change
from oryn.engine.options import Options
from oryn.engine.session import Session

__all__ = ["Answer", "Change", "Observation", "Options", "Session"]
