"""Runs programs: the handler of `program`, a run, and its report."""

from __future__ import annotations

import oryn.engine.intents.program.command  # noqa: F401
