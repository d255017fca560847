"""The engine of one session: resolves targets, acts, and reports what changed. Standard library only."""

from __future__ import annotations

from oryn.engine.options import Options
from oryn.engine.output.answer import Answer, Observation
from oryn.engine.output.changes import PageChange
from oryn.engine.runner import CommandRunner
from oryn.engine.session import Session

__all__ = ["Answer", "CommandRunner", "Observation", "Options", "PageChange", "Session"]

Session.new_runner = CommandRunner
