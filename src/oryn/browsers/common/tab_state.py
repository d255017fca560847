"""The state shared by the parts of one tab: its counter of moments, and why it can't answer.

While a dialog is open, or after the tab has crashed or closed, the browser does not answer: commands then fail at once
instead of waiting."""

from __future__ import annotations

from collections.abc import Callable

from oryn.browsers.base import Checkpoint
from oryn.browsers.common.events import Signal
from oryn.errors import CannotAccessPage, DialogOpen, NavigationError, OrynError, PageCrashed


class DocumentGone(NavigationError):
    """The document (or its script world) went away before it answered. Reads can be repeated in the new one."""


class AnswerLost(CannotAccessPage):
    """The page has replaced functions of JavaScript that a script's answer needed while it ran."""


def page_crashed() -> PageCrashed:
    """The error for commands to a tab whose renderer has crashed."""
    return PageCrashed("the page crashed", "Run 'goto' to load it again in a new tab.")


class TabState:
    """Whether a tab can answer, from its opening to its closing."""

    def __init__(self) -> None:
        self.signal = Signal()
        self.moment = 0
        """Increases with every checkpoint; events are recorded with the moment at which they occur."""
        self.failure: OrynError | None = None
        """Why this tab can't be used any more: it has crashed or closed."""
        self.blocked: DialogOpen | None = None
        """The error for commands while a dialog is open."""
        self.on_command: list[Callable[[], None]] = []

    # --- moments ---

    def checkpoint(self) -> Checkpoint:
        """Begin a new moment; a checkpoint of it."""
        self.moment += 1
        return Checkpoint(self.moment)

    # --- commands ---

    def check(self) -> None:
        """A command begins: raise the error of a tab that can't answer, and call the listeners in `on_command`."""
        if self.failure is not None or self.blocked is not None:
            self.check_alive()
        for listener in self.on_command:
            listener()

    def check_alive(self) -> None:
        """Raise the error of a tab that can't answer."""
        if self.failure is not None:
            raise self.failure.with_traceback(None)
        if self.blocked is not None:
            raise self.blocked.with_traceback(None)

    # --- events of the tab ---

    def block(self, reason: DialogOpen) -> None:
        """A dialog has opened: renderers do not answer until it is closed."""
        self.blocked = reason
        self.interrupt(reason)
        self.signal.notify()

    def unblock(self) -> None:
        """The dialog has been closed."""
        self.blocked = None
        self.signal.notify()

    def fail(self, reason: OrynError) -> None:
        """The tab can't be used any more."""
        if self.failure is None:
            self.failure = reason
        self.blocked = None
        self.interrupt(reason)
        self.signal.notify()

    def on_crashed(self) -> None:
        """The tab's renderer has crashed."""
        self.fail(page_crashed())

    def interrupt(self, reason: OrynError) -> None:
        """Raise `reason` in calls that will get no answer: because of a dialog (`DialogOpen`) those that a renderer
        answers, else all."""
        raise NotImplementedError
