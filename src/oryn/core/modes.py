"""Modes: the kind of browser that a session uses, and the names it can be requested by."""

from __future__ import annotations

from oryn.errors import NotSupported

MODES = {"headless": "headless", "remote": "remote", "extension": "remote"}
"""The mode for each name that a user may give."""
PLANNED_MODES = ("embedded",)
"""Names that the language and the clients reserve for modes that don't exist yet."""


def require_supported_mode(name: object) -> None:
    """Raise `NotSupported` if `name` is a reserved one; every interface rejects it with this message."""
    if isinstance(name, str) and name.lower() in PLANNED_MODES:
        raise NotSupported(
            f"mode {name.lower()} is not supported yet", f"The modes are {' and '.join(dict.fromkeys(MODES.values()))}."
        )
