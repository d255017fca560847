"""JavaScript dialogs: which are answered automatically, and which wait for a command.

While a dialog is open its page does not answer; the tab's state is blocked, so that every command fails at once.
https://chromedevtools.github.io/devtools-protocol/tot/Page/#event-javascriptDialogOpening"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from oryn.browsers.base import Checkpoint, Dialog, DialogPolicy
from oryn.browsers.cdp.connection import CdpSession
from oryn.browsers.common.dialogs import MAX_AUTOMATIC_ANSWERS, automatic_answer, dialog_open_error, outcome
from oryn.browsers.common.events import EventLog
from oryn.browsers.common.tab_state import TabState
from oryn.core.records import Record
from oryn.errors import DialogNotPresent


class OpenedDialog(Record, frozen=False):
    """A dialog in its present state; its `answer` is set later."""

    dialog: Dialog
    session: CdpSession


class Dialogs:
    """The dialogs of one tab."""

    def __init__(self, state: TabState, policy: Callable[[], DialogPolicy | None]) -> None:
        self._state = state
        self._policy = policy
        self._open: OpenedDialog | None = None
        self._answered = 0
        self.is_flooded = False
        """Whether the page opens one dialog after another; only the end of its script stops that."""
        self._log: EventLog[OpenedDialog] = EventLog()
        state.on_command.append(self._begin_command)

    def listen(self, session: CdpSession) -> None:
        session.on("Page.javascriptDialogOpening", lambda event: self._on_opening(session, event))
        session.on("Page.javascriptDialogClosed", self._on_closed)

    @property
    def open(self) -> Dialog | None:
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
        await opened.session.call("Page.handleJavaScriptDialog", _reply(opened.dialog, accept, text))
        self._close(opened, accept)
        return opened.dialog

    def dismiss(self) -> None:
        """Close the open dialog without waiting: the page is going away."""
        if self._open is not None:
            opened = self._open
            opened.session.send("Page.handleJavaScriptDialog", {"accept": opened.dialog.kind == "beforeunload"})
            self._close(opened, False)

    def forget(self) -> None:
        """Leave an open dialog to others, because no more events about dialogs come."""
        if self._open is not None:
            self._open = None
            self._state.unblock()

    def _begin_command(self) -> None:
        self._answered = 0
        self.is_flooded = False

    def _on_opening(self, session: CdpSession, event: dict[str, Any]) -> None:
        dialog = Dialog(event["type"], event["message"], event.get("defaultPrompt", ""))
        opened = OpenedDialog(dialog, session)
        self._log.record(self._state.moment, opened)
        answer = automatic_answer(dialog, self._policy())
        if answer is not None and self._answered < MAX_AUTOMATIC_ANSWERS:
            self._answered += 1
            session.send("Page.handleJavaScriptDialog", _reply(dialog, answer, None))
            opened.dialog = dialog.replace(answer=outcome(answer))
            return
        self.is_flooded = answer is not None
        self._open = opened
        self._state.block(dialog_open_error(dialog))

    def _on_closed(self, event: dict[str, Any]) -> None:
        if self._open is not None:
            self._close(self._open, bool(event.get("result")))

    def _close(self, opened: OpenedDialog, accepted: bool) -> None:
        opened.dialog = opened.dialog.replace(answer=outcome(accepted))
        if self._open is opened:
            self._open = None
            self._state.unblock()


def _reply(dialog: Dialog, accept: bool, text: str | None) -> dict[str, Any]:
    # The browser does not fill in the default text by itself.
    return {"accept": accept, "promptText": dialog.default if text is None else text}
