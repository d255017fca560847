"""One tab's conversation with the browser: a session for its top document, and one for each frame that lives in a
process of its own.
"""

from __future__ import annotations

import asyncio
from typing import Any

from oryn.browsers.cdp.connection import Answer, Session
from oryn.browsers.common.life import Life
from oryn.errors import DialogOpen, OrynError, Timeout

# What the renderer answers, and therefore does not answer while it waits for a dialog.
_RENDERER = ("Runtime.", "Input.", "DOM.", "Page.captureScreenshot", "Page.createIsolatedWorld")


class Channel(Life):
    """One tab's conversation with the browser."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.sessions: list[Session] = [session]

    async def call(
        self, method: str, params: dict[str, Any] | None = None, *, session: Session | None = None, timeout: float = 30
    ) -> Answer:
        """A command to the tab (or to one frame's `session`). Raises also `DialogOpen`, `PageCrashed`."""
        self.check_alive()
        try:
            return await (session or self.session).call(method, params, timeout=timeout)
        except Timeout:
            raise Timeout(
                f"the page did not answer within {timeout:g} s", "It may be busy: try again, or 'goto' another page."
            ) from None

    async def pipeline(self, futures: list[asyncio.Future[Answer]], timeout: float) -> None:
        """Wait for commands that were sent together. Raises the first failure, `Timeout` after `timeout` seconds."""
        try:
            async with asyncio.timeout(timeout):
                for future in futures:
                    await future
        except TimeoutError:
            raise Timeout(
                f"the page did not take input within {timeout:g} s",
                "It may be busy: try again, or 'goto' another page.",
            ) from None

    def interrupt(self, reason: OrynError) -> None:
        for session in self.sessions:
            if isinstance(reason, DialogOpen):
                session.connection.interrupt(session, reason, _RENDERER)
            else:
                session.connection.interrupt(session, reason)
