"""Definitions of custom intents as plain data: packs, learning.

`schema` declares what a definition may contain, `loader` builds a `model` from it, `library` resolves names, and
`proposals` finds repeated sequences in a session's `command_history`. `intents.custom` runs them. Files and YAML are
outside the engine, in `oryn.intents`."""

from __future__ import annotations

from oryn.engine.definitions.library import CustomIntents, IntentLibrary, IntentPack, IntentSet
from oryn.engine.definitions.loader import read_definition
from oryn.engine.definitions.model import Definition
from oryn.engine.definitions.schema import json_schema

__all__ = [
    "CustomIntents",
    "Definition",
    "IntentLibrary",
    "IntentPack",
    "IntentSet",
    "json_schema",
    "read_definition",
]
