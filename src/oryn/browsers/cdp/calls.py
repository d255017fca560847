"""Commands to one tab's sessions, as far as its life lets them through."""

from __future__ import annotations

import asyncio
from typing import Any

from oryn.browsers.cdp.connection import Answer, Session
from oryn.errors import Timeout

# What the renderer answers, and therefore does not answer while it waits for a dialog.
RENDERER = ("Runtime.", "Input.", "DOM.", "Page.captureScreenshot", "Page.createIsolatedWorld")


class Calls:
    """What speaks to one tab. A subclass knows its life."""

    session: Session
    """That of the top document."""

    def check(self) -> None:
        """A command begins: raise what would keep it from being answered."""
        raise NotImplementedError

    def check_alive(self) -> None:
        """As `check`, within a command."""
        raise NotImplementedError

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
