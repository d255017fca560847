"""JavaScript dialogs, the same in every backend: which are answered automatically, and which wait for a command.

While a dialog is open its page does not answer; the tab's state is blocked, so that every command fails at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, Literal, TypeVar

from oryn.browsers.base import Checkpoint, Dialog, DialogPolicy
from oryn.browsers.common.events import EventLog
from oryn.browsers.common.tab_state import TabState
from oryn.core.records import Record
from oryn.errors import DialogNotPresent, DialogOpen

MAX_AUTOMATIC_ANSWERS = 10
"""A page may open alerts in a loop: after so many within one command, the next one stays open."""
MAX_MESSAGE_CHARACTERS = 200
"""Characters of a dialog's message in an error."""


def automatic_answer(dialog: Dialog, policy: DialogPolicy | None) -> bool | None:
    """Whether a dialog is accepted or dismissed automatically; None if it waits for a command.

    Without a policy only alerts, and the question whether to leave the page, are answered."""
    if policy == "off":
        return None
    if policy is not None:
        return policy == "accept" or dialog.kind == "beforeunload"
    return True if dialog.kind in ("alert", "beforeunload") else None


def outcome(accepted: bool) -> Literal["accepted", "dismissed"]:
    """The answer of a dialog, as `Dialog.answer` has it."""
    return "accepted" if accepted else "dismissed"


def dialog_open_error(dialog: Dialog) -> DialogOpen:
    """The error for commands while a dialog is open."""
    message = dialog.message
    text = message if len(message) <= MAX_MESSAGE_CHARACTERS else message[:MAX_MESSAGE_CHARACTERS] + "…"
    article = "an" if dialog.kind == "alert" else "a"
    return DialogOpen(
        f"{article} {dialog.kind} dialog is open",
        f"It says {text!r}. Run 'dialog accept' or 'dialog dismiss' first, or 'goto' another page.",
    )


Place = TypeVar("Place")
"""Where a backend answers a dialog: the session that has reported it."""


class OpenedDialog(Record, Generic[Place], frozen=False):
    """A dialog in its present state; its `answer` is set later."""

    dialog: Dialog
    place: Place


class TabDialogs(Generic[Place]):
    """The dialogs of one tab, for engines that report each one when it opens. A subclass sends the answers.

    policy: returns the session's dialog policy at the time of the call."""

    def __init__(self, state: TabState, policy: Callable[[], DialogPolicy | None]) -> None:
        self._state = state
        self._policy = policy
        self._open: OpenedDialog[Place] | None = None
        self._answered = 0
        self.is_flooded = False
        """Whether the page opens one dialog after another; only the end of its script stops that."""
        self._log: EventLog[OpenedDialog[Place]] = EventLog()
        state.on_command.append(self._begin_command)

    async def _answer(self, opened: OpenedDialog[Place], accept: bool, text: str | None) -> None:
        """Accept or dismiss a dialog. `text` is that of a prompt; None stands for its default text."""
        raise NotImplementedError

    def _answer_soon(self, opened: OpenedDialog[Place], accept: bool) -> None:
        """Accept or dismiss a dialog without waiting."""
        raise NotImplementedError

    @property
    def open(self) -> Dialog | None:
        """The dialog that waits for an answer, or None."""
        return self._open.dialog if self._open else None

    def since(self, checkpoint: Checkpoint) -> list[Dialog]:
        """The dialogs since a checkpoint, in their present state."""
        return [opened.dialog for opened in self._log.since(checkpoint)]

    async def answer(self, accept: bool, text: str | None) -> Dialog:
        """Accept or dismiss the open dialog. Raises `DialogNotPresent`."""
        opened = self._open
        if opened is None:
            raise DialogNotPresent("no dialog is open", "'dialog' answers an alert, confirm or prompt that is open.")
        self._begin_command()
        await self._answer(opened, accept, text)
        self._close(opened, accept)
        return opened.dialog

    def dismiss(self) -> None:
        """Close the open dialog without waiting: the page is going away."""
        if self._open is not None:
            opened = self._open
            self._answer_soon(opened, opened.dialog.kind == "beforeunload")
            self._close(opened, False)

    def forget(self) -> None:
        """Leave an open dialog to others, because no more events about dialogs come."""
        if self._open is not None:
            self._open = None
            self._state.unblock()

    def _begin_command(self) -> None:
        self._answered = 0
        self.is_flooded = False

    def _on_opened(self, dialog: Dialog, place: Place) -> None:
        opened = OpenedDialog(dialog, place)
        self._log.record(self._state.moment, opened)
        answer = automatic_answer(dialog, self._policy())
        if answer is not None and self._answered < MAX_AUTOMATIC_ANSWERS:
            self._answered += 1
            self._answer_soon(opened, answer)
            opened.dialog = dialog.replace(answer=outcome(answer))
            return
        self.is_flooded = answer is not None
        self._open = opened
        self._state.block(dialog_open_error(dialog))

    def _on_closed(self, accepted: bool) -> None:
        if self._open is not None:
            self._close(self._open, accepted)

    def _close(self, opened: OpenedDialog[Place], accepted: bool) -> None:
        opened.dialog = opened.dialog.replace(answer=outcome(accepted))
        if self._open is opened:
            self._open = None
            self._state.unblock()
