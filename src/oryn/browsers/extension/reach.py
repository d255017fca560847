"""Which number each tab has, and which tabs commands may reach though they are not in front. Pure."""

from __future__ import annotations

from typing import Any


class Reach:
    """By the browser's ids of tabs."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        self._next = 1
        self._opened: set[int] = set()
        """Opened by Oryn, or by a page under control."""
        self._left: set[int] = set()
        """Put behind another by Oryn: under control until their user comes and goes again."""

    def __contains__(self, tab: int) -> bool:
        return tab in self._opened or tab in self._left

    def has_number(self, tab: int) -> bool:
        return tab in self._numbers

    def number(self, tab: int) -> int:
        """A tab's number: 1 for the first that is asked for. It stays with the tab and is used for no other."""
        if tab not in self._numbers:
            self._numbers[tab] = self._next
            self._next += 1
        return self._numbers[tab]

    def opened(self, tab: int) -> None:
        self._opened.add(tab)

    def left(self, tab: int) -> None:
        self._left.add(tab)

    def left_by_user(self, tab: int) -> None:
        self._left.discard(tab)

    def free(self, tab: int) -> None:
        """It is the user's again; its number stays."""
        self._opened.discard(tab)
        self._left.discard(tab)

    def forget(self, tab: int) -> None:
        self._numbers.pop(tab, None)
        self._opened.discard(tab)
        self._left.discard(tab)

    def release(self) -> None:
        """Every tab is the user's again. Numbers stay."""
        self._opened.clear()
        self._left.clear()

    def replaced(self, old: int, new: int) -> None:
        """A tab has another id."""
        if old in self._numbers:
            self._numbers[new] = self._numbers[old]
        for group in (self._opened, self._left):
            if old in group:
                group.add(new)
        self.forget(old)

    # --- over a restart of the worker ---

    def kept(self) -> dict[str, Any]:
        """All of it, as JSON data."""
        numbers = {str(tab): number for tab, number in self._numbers.items()}
        return {"numbers": numbers, "next": self._next, "opened": sorted(self._opened), "left": sorted(self._left)}

    def restore(self, kept: dict[str, Any]) -> None:
        """What `kept` has said."""
        self._numbers = {int(tab): number for tab, number in kept["numbers"].items()}
        self._next = kept["next"]
        self._opened, self._left = set(kept["opened"]), set(kept["left"])
