"""Running commands: one family a file; importing this package registers every handler."""

from __future__ import annotations

from oryn.engine import intents
from oryn.engine.execute import acting, asking, filling, general, looking, moving, reading, state, tabs, waiting
from oryn.engine.execute.registry import handler_of, needs_browser

__all__ = [
    "acting",
    "asking",
    "filling",
    "general",
    "handler_of",
    "intents",
    "looking",
    "moving",
    "needs_browser",
    "reading",
    "state",
    "tabs",
    "waiting",
]
