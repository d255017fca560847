"""The console of a session as its browser's events, which become messages only on request: a page that logs without end
costs little."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

from oryn.browsers.base.console import Console, ConsoleMessage

MAX_EVENTS = 1000
"""The number of messages, and of errors, that are stored."""
MAX_BYTES = 1_000_000
"""The approximate size of the messages, and of the errors, that are stored."""

MAX_TEXT_CHARACTERS = 10_000
"""Characters of one message."""


class RingBuffer:
    """The latest events, limited in number and in size."""

    def __init__(self) -> None:
        self._events: deque[tuple[str, dict[str, Any], int]] = deque()
        self._bytes = 0

    def add(self, source: str, event: dict[str, Any], size: int) -> None:
        self._events.append((source, event, size))
        self._bytes += size
        while len(self._events) > MAX_EVENTS or (self._bytes > MAX_BYTES and len(self._events) > 1):
            self._bytes -= self._events.popleft()[2]

    def events(self) -> list[tuple[str, dict[str, Any]]]:
        return [(source, event) for source, event, _ in self._events]

    def clear(self) -> int:
        count = len(self._events)
        self._events.clear()
        self._bytes = 0
        return count


def estimate_bytes(value: dict[str, Any]) -> int:
    """About how many bytes a remote object holds here."""
    return 200 + len(str(value.get("value", ""))) + len(value.get("description", ""))


def truncated(text: str) -> str:
    return text if len(text) <= MAX_TEXT_CHARACTERS else f"{text[:MAX_TEXT_CHARACTERS]}… ({len(text)} characters)"


class RecordedConsole(Console):
    """The console of one session, by what was recorded."""

    def __init__(self, messages: RingBuffer, errors: RingBuffer) -> None:
        self._messages = messages
        self._errors = errors

    def messages(self) -> Sequence[ConsoleMessage]:
        return [self.to_message(source, event) for source, event in self._messages.events()]

    def errors(self) -> Sequence[ConsoleMessage]:
        return [self.to_message(source, event) for source, event in self._errors.events()]

    def clear_messages(self) -> int:
        return self._messages.clear()

    def clear_errors(self) -> int:
        return self._errors.clear()

    def to_message(self, source: str, event: dict[str, Any]) -> ConsoleMessage:
        """The message of an event, which was recorded as of a source."""
        raise NotImplementedError
