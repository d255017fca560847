"""Which waiting command may start: one at a time in each tab, in the order of their coming (seed 000 §5.8). Pure.

A command that names no tab goes to the one that is active when it starts, so such commands also wait for each other:
one of them may switch the tab. One that waits keeps its place in the tab that it would go to now.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar


class Place:
    """A command's place among the others. `named` is the tab that it names; `tab` the one that it runs in."""

    def __init__(self, named: int | None) -> None:
        self.named = named
        self.tab = named
        self.running = False


Entry = TypeVar("Entry", bound=Place)


class Lanes(Generic[Entry]):
    """Those that run and those that wait, in the order of their coming."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(tuple(self._entries))

    def enter(self, entry: Entry) -> None:
        self._entries.append(entry)

    def leave(self, entry: Entry) -> None:
        """It has ended, or is not to start any more."""
        self._entries = [each for each in self._entries if each is not entry]

    def start(self, active: int | None) -> list[Entry]:
        """Those that start now, where `active` is the number of the active tab. They run from now on."""
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
