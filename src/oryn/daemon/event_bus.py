"""The event bus: any number of subscribers, which do not slow down each other (docs/spec/daemon-protocol.md#events)."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from oryn.daemon.events import Event, EventType, utc_now

MAX_QUEUED_EVENTS = 1_000
"""Maximum number of events queued for one subscriber. Beyond it, the oldest are dropped, and the next event reports how
many."""


@dataclass(eq=False, slots=True)
class Subscription:
    """One subscriber's events, in order: iterate over it. With an `owner`, those of its sessions alone."""

    types: Collection[str]
    owner: str | None = None
    _waiting: deque[Event] = field(default_factory=deque)
    _lost: int = 0
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    _ended: bool = False

    def put(self, event: Event) -> None:
        """Queue an event, if it is of a subscribed type and owner. If `MAX_QUEUED_EVENTS` wait already, the oldest one
        is dropped."""
        if (self.types and event.type not in self.types) or self.owner not in (None, event.owner):
            return
        if len(self._waiting) >= MAX_QUEUED_EVENTS:
            self._waiting.popleft()
            self._lost += 1
        self._waiting.append(event)
        self._changed.set()

    def end(self) -> None:
        """End the iteration after the events that still wait."""
        self._ended = True
        self._changed.set()

    async def __aiter__(self) -> AsyncIterator[Event]:
        while True:
            while self._waiting:
                event, lost, self._lost = self._waiting.popleft(), self._lost, 0
                yield replace(event, lost=lost) if lost else event
            if self._ended:
                return
            self._changed.clear()
            await self._changed.wait()


class EventBus:
    """The bus. `publish` queues an event for all subscribers and does not wait for them."""

    def __init__(self) -> None:
        self._subscriptions: set[Subscription] = set()
        self._observers: list[Callable[[Event], object]] = []

    @property
    def listeners(self) -> int:
        """The number of subscribers, without observers."""
        return len(self._subscriptions)

    def on_published(self, observer: Callable[[Event], object]) -> None:
        """Call `observer` with every event, before its publisher goes on: in the task of the command, for a command's
        events. It must be quick, and not raise."""
        self._observers.append(observer)

    def publish(self, type: EventType, owner: str | None = None, **data: Any) -> None:
        """Queue an event with the fields `data`, which must be JSON data, for all subscribers. Its time is the current
        one. `owner` is that of its session, for subscribers who get the events of their own sessions alone."""
        if self._subscriptions or self._observers:
            event = Event(type, utc_now(), data, owner=owner)
            for observer in self._observers:
                observer(event)
            for subscription in self._subscriptions:
                subscription.put(event)

    @contextmanager
    def subscribe(self, types: Collection[str] = (), owner: str | None = None) -> Iterator[Subscription]:
        """Subscribe while the block runs, to events of these types, or to all if `types` is empty; with `owner`, to
        those of its sessions alone."""
        subscription = Subscription(frozenset(types), owner)
        self._subscriptions.add(subscription)
        try:
            yield subscription
        finally:
            self._subscriptions.discard(subscription)

    def close(self) -> None:
        """End all subscriptions: each subscriber still gets its queued events, and then no more."""
        for subscription in self._subscriptions:
            subscription.end()
