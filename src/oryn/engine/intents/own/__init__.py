"""Intents of one's own: definitions as plain data, run step by step; packs; learning. Importing registers the handlers.

`table` says what a definition may hold, `reading` makes a `definition`, `running` performs it, `library` knows which
one a name means, `learning` finds in a session's `history` what is done again and again. Files and YAML are outside the
engine, in `oryn.intents`.
"""

from __future__ import annotations

from oryn.engine.intents.own import defining, learn, masking, packs, run
from oryn.engine.intents.own.definition import Definition
from oryn.engine.intents.own.library import Library, OwnIntents, Pack, Shelf
from oryn.engine.intents.own.reading import read_definition
from oryn.engine.intents.own.table import json_schema

__all__ = [
    "Definition",
    "Library",
    "OwnIntents",
    "Pack",
    "Shelf",
    "defining",
    "json_schema",
    "learn",
    "masking",
    "packs",
    "read_definition",
    "run",
]
