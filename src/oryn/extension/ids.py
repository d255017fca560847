"""The ids that a server gives its commands: each counts once, so that no command is done twice. Pure."""

from __future__ import annotations

from oryn.errors import MalformedMessage
from oryn.remote.messages import Message

MOST_REMEMBERED = 4096
"""Ids of a connection that are known one by one; those that came before them count as used up to the largest."""


class Ids:
    """Those of one connection, and of the commands that an earlier one has left unanswered."""

    def __init__(self) -> None:
        self._used: dict[int, None] = {}
        self._floor = 0
        self._pending: dict[int, str] = {}
        self._lost: dict[tuple[int, str], None] = {}

    def take(self, message: Message) -> None:
        """A command has come. Raises `MalformedMessage` for one that came before: with an id of this connection, or as
        one that was in flight when an earlier connection was lost, and may have been done."""
        if message.id in self._used or message.id <= self._floor:
            raise MalformedMessage(f"the id {message.id} was used before", "Give each command an id of its own.")
        self._used[message.id] = None
        if len(self._used) > MOST_REMEMBERED:
            oldest = next(iter(self._used))
            del self._used[oldest]
            self._floor = max(self._floor, oldest)
        if (message.id, message.content) in self._lost:
            raise MalformedMessage(
                f"the command {message.id} was in flight when the connection was lost",
                "It may have been done: run 'observe', then give it again with another id.",
            )
        self._pending[message.id] = message.content

    def is_pending(self, id: int) -> bool:
        """Whether a command with this id waits for its answer."""
        return id in self._pending

    def answered(self, id: int) -> None:
        self._pending.pop(id, None)

    def begin(self) -> None:
        """Another connection: its ids begin anew."""
        self._lost.update(dict.fromkeys(self._pending.items()))
        for oldest in list(self._lost)[:-MOST_REMEMBERED]:
            del self._lost[oldest]
        self._pending.clear()
        self._used.clear()
        self._floor = 0
