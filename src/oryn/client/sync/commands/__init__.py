"""The methods of all commands, generated from the table: `python -m scripts.clients`."""

from __future__ import annotations

from oryn.client.sync.commands.device import SyncDeviceMethods
from oryn.client.sync.commands.general import SyncGeneralMethods
from oryn.client.sync.commands.host import SyncHostMethods
from oryn.client.sync.commands.intents import SyncIntentsMethods
from oryn.client.sync.commands.interaction import SyncInteractionMethods
from oryn.client.sync.commands.mouse import SyncMouseMethods
from oryn.client.sync.commands.navigation import SyncNavigationMethods
from oryn.client.sync.commands.network import SyncNetworkMethods
from oryn.client.sync.commands.observation import SyncObservationMethods
from oryn.client.sync.commands.recording import SyncRecordingMethods
from oryn.client.sync.commands.research import SyncResearchMethods
from oryn.client.sync.commands.state import SyncStateMethods
from oryn.client.sync.commands.tabs import SyncTabsMethods
from oryn.client.sync.commands.waits import SyncWaitsMethods

__all__ = ["SyncOrynMethods"]


class SyncOrynMethods(
    SyncNavigationMethods,
    SyncObservationMethods,
    SyncInteractionMethods,
    SyncMouseMethods,
    SyncWaitsMethods,
    SyncStateMethods,
    SyncTabsMethods,
    SyncNetworkMethods,
    SyncDeviceMethods,
    SyncRecordingMethods,
    SyncIntentsMethods,
    SyncGeneralMethods,
    SyncHostMethods,
    SyncResearchMethods,
):
    """A method for each command of the table."""
