"""Custom intents: `runner` runs their definitions step by step. Importing registers the handlers."""

from __future__ import annotations

from oryn.engine.intents.custom import commands, runner, secrets

__all__ = ["commands", "runner", "secrets"]
