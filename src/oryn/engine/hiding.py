"""Values that are shown nowhere, once they were given to a session, or to one of several that share a browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.engine.disguises import Disguises, Hidden

if TYPE_CHECKING:
    from oryn.engine.secrets import Secret

SHORTEST_MASKED = 4
"""Characters. A shorter value would be found in every other word of a page; only the name of a user (`Secret.is_name`)
may be so short, and is not masked then."""
LEAST_LINE = 8
"""Characters of a line, of a value that has several, which is masked where it stands alone."""


class Hiding:
    """Sessions whose pages may show each other's values have one in common."""

    def __init__(self) -> None:
        self._names: dict[str, None] = {}
        self._hidden: dict[Hidden, None] = {}
        self._disguises: Disguises | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Of the values."""
        return tuple(self._names)

    def add(self, secret: Secret) -> None:
        """A value that was changed meanwhile stays hidden: a page may still show it."""
        self._names[secret.name] = None
        # A page, or a log, may show a key of several lines in part.
        lines = [line.strip() for line in secret.value.splitlines()]
        parts = [secret.value, *(line for line in lines if len(line) >= LEAST_LINE)]
        found = [Hidden(part, word=secret.is_name) for part in parts if len(part) >= SHORTEST_MASKED]
        if not self._hidden.keys() >= set(found):
            self._hidden.update(dict.fromkeys(found))
            self._disguises = Disguises(self._hidden)

    def withheld(self, text: str) -> str:
        """The text with dots in the place of every value."""
        return text if self._disguises is None else self._disguises.masked(text)

    def is_one(self, text: str) -> bool:
        """Whether the whole text is a value."""
        return self._disguises is not None and self._disguises.is_one(text)
