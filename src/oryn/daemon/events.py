"""What happens, as it happens: any number of listeners, none of whom slows the others (seed 004, Event stream)."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, get_args

EventType = Literal[
    "action.start",
    "action.finish",
    "session.opened",
    "session.closed",
    "extension.connected",
    "extension.disconnected",
]

EVENT_TYPES: tuple[EventType, ...] = get_args(EventType)

MOST_WAITING = 1_000
"""Events that wait for one listener; when there are more, the oldest are lost, and the listener is told how many."""


@dataclass(frozen=True, slots=True)
class Event:
    """`ts` is UTC in ISO 8601. `lost` counts the events that this listener was too slow for, just before this one."""

    type: EventType
    ts: str
    data: dict[str, Any]
    lost: int = 0

    def form(self) -> dict[str, Any]:
        """As JSON data; `lost` only where there is something to tell."""
        shape: dict[str, Any] = {"type": self.type, "ts": self.ts, "data": self.data}
        return shape | ({"lost": self.lost} if self.lost else {})


@dataclass(eq=False, slots=True)
class Subscription:
    """One listener's events, in order: iterate over it."""

    types: Collection[str]
    _waiting: deque[Event] = field(default_factory=deque)
    _lost: int = 0
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _ended: bool = False

    def put(self, event: Event) -> None:
        if self.types and event.type not in self.types:
            return
        if len(self._waiting) >= MOST_WAITING:
            self._waiting.popleft()
            self._lost += 1
        self._waiting.append(event)
        self._news.set()

    def end(self) -> None:
        self._ended = True
        self._news.set()

    async def __aiter__(self) -> AsyncIterator[Event]:
        while True:
            while self._waiting:
                event, lost, self._lost = self._waiting.popleft(), self._lost, 0
                yield Event(event.type, event.ts, event.data, lost) if lost else event
            if self._ended:
                return
            self._news.clear()
            await self._news.wait()


class Events:
    """The bus. `publish` hands an event to all listeners and waits for none."""

    def __init__(self) -> None:
        self._subscriptions: set[Subscription] = set()

    @property
    def listeners(self) -> int:
        return len(self._subscriptions)

    def publish(self, type: EventType, **data: Any) -> None:
        if self._subscriptions:
            event = Event(type, now(), data)
            for subscription in self._subscriptions:
                subscription.put(event)

    @contextmanager
    def subscribed(self, types: Collection[str] = ()) -> Iterator[Subscription]:
        """Listen while the block runs: to events of these types, or to all."""
        subscription = Subscription(frozenset(types))
        self._subscriptions.add(subscription)
        try:
            yield subscription
        finally:
            self._subscriptions.discard(subscription)

    def close(self) -> None:
        """Every listener gets what is waiting for it, and then no more."""
        for subscription in self._subscriptions:
            subscription.end()


def now() -> str:
    """This moment in UTC: `2026-05-26T19:00:42.123456Z`."""
    return moment(datetime.now(UTC))


def moment(when: datetime) -> str:
    """A moment in UTC, as events and rows have it."""
    return f"{when:%Y-%m-%dT%H:%M:%S.%fZ}"
