"""Functions that are called whenever something happens, until their subscription ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, ParamSpec

Parameters = ParamSpec("Parameters")


class Listeners(Generic[Parameters]):
    """The listeners to one kind of event, called in the order of their subscriptions. What one raises goes to the
    caller of `notify`."""

    def __init__(self) -> None:
        self._listeners: list[Callable[Parameters, object]] = []

    def subscribe(self, listener: Callable[Parameters, object]) -> Callable[[], None]:
        """Call `listener` at each event from now on. Returns a function that ends the subscription, to be called
        once."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def notify(self, *event: Parameters.args, **fields: Parameters.kwargs) -> None:
        """Call every listener. One may end its subscription meanwhile."""
        for listener in tuple(self._listeners):
            listener(*event, **fields)
