"""How long a page is given to react to an action: no longer than its reactions to actions of that kind take."""

from __future__ import annotations

from typing import NamedTuple

PROMPT_SECONDS = 0.1
"""The grace period where nothing has ever come late, but what is still to come can't be told."""


class ActKind(NamedTuple):
    """Actions of one kind cause the same handlers to run."""

    enters: bool
    """It gives a field a value; else it presses."""
    handled: str
    """What hears of it (`Page.path_listeners`), or, where that is not known, the type of the element."""
    names_listeners: bool = True
    """Whether `handled` does, and not the type of the element."""


class GracePeriods:
    """What the actions on one document have shown about the time of its reactions.

    A page that has reacted late once gets the whole period for that kind of action from then on."""

    def __init__(self, document: str = "") -> None:
        self.document = document
        self._prompt: dict[ActKind, int] = {}
        """How often an action of a kind had all the time, and nothing came late."""
        self._late: set[ActKind] = set()
        self._shortened: ActKind | None = None
        """The kind of the last action, if it got less than the whole period."""

    def period(self, kind: ActKind, pending: bool | None, longest: float) -> float:
        """Return the seconds that an action gets from its end on. `pending`: `PageEffects.pending` after it."""
        seconds = self._period(kind, pending, longest)
        self._shortened = kind if seconds < longest else None
        return seconds

    def _period(self, kind: ActKind, pending: bool | None, longest: float) -> float:
        if pending or kind in self._late:
            return longest
        count = self._prompt.get(kind, 0)
        if kind.enters and pending is False:
            return 0 if count else longest
        is_prompt = kind.enters or (kind.names_listeners and pending is False)
        return min(PROMPT_SECONDS, longest) if is_prompt and count >= 2 else longest

    def record(self, kind: ActKind, *, late: bool) -> None:
        """Record how the page has reacted to an action that had the whole period."""
        if late:
            self._late.add(kind)
        else:
            self._prompt[kind] = self._prompt.get(kind, 0) + 1

    def record_meanwhile(self) -> None:
        """Record that the page has changed between two actions: perhaps late, after a period that was too short."""
        if self._shortened is not None:
            self._late.add(self._shortened)
            self._shortened = None
