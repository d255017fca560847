"""The table of commands: one class each, a file for each family. `oryn.language` offers them all by name."""

from __future__ import annotations

from oryn.language.command import Command
from oryn.language.commands import (
    audits,
    device,
    general,
    intents,
    interaction,
    mouse,
    navigation,
    network,
    notes,
    observation,
    recording,
    state,
    tabs,
    waits,
)

_FAMILIES = (
    navigation,
    observation,
    audits,
    interaction,
    mouse,
    waits,
    state,
    tabs,
    network,
    device,
    recording,
    notes,
    intents,
    general,
)

COMMANDS: tuple[type[Command], ...] = tuple(
    each
    for family in _FAMILIES
    for each in vars(family).values()
    if isinstance(each, type)
    and issubclass(each, Command)
    and each.__module__ == family.__name__
    and "spec" in vars(each)
)
"""Every command, in the order of the language's description."""
