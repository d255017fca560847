"""The built-in intents: several steps in one command (docs/spec/intent-language.md#intents). Importing registers
them."""

from __future__ import annotations

from oryn.engine.intents.builtin import dismissal, fill_form, login, logout, scroll_until, search

__all__ = ["dismissal", "fill_form", "login", "logout", "scroll_until", "search"]
