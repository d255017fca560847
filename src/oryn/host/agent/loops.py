"""Notices a model that goes in circles. Pure."""

from __future__ import annotations

from collections import Counter, deque

MOST_ALIKE = 6
"""How often the same command may have the same outcome."""
MOST_ERRORS = 8
"""How many responses in a row may be nothing that can be done."""
REMEMBERED = 40
"""Steps. Circles may have several commands; what was done long ago is no part of one."""


class Loops:
    """Takes each step; `why` tells what is wrong, once there is something."""

    def __init__(self) -> None:
        self._recent: deque[tuple[str, str]] = deque(maxlen=REMEMBERED)

    def why(self, command: str | None, outcome: str, errors: int) -> str | None:
        """The reason to end the run after this step: a `command` (None for what was none), what came of it, how many
        steps in a row were errors."""
        if errors >= MOST_ERRORS:
            return f"{errors} of its responses in a row were none that can be done"
        if command is None:
            return None
        self._recent.append((command, outcome))
        count = Counter(self._recent)[command, outcome]
        return f"it did the same {count} times with the same outcome: {command}" if count >= MOST_ALIKE else None
