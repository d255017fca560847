"""Modes: the kind of browser that a session uses, and the names it can be requested by."""

from __future__ import annotations

MODES = {
    "headless": "headless",
    "embedded": "embedded",
    "playwright": "playwright",
    "remote": "remote",
    "extension": "remote",
}
"""The mode for each name that a user may give."""
