"""JavaScript dialogs: which are answered at once, which wait, and how they are told.

While a dialog is open its page does not answer; `Life.block` makes every command fail at once instead of waiting.
https://chromedevtools.github.io/devtools-protocol/tot/Page/#event-javascriptDialogOpening
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from oryn.browsers.base import Dialog, DialogPolicy
from oryn.browsers.cdp.connection import Session
from oryn.browsers.common.happenings import Log
from oryn.browsers.common.life import Life
from oryn.errors import DialogNotPresent, DialogOpen
from oryn.records import Record

# A page may open alerts in a loop: after so many within one command, the next one stays open.
MOST_AT_ONCE = 10
_MOST_TEXT = 200


class Opened(Record, frozen=False):
    """A dialog as it stands now: its `answer` comes later."""

    dialog: Dialog
    session: Session


class Dialogs:
    """The dialogs of one tab."""

    def __init__(self, life: Life, policy: Callable[[], DialogPolicy | None]) -> None:
        self._life = life
        self._policy = policy
        self._open: Opened | None = None
        self._answered = 0
        self.flood = False
        """The page opens one dialog after the other; only the end of its script helps."""
        self.log: Log[Opened] = Log()
        life.on_command.append(self._begin_command)

    def listen(self, session: Session) -> None:
        session.on("Page.javascriptDialogOpening", lambda event: self._opening(session, event))
        session.on("Page.javascriptDialogClosed", self._closed)

    @property
    def open(self) -> Dialog | None:
        return self._open.dialog if self._open else None

    async def answer(self, accept: bool, text: str | None) -> Dialog:
        """Raises `DialogNotPresent`."""
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
        """Nobody tells of dialogs any more: one that is open is somebody else's to answer."""
        if self._open is not None:
            self._open = None
            self._life.unblock()

    def _begin_command(self) -> None:
        self._answered = 0
        self.flood = False

    def _opening(self, session: Session, event: dict[str, Any]) -> None:
        dialog = Dialog(event["type"], event["message"], event.get("defaultPrompt", ""))
        opened = Opened(dialog, session)
        self.log.note(self._life.moment, opened)
        answer = self._automatic(dialog)
        if answer is not None and self._answered < MOST_AT_ONCE:
            self._answered += 1
            session.send("Page.handleJavaScriptDialog", _reply(dialog, answer, None))
            opened.dialog = dialog.replace(answer=_said(answer))
            return
        self.flood = answer is not None
        self._open = opened
        self._life.block(_error(dialog))

    def _automatic(self, dialog: Dialog) -> bool | None:
        policy = self._policy()
        if policy == "off":
            return None
        if policy is not None:
            return policy == "accept" or dialog.kind == "beforeunload"
        return True if dialog.kind in ("alert", "beforeunload") else None

    def _closed(self, event: dict[str, Any]) -> None:
        if self._open is not None:
            self._close(self._open, bool(event.get("result")))

    def _close(self, opened: Opened, accepted: bool) -> None:
        opened.dialog = opened.dialog.replace(answer=_said(accepted))
        if self._open is opened:
            self._open = None
            self._life.unblock()


def _reply(dialog: Dialog, accept: bool, text: str | None) -> dict[str, Any]:
    # The browser does not fill in the default text by itself.
    return {"accept": accept, "promptText": dialog.default if text is None else text}


def _said(accepted: bool) -> Literal["accepted", "dismissed"]:
    return "accepted" if accepted else "dismissed"


def _error(dialog: Dialog) -> DialogOpen:
    text = dialog.message if len(dialog.message) <= _MOST_TEXT else dialog.message[:_MOST_TEXT] + "…"
    article = "an" if dialog.kind == "alert" else "a"
    return DialogOpen(
        f"{article} {dialog.kind} dialog is open",
        f"It says {text!r}. Run 'dialog accept' or 'dialog dismiss' first, or 'goto' another page.",
    )
