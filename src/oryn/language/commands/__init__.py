"""The table of commands: one class each, a file for each family."""

from __future__ import annotations

from oryn.language.command import Command, TargetCommand
from oryn.language.commands import (
    acting,
    device,
    general,
    intents,
    looking,
    moving,
    network,
    recording,
    state,
    tabs,
    waiting,
)
from oryn.language.commands.acting import *  # noqa: F403
from oryn.language.commands.device import *  # noqa: F403
from oryn.language.commands.general import *  # noqa: F403
from oryn.language.commands.intents import *  # noqa: F403
from oryn.language.commands.looking import *  # noqa: F403
from oryn.language.commands.moving import *  # noqa: F403
from oryn.language.commands.network import *  # noqa: F403
from oryn.language.commands.recording import *  # noqa: F403
from oryn.language.commands.state import *  # noqa: F403
from oryn.language.commands.tabs import *  # noqa: F403
from oryn.language.commands.waiting import *  # noqa: F403

_FAMILIES = (moving, looking, acting, waiting, state, tabs, network, device, recording, intents, general)

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

__all__ = ["COMMANDS", "Command", "TargetCommand"]
__all__ += moving.__all__
__all__ += looking.__all__
__all__ += acting.__all__
__all__ += waiting.__all__
__all__ += state.__all__
__all__ += tabs.__all__
__all__ += network.__all__
__all__ += device.__all__
__all__ += recording.__all__
__all__ += intents.__all__
__all__ += general.__all__
