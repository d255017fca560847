"""Scripts of the user's that run before each page's own. A part of the session's browser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from oryn.errors import NotSupported


@dataclass(frozen=True, slots=True)
class PageScript:
    """`number` stays with the script; `name` is what the user calls it, such as the path of its file."""

    number: int
    name: str
    source: str


class PageScripts:
    """They run in the page's own world, in every frame of every tab, from the next document on, in the order in which
    they were added; and they outlive a restart of the browser."""

    def all(self) -> Sequence[PageScript]:
        """No round trip."""
        raise NotSupported

    async def add(self, name: str, source: str, *, timeout: float = 30) -> PageScript:
        """Raises `ScriptError` for what does not compile."""
        raise NotSupported

    async def remove(self, number: int, *, timeout: float = 30) -> PageScript:
        """Raises `NameNotFound`."""
        raise NotSupported
