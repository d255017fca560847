"""What the parts of one tab share: its clock of moments, and what keeps it from answering.

While a dialog is open, or once the tab has crashed or closed, the browser would not answer: commands then fail at once
instead of waiting.
"""

from __future__ import annotations

from collections.abc import Callable

from oryn.browsers.base import Mark
from oryn.browsers.common.signal import Signal
from oryn.errors import DialogOpen, NavigationError, OrynError, PageCrashed


class DocumentGone(NavigationError):
    """The document (or its script world) went away before it answered. Trying again in the new one is safe for
    reads."""


class Life:
    """One tab's, from its beginning to its end."""

    def __init__(self) -> None:
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
        self.check_alive()
        for listener in self.on_command:
            listener()

    def check_alive(self) -> None:
        if self.failure is not None:
            raise self.failure.with_traceback(None)
        if self.blocked is not None:
            raise self.blocked.with_traceback(None)

    # --- what happens to the tab as a whole ---

    def block(self, reason: DialogOpen) -> None:
        """A dialog is open: renderers do not answer until it is closed."""
        self.blocked = reason
        self.interrupt(reason)
        self.signal.notify()

    def unblock(self) -> None:
        self.blocked = None
        self.signal.notify()

    def fail(self, reason: OrynError) -> None:
        """The tab is lost."""
        if self.failure is None:
            self.failure = reason
        self.blocked = None
        self.interrupt(reason)
        self.signal.notify()

    def crashed(self) -> None:
        self.fail(PageCrashed("the page crashed", "Run 'goto' to load it again in a new tab."))

    def interrupt(self, reason: OrynError) -> None:
        """End what waits for an answer that will not come, with `reason`: by a dialog (`DialogOpen`) what the renderer
        answers, else all."""
        raise NotImplementedError
