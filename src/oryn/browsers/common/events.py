"""Waiting for events without polling: deadlines, conditions to wait for, and a bounded log of events by moment."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from oryn.browsers.base import Checkpoint


class Deadline:
    """The rest of a command's time limit."""

    def __init__(self, seconds: float) -> None:
        """The time limit is `seconds` from now on. Needs a running event loop."""
        self.seconds = seconds
        self._end = asyncio.get_running_loop().time() + seconds

    @property
    def left(self) -> float:
        """Seconds until the deadline; 0 after it."""
        return max(0.0, self._end - asyncio.get_running_loop().time())


def pluralize(number: int, noun: str) -> str:
    """`1 request`, `2 requests`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


class Signal:
    """Wakes coroutines that wait for conditions. Code that may change a condition's result must call `notify`."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Callable[[], bool], asyncio.Future[bool]]] = []

    def notify(self) -> None:
        """Evaluate every condition again, and wake the coroutines whose condition is true."""
        if self._waiting:
            for holds, future in self._waiting:
                if not future.done() and holds():
                    future.set_result(True)

    async def until(self, holds: Callable[[], bool], timeout: float) -> bool:
        """Wait until `holds()` is true, at most `timeout` seconds; whether it is."""
        if holds():
            return True
        if timeout <= 0:
            return False
        loop = asyncio.get_running_loop()
        future: asyncio.Future[bool] = loop.create_future()
        entry = (holds, future)
        self._waiting.append(entry)
        deadline = loop.call_later(timeout, _give_up, future)
        try:
            return await future
        finally:
            deadline.cancel()
            self._waiting.remove(entry)


def _give_up(future: asyncio.Future[bool]) -> None:
    if not future.done():
        future.set_result(False)


LoggedValue = TypeVar("LoggedValue")


@dataclass(slots=True)
class LoggedEvent(Generic[LoggedValue]):
    """A value, and the moment (`TabState.moment`) at which it was recorded."""

    moment: int
    value: LoggedValue


class EventLog(Generic[LoggedValue]):
    """The latest events of one kind; older ones are dropped, so that a page can't fill the memory."""

    def __init__(self, capacity: int = 200) -> None:
        self._events: deque[LoggedEvent[LoggedValue]] = deque(maxlen=capacity)

    def record(self, moment: int, value: LoggedValue) -> LoggedEvent[LoggedValue]:
        """Add and return an event, so that its value can be updated."""
        event = LoggedEvent(moment, value)
        self._events.append(event)
        return event

    def since(self, checkpoint: Checkpoint) -> list[LoggedValue]:
        """The values recorded at or after `checkpoint`, oldest first."""
        if not self._events or self._events[-1].moment < checkpoint.serial:  # moments only increase
            return []
        return [event.value for event in self._events if event.moment >= checkpoint.serial]
