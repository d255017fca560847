"""Running commands: one family a file. A family's handlers are imported when one of its commands comes: a host that has
just started answers its first `goto` without the rest."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from oryn.engine.execute import registry

if TYPE_CHECKING:
    from oryn.engine.execute.registry import Handler
    from oryn.engine.session import Session
    from oryn.language import Command

FAMILIES: dict[str, tuple[str, ...]] = {
    "Moving": ("execute.moving",),
    "Looking": ("execute.looking", "execute.snapshot", "execute.pictures", "execute.asking"),
    "Acting": (
        "execute.acting",
        "execute.filling",
        "execute.keys",
        "execute.dragging",
        "execute.uploading",
        "execute.clipboard",
    ),
    "Waiting": ("execute.waiting",),
    "Reading data": ("execute.reading",),
    "State": ("execute.state", "execute.saved_state", "execute.headers", "execute.sessions"),
    "Tabs, frames, dialogs": ("execute.tabs",),
    "Device": ("execute.device",),
    "Recording": ("execute.recording", "execute.pictures", "execute.highlighting"),
    "Network and console": ("execute.network", "execute.console"),
    "Intents": ("intents", "intents.own"),
    "The host": ("execute.captcha",),
    "The rest": (
        "execute.general",
        "execute.scripts",
    ),
}
"""The modules that register the handlers of each family of the language's table; families of later issues have none."""


def handler_of(command: type[Command]) -> Handler | None:
    """What runs a command, or None where it is not supported yet."""
    for module in FAMILIES.get(command.spec.family, ()):
        import_module(f"oryn.engine.{module}")
    return registry.handler_of(command)


def needs_browser(command: type[Any]) -> bool:
    """Whether a command has to wait for the browser; its handler has been asked for before."""
    return registry.needs_browser(command)


def masked(session: Session, command: Command) -> Command:
    """The command with dots in the place of its secrets."""
    handler_of(type(command))
    return registry.masked(session, command)
