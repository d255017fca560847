"""Finds the handler of a command. A family's handlers are imported with the first of its commands, so that a new host
answers its first `goto` without the others."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from oryn.engine.handlers import registry

if TYPE_CHECKING:
    from oryn.engine.handlers.registry import Handler
    from oryn.engine.session import Session
    from oryn.language import Command

FAMILIES: dict[str, tuple[str, ...]] = {
    "Moving": ("handlers.navigation",),
    "Looking": (
        "handlers.observe",
        "handlers.snapshot",
        "handlers.capture",
        "handlers.queries",
    ),
    "Acting": (
        "handlers.pointer",
        "handlers.forms",
        "handlers.keys",
        "handlers.drag",
        "handlers.upload",
        "handlers.clipboard",
    ),
    "Waiting": ("handlers.wait",),
    "Reading data": ("handlers.extract",),
    "State": (
        "handlers.storage",
        "handlers.state",
        "handlers.headers",
        "handlers.sessions",
    ),
    "Tabs, frames, dialogs": ("handlers.tabs",),
    "Device": ("handlers.device",),
    "Recording": ("handlers.recording", "handlers.capture", "handlers.highlight"),
    "Network and console": ("handlers.network", "handlers.console"),
    "Intents": ("intents.builtin", "intents.custom"),
    "The host": ("handlers.captcha",),
    "The rest": (
        "handlers.general",
        "handlers.scripts",
    ),
}
"""The modules that register the handlers of each family of the language's table, below `oryn.engine`."""


def load_handler(command: type[Command]) -> Handler | None:
    """Return the handler of a command's class; None if no module registers one."""
    for module in FAMILIES.get(command.spec.family, ()):
        import_module(f"oryn.engine.{module}")
    return registry.handler_of(command)


def needs_browser(command: type[Command]) -> bool:
    """Return whether the browser must run before a command of this class does. Call `load_handler` before."""
    return registry.needs_browser(command)


def mask_command(session: Session, command: Command) -> Command:
    """Return the command with its secrets masked; the command itself if it has none."""
    load_handler(type(command))
    return registry.masked(session, command)
