"""The built-in intents: several steps in one command (intent-language §4, Intents). Importing registers them."""

from __future__ import annotations

from oryn.engine.intents import dismissal, filling, login, logout, scrolling, search

__all__ = ["dismissal", "filling", "login", "logout", "scrolling", "search"]
