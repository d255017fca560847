"""JavaScript dialogs: which are answered automatically, and which wait for a command.

WebDriver reports a dialog only as the error of the next command, and its message alone. `page.js` puts its kind and its
default text into the message; without that (a dialog that opens before the script is in its document) the kind is not
known, and the dialog counts as a `confirm`, which waits for an answer.
https://www.w3.org/TR/webdriver2/#user-prompts"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from oryn.browsers.base import Checkpoint, Dialog, DialogKind, DialogPolicy
from oryn.browsers.common.dialogs import MAX_AUTOMATIC_ANSWERS, automatic_answer, dialog_open_error, outcome
from oryn.browsers.common.events import EventLog
from oryn.browsers.webdriver.channel import WebDriverChannel
from oryn.core.records import Record
from oryn.errors import DialogNotPresent, OrynError

MARK = "\u2063"
"""What separates the kind, the default text and the message (an invisible separator)."""
_KINDS: dict[str, DialogKind] = {"alert": "alert", "confirm": "confirm", "prompt": "prompt"}


class ReportedDialog(Record, frozen=False):
    """A dialog in its present state."""

    dialog: Dialog


class WebDriverDialogs:
    """The dialogs of one tab."""

    def __init__(self, channel: WebDriverChannel, policy: Callable[[], DialogPolicy | None]) -> None:
        self._channel = channel
        self._policy = policy
        self._open: ReportedDialog | None = None
        self._answering: asyncio.Task[None] | None = None
        self._answered = 0
        self.count = 0
        self._log: EventLog[ReportedDialog] = EventLog()
        channel.dialogs = self
        channel.on_command.append(self._begin_command)

    @property
    def open(self) -> Dialog | None:
        """The dialog that waits for an answer, or None."""
        return self._open.dialog if self._open else None

    def since(self, checkpoint: Checkpoint) -> list[Dialog]:
        """The dialogs since a checkpoint, in their present state."""
        return [reported.dialog for reported in self._log.since(checkpoint)]

    async def discovered(self, message: str, count: int) -> bool:
        """See `channel.DialogAnswers`."""
        is_current = count != self.count  # the driver's answer may be about a dialog that was answered meanwhile
        if self._answering is None and self._open is None and not is_current:
            self._on_opened(parse_dialog(message))
        if self._answering is not None:
            await asyncio.wait({self._answering})
            return True
        return is_current and self._open is None

    async def answer(self, accept: bool, text: str | None) -> Dialog:
        """Accept or dismiss the open dialog. Raises `DialogNotPresent`."""
        reported = self._open
        if reported is None:
            raise DialogNotPresent("no dialog is open", "'dialog' answers an alert, confirm or prompt that is open.")
        self._begin_command()
        await self._send(reported.dialog, accept, text)
        self._close(reported, accept)
        return reported.dialog

    async def dismiss(self) -> None:
        """Close an open dialog because the page is going away. Never raises."""
        if self._open is not None:
            reported = self._open
            try:
                await self._send(reported.dialog, False, None)
            except OrynError:
                pass  # it has gone with its page
            self._close(reported, False)

    def _begin_command(self) -> None:
        self._answered = 0

    def _on_opened(self, dialog: Dialog) -> None:
        reported = ReportedDialog(dialog)
        self.count += 1
        self._log.record(self._channel.moment, reported)
        accept = automatic_answer(dialog, self._policy())
        if accept is not None and self._answered < MAX_AUTOMATIC_ANSWERS:
            self._answered += 1
            reported.dialog = dialog.replace(answer=outcome(accept))
            self._answering = asyncio.ensure_future(self._answer_automatically(dialog, accept, self._answering))
            return
        self._open = reported
        self._channel.block(dialog_open_error(dialog))

    async def _answer_automatically(self, dialog: Dialog, accept: bool, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await asyncio.wait({before})
        try:
            await self._send(dialog, accept, None)
        except OrynError:
            pass  # it has gone with its page, or another command reports the failure
        if self._answering is asyncio.current_task():
            self._answering = None

    async def _send(self, dialog: Dialog, accept: bool, text: str | None) -> None:
        client = self._channel.session.client
        if accept and dialog.kind == "prompt" and text is not None:
            await client.post("/alert/text", {"text": text}, timeout=5)
        await client.post("/alert/accept" if accept else "/alert/dismiss", timeout=5)

    def _close(self, reported: ReportedDialog, accepted: bool) -> None:
        reported.dialog = reported.dialog.replace(answer=outcome(accepted))
        if self._open is reported:
            self._open = None
            self._channel.unblock()


def parse_dialog(message: str) -> Dialog:
    """The dialog of a message that the driver reports, with what `page.js` has put into it."""
    empty, *parts = message.split(MARK, 3)
    if empty or len(parts) != 3 or parts[0] not in _KINDS:
        return Dialog("confirm", message)
    return Dialog(_KINDS[parts[0]], parts[2], parts[1])
