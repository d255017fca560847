"""The built-in intents: several steps in one command (intent-language §4, Intents). Importing registers them."""

from __future__ import annotations

from oryn.engine.intents.builtin import dismissal, fill_form, login, logout, scroll_until, search

__all__ = ["dismissal", "fill_form", "login", "logout", "scroll_until", "search"]
