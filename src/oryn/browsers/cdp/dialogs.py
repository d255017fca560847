"""The dialogs of one tab, by their events.

https://chromedevtools.github.io/devtools-protocol/tot/Page/#event-javascriptDialogOpening"""

from __future__ import annotations

from typing import Any

from oryn.browsers.base import Dialog
from oryn.browsers.cdp.connection import CdpSession
from oryn.browsers.common.dialogs import OpenedDialog, TabDialogs


class Dialogs(TabDialogs[CdpSession]):
    """The dialogs of one tab."""

    def listen(self, session: CdpSession) -> None:
        session.on("Page.javascriptDialogOpening", lambda event: self._on_opening(session, event))
        session.on("Page.javascriptDialogClosed", lambda event: self._on_closed(bool(event.get("result"))))

    async def _answer(self, opened: OpenedDialog[CdpSession], accept: bool, text: str | None) -> None:
        await opened.place.call("Page.handleJavaScriptDialog", _reply(opened.dialog, accept, text))

    def _answer_soon(self, opened: OpenedDialog[CdpSession], accept: bool) -> None:
        opened.place.send("Page.handleJavaScriptDialog", _reply(opened.dialog, accept, None))

    def _on_opening(self, session: CdpSession, event: dict[str, Any]) -> None:
        self._on_opened(Dialog(event["type"], event["message"], event.get("defaultPrompt", "")), session)


def _reply(dialog: Dialog, accept: bool, text: str | None) -> dict[str, Any]:
    # The browser does not fill in the default text by itself.
    return {"accept": accept, "promptText": dialog.default if text is None else text}
