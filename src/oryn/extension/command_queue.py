"""Scheduling of a server's commands: at most once by their ids, and one at a time in each tab, in order of arrival
(docs/spec/extension-protocol.md#commands). Pure.

Each id counts once, so that no command runs twice. A command that names no tab goes to the tab that is active when it
starts, so such commands also wait for each other: one of them may switch the tab. A waiting command keeps its place in
the queue of the tab that it would go to now."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

from oryn.errors import MalformedMessage
from oryn.extension_server.messages import WireMessage

MAX_REMEMBERED_IDS = 4096
"""Ids of a connection that are remembered one by one; of older ones only the largest, up to which all count as used."""


class CommandIdTracker:
    """The ids of one connection, and the commands that earlier connections have left unanswered."""

    def __init__(self) -> None:
        self._used: dict[int, None] = {}
        self._floor = 0
        self._pending: dict[int, str] = {}
        self._lost: dict[tuple[int, str], None] = {}

    def register(self, message: WireMessage) -> None:
        """Register a command that has arrived. Raises `MalformedMessage` if its id was used on this connection, or if
        it was in flight when an earlier connection was lost, so that it may have run."""
        if message.id in self._used or message.id <= self._floor:
            raise MalformedMessage(f"the id {message.id} was used before", "Give each command an id of its own.")
        self._used[message.id] = None
        if len(self._used) > MAX_REMEMBERED_IDS:
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

    def on_answered(self, id: int) -> None:
        """A command was answered."""
        self._pending.pop(id, None)

    def begin(self) -> None:
        """Start with another connection, whose ids are new."""
        self._lost.update(dict.fromkeys(self._pending.items()))
        for oldest in list(self._lost)[:-MAX_REMEMBERED_IDS]:
            del self._lost[oldest]
        self._pending.clear()
        self._used.clear()
        self._floor = 0


class QueueEntry:
    """A command in the queue. `named` is the number of the tab that it names, if it names one; `tab` that of the tab
    that it runs in."""

    def __init__(self, named: int | None) -> None:
        self.named = named
        self.tab = named
        self.running = False


Entry = TypeVar("Entry", bound=QueueEntry)


class TabQueue(Generic[Entry]):
    """The commands that run or wait, in order of arrival."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(tuple(self._entries))

    def enter(self, entry: Entry) -> None:
        """Add a command."""
        self._entries.append(entry)

    def leave(self, entry: Entry) -> None:
        """Remove a command that has ended, or is not to start any more."""
        self._entries = [each for each in self._entries if each is not entry]

    def start(self, active: int | None) -> list[Entry]:
        """Mark the commands that can start now as running; these commands. `active` is the number of the active tab."""
        taken = {each.tab for each in self._entries if each.running}
        waits = any(each.running and each.named is None for each in self._entries)
        started = []
        for each in self._entries:
            if each.running:
                continue
            tab = active if each.named is None else each.named
            if tab not in taken and not (each.named is None and waits):
                each.tab, each.running = tab, True
                started.append(each)
            waits = waits or each.named is None
            taken.add(tab)
        return started
