"""Commands to one tab, which has a session for its top document and one for each frame in a process of its own.

Commands fail at once while a dialog is open, and after the tab has crashed or closed."""

from __future__ import annotations

import asyncio
from typing import Any

from oryn.browsers.cdp.connection import CdpSession
from oryn.browsers.common.protocol_session import Answer
from oryn.browsers.common.tab_state import TabState
from oryn.core.error_text import round_up_seconds
from oryn.errors import DialogOpen, OrynError, Timeout

# Methods that the renderer answers, and therefore does not answer while a dialog is open.
RENDERER_METHODS = ("Runtime.", "Input.", "DOM.", "Page.captureScreenshot", "Page.createIsolatedWorld")


class TabCommands:
    """Sends commands to one tab. Subclasses check the state of the tab."""

    session: CdpSession
    """The session of the top document."""

    def check(self) -> None:
        """Start a command. Raises the error that would keep it from being answered."""
        raise NotImplementedError

    def check_alive(self) -> None:
        """Like `check`, within a command."""
        raise NotImplementedError

    async def call(
        self,
        method: str,
        params: dict[str, Any] | None = None,
        *,
        session: CdpSession | None = None,
        timeout: float = 30,
    ) -> Answer:
        """Send a command to the tab, or to the `session` of one frame, and wait at most `timeout` seconds.

        Raises `Timeout`, `DialogOpen`, `PageCrashed`, and the errors of `CdpSession.call`."""
        self.check_alive()
        try:
            return await (session or self.session).call(method, params, timeout=timeout)
        except Timeout:
            raise Timeout(
                f"the page did not answer within {round_up_seconds(timeout):g} s",
                "It may be busy: try again, or 'goto' another page.",
            ) from None

    async def pipeline(self, futures: list[asyncio.Future[Answer]], timeout: float) -> None:
        """Wait for commands that were sent together. Raises the first failure, or `Timeout` after `timeout` seconds."""
        try:
            async with asyncio.timeout(timeout):
                await asyncio.gather(*futures)  # woken once, not for each answer
        except TimeoutError:
            raise Timeout(
                f"the page did not take input within {round_up_seconds(timeout):g} s",
                "It may be busy: try again, or 'goto' another page.",
            ) from None


class CdpChannel(TabState, TabCommands):
    """The state and the sessions of one tab."""

    def __init__(self, session: CdpSession) -> None:
        super().__init__()
        self.session = session
        self.sessions: list[CdpSession] = [session]

    def descendants(self, session: CdpSession) -> list[CdpSession]:
        """A session and the sessions of the frames within it, innermost first. They all end together."""
        return [each for each in reversed(self.sessions) if session in each.lineage()]

    def interrupt(self, reason: OrynError) -> None:
        for session in self.sessions:
            if isinstance(reason, DialogOpen):
                session.interrupt(reason, RENDERER_METHODS)
            else:
                session.interrupt(reason)
