"""The methods of all commands, generated from the table: `python -m scripts.clients`."""

from __future__ import annotations

from oryn.client._generated.actions import ActionsMethods
from oryn.client._generated.browser import BrowserMethods
from oryn.client._generated.host import HostMethods
from oryn.client._generated.observation import ObservationMethods

__all__ = ["OrynMethods"]


class OrynMethods(ActionsMethods, ObservationMethods, BrowserMethods, HostMethods):
    """A method for each command of the table."""
