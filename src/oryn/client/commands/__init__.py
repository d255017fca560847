"""The methods of all commands, generated from the table: `python -m scripts.clients`."""

from __future__ import annotations

from oryn.client.commands.device import DeviceMethods
from oryn.client.commands.general import GeneralMethods
from oryn.client.commands.host import HostMethods
from oryn.client.commands.intents import IntentsMethods
from oryn.client.commands.interaction import InteractionMethods
from oryn.client.commands.mouse import MouseMethods
from oryn.client.commands.navigation import NavigationMethods
from oryn.client.commands.network import NetworkMethods
from oryn.client.commands.observation import ObservationMethods
from oryn.client.commands.recording import RecordingMethods
from oryn.client.commands.research import ResearchMethods
from oryn.client.commands.state import StateMethods
from oryn.client.commands.tabs import TabsMethods
from oryn.client.commands.waits import WaitsMethods

__all__ = ["OrynMethods"]


class OrynMethods(
    NavigationMethods,
    ObservationMethods,
    InteractionMethods,
    MouseMethods,
    WaitsMethods,
    StateMethods,
    TabsMethods,
    NetworkMethods,
    DeviceMethods,
    RecordingMethods,
    IntentsMethods,
    GeneralMethods,
    HostMethods,
    ResearchMethods,
):
    """A method for each command of the table."""
