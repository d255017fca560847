"""Notices a model that goes in circles. Pure."""

from __future__ import annotations

from collections import Counter, deque

MOST_ALIKE = 10
"""How often the same command may have the same outcome: some buttons want to be pressed several times."""
WARNED_AT = 5
"""How often, until the model is told."""
MOST_ERRORS = 8
"""How many responses in a row may be nothing that can be done."""
REMEMBERED = 40
"""Steps. Circles may have several commands; what was done long ago is no part of one."""


class Loops:
    """Takes each step: a `command` (None for what was none), what came of it, how many steps in a row were errors."""

    def __init__(self) -> None:
        self._recent: deque[tuple[str, str]] = deque(maxlen=REMEMBERED)
        self.warning: str | None = None
        """What the model is told after the last step."""
        self.reason: str | None = None
        """Why the run ends after the last step."""

    def take(self, command: str | None, outcome: str, errors: int) -> None:
        self.warning = self.reason = None
        if errors >= MOST_ERRORS:
            self.reason = f"{errors} of its responses in a row were none that can be done"
        if command is None:
            return
        self._recent.append((command, outcome))
        count = Counter(self._recent)[command, outcome]
        if count >= MOST_ALIKE:
            self.reason = f"it did the same {count} times with the same outcome: {command}"
        elif count == WARNED_AT:
            self.warning = f"System: You have done this {count} times, and the outcome was the same each time."
