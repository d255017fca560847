"""The events of the daemon: their types, their form in JSON and their times (docs/spec/daemon-protocol.md#events).

Command-line programs import this, so it loads no event loop."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, get_args

EventType = Literal[
    "action.start",
    "action.finish",
    "session.opened",
    "session.closed",
    "session.taken_over",
    "session.given_back",
    "session.noted",
    "login.waiting",
    "extension.connected",
    "extension.disconnected",
]

EVENT_TYPES: tuple[EventType, ...] = get_args(EventType)


@dataclass(frozen=True, slots=True)
class Event:
    """One event of the bus. `ts` is UTC in ISO 8601.

    `lost` counts the events just before this one that were dropped because the subscriber was too slow. `owner` is that
    of the session that the event is about; None if all may use the session."""

    type: EventType
    ts: str
    data: dict[str, Any]
    lost: int = 0
    owner: str | None = None

    def form(self) -> dict[str, Any]:
        """The event as JSON data; `lost` is left out if it is 0."""
        shape: dict[str, Any] = {"type": self.type, "ts": self.ts, "data": self.data}
        return shape | ({"lost": self.lost} if self.lost else {})


def utc_now() -> str:
    """The current moment in UTC: `2026-05-26T19:00:42.123456Z`."""
    return format_timestamp(datetime.now(UTC))


def format_timestamp(when: datetime) -> str:
    """Format a moment in UTC as events and rows have it."""
    return f"{when:%Y-%m-%dT%H:%M:%S.%fZ}"
