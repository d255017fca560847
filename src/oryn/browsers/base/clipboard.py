"""The text that a session's pages copy and paste."""

from __future__ import annotations

from oryn.errors import NotSupported


class Clipboard:
    """Each session has its own, whatever browser it shares; no other session, and no page but its own, sees it."""

    async def read(self) -> str:
        """What was copied or written last; empty when nothing was."""
        raise NotSupported

    async def write(self, text: str) -> None:
        """Replace what the next paste gives."""
        raise NotSupported
