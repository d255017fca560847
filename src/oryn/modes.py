"""The modes: what kind of browser a session has, and the names that a mode is asked for by. Pure."""

from __future__ import annotations

from oryn.errors import NotSupported

MODES = {"headless": "headless", "remote": "remote", "extension": "remote"}
"""The modes that there are, by what they may be called."""
TO_COME = ("embedded",)
"""Modes that the language and the clients know by name, and that nobody has yet."""


def refuse(name: object) -> None:
    """Raise `NotSupported` for a mode that is to come: every door refuses it in these words."""
    if isinstance(name, str) and name.lower() in TO_COME:
        raise NotSupported(
            f"mode {name.lower()} is not supported yet", f"The modes are {' and '.join(dict.fromkeys(MODES.values()))}."
        )
