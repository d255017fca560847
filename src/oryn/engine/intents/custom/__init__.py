"""Custom intents: definitions as plain data, run step by step; packs; learning. Importing registers the handlers.

`schema` declares what a definition may contain, `loader` builds a `model` from it, `runner` runs it, `library` resolves
names, and `proposals` finds repeated sequences in a session's `command_history`. Files and YAML are outside the engine,
in `oryn.intents`."""

from __future__ import annotations

from oryn.engine.intents.custom import commands, runner, secrets
from oryn.engine.intents.custom.library import CustomIntents, IntentLibrary, IntentPack, IntentSet
from oryn.engine.intents.custom.loader import read_definition
from oryn.engine.intents.custom.model import Definition
from oryn.engine.intents.custom.schema import json_schema

__all__ = [
    "CustomIntents",
    "Definition",
    "IntentLibrary",
    "IntentPack",
    "IntentSet",
    "commands",
    "json_schema",
    "read_definition",
    "runner",
    "secrets",
]
