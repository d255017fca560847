"""What the popup shows: the whole state, as JSON, whenever something about it is another than before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from oryn.extension.activity import Activity
from oryn.extension.connection import Connection
from oryn.extension.endpoints import read_endpoint
from oryn.extension.stored import Stored
from oryn.extension.world import Timer, World

PAUSE = 0.1
"""Seconds between two states that are told, at least."""

State = dict[str, Any]


def state_of(
    connection: Connection, stored: Stored, activity: Activity, engine: State, controlled: Sequence[State]
) -> State:
    """Times are epoch milliseconds. `endpoint` is where it is connected, or would be."""
    endpoint = connection.endpoint if connection.wanted else None
    endpoint = endpoint or read_endpoint(stored.settings.endpoint)
    offer = connection.offer
    return {
        "type": "state",
        "status": connection.status,
        "detail": connection.detail,
        "endpoint": endpoint.url,
        "code": offer.code if offer else None,
        "code_expires": _milliseconds(offer.expires) if offer else None,
        "retry_at": _milliseconds(connection.retry_at),
        "settings": {**stored.settings.values(), "allowlist": list(stored.settings.allowlist)},
        "paired": [
            {"endpoint": url, "since": _milliseconds(each.since), "last_used": _milliseconds(each.last_used)}
            for url, each in stored.pairings.items()
        ],
        "activity": activity.data(),
        "engine": engine,
        "warning": endpoint.warning,
        "controlled": list(controlled),
    }


def _milliseconds(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds * 1000)


class Popups:
    """The popups that are open, by their ports. `post` sends one a message, `state` is what they are told."""

    def __init__(self, world: World, post: Callable[[int, State], None], state: Callable[[], State]) -> None:
        self._world = world
        self._post = post
        self._state = state
        self._ports: set[int] = set()
        self._ready = False
        self._timer: Timer | None = None
        self._told = 0.0

    def ready(self) -> None:
        """There is a state to tell."""
        self._ready = True
        self._tell()

    def opened(self, port: int) -> None:
        self._ports.add(port)
        if self._ready:
            self._post(port, self._state())

    def closed(self, port: int) -> None:
        self._ports.discard(port)

    def refuse(self, port: int, message: str) -> None:
        """What a popup has asked for is not done."""
        if port in self._ports:
            self._post(port, {"type": "refused", "message": message})

    def changed(self) -> None:
        """Tell them soon: at once, or when the pause after the last time is over."""
        if self._ready and self._ports and self._timer is None:
            seconds = max(0.0, self._told + PAUSE - self._world.now())
            self._timer = self._world.later(min(seconds, PAUSE), self._tell)

    def _tell(self) -> None:
        self._timer = None
        self._told = self._world.now()
        if self._ports:
            state = self._state()
            for port in tuple(self._ports):
                self._post(port, state)
