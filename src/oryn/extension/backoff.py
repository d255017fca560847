"""How long to wait before connecting again: 2 s, then twice as long each time, 30 s at most (seed 000 §5.3). Pure."""

from __future__ import annotations

SHORTEST = 2.0
LONGEST = 30.0


class Backoff:
    """Seconds to wait after each loss."""

    def __init__(self) -> None:
        self._next = SHORTEST

    def after_loss(self) -> float:
        seconds, self._next = self._next, min(LONGEST, 2 * self._next)
        return seconds

    def reset(self) -> None:
        """A connection has succeeded, or a user has asked for one."""
        self._next = SHORTEST
