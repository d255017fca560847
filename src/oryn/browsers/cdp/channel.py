"""What the parts of one tab share: its sessions, its clock of moments, and what keeps it from answering.

A tab has one session for its top document and one for each frame that lives in a process of its own. While a dialog is
open, or once the tab has crashed or closed, the browser would not answer: commands then fail at once instead of
waiting.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from oryn.browsers.base import Mark
from oryn.browsers.cdp.connection import Answer, Session
from oryn.browsers.cdp.signal import Signal
from oryn.errors import DialogOpen, OrynError, PageCrashed, Timeout

# What the renderer answers, and therefore does not answer while it waits for a dialog.
_RENDERER = ("Runtime.", "Input.", "DOM.", "Page.captureScreenshot", "Page.createIsolatedWorld")


class Channel:
    """One tab's conversation with the browser."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.sessions: list[Session] = [session]
        self.signal = Signal()
        self.moment = 0
        """Grows with every mark; what happens is noted with the moment at which it did."""
        self.failure: OrynError | None = None
        """Why this tab can't be used any more: it crashed or closed."""
        self.blocked: DialogOpen | None = None
        """The open dialog, as the error that a command meets."""
        self.on_command: list[Callable[[], None]] = []

    # --- moments ---

    def mark(self) -> Mark:
        """The present moment, from which on things count as new."""
        self.moment += 1
        return Mark(self.moment)

    # --- commands ---

    def check(self) -> None:
        """A command begins: raise what would keep it from being answered."""
        self._check_alive()
        for listener in self.on_command:
            listener()

    def _check_alive(self) -> None:
        if self.failure is not None:
            raise self.failure.with_traceback(None)
        if self.blocked is not None:
            raise self.blocked.with_traceback(None)

    async def call(
        self, method: str, params: dict[str, Any] | None = None, *, session: Session | None = None, timeout: float = 30
    ) -> Answer:
        """A command to the tab (or to one frame's `session`). Raises also `DialogOpen`, `PageCrashed`."""
        self._check_alive()
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

    # --- what happens to the tab as a whole ---

    def block(self, reason: DialogOpen) -> None:
        """A dialog is open: renderers do not answer until it is closed."""
        self.blocked = reason
        for session in self.sessions:
            session.connection.interrupt(session, reason, _RENDERER)
        self.signal.notify()

    def unblock(self) -> None:
        self.blocked = None
        self.signal.notify()

    def fail(self, reason: OrynError) -> None:
        """The tab is lost."""
        if self.failure is None:
            self.failure = reason
        self.blocked = None
        for session in self.sessions:
            session.connection.interrupt(session, reason)
        self.signal.notify()

    def crashed(self) -> None:
        self.fail(PageCrashed("the page crashed", "Run 'goto' to load it again in a new tab."))
