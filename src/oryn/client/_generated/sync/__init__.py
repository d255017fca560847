"""The methods of all commands, generated from the table: `python -m scripts.clients`."""

from __future__ import annotations

from oryn.client._generated.sync.actions import SyncActionsMethods
from oryn.client._generated.sync.browser import SyncBrowserMethods
from oryn.client._generated.sync.host import SyncHostMethods
from oryn.client._generated.sync.observation import SyncObservationMethods

__all__ = ["SyncOrynMethods"]


class SyncOrynMethods(SyncActionsMethods, SyncObservationMethods, SyncBrowserMethods, SyncHostMethods):
    """A method for each command of the table."""
