"""The dialogs of one tab.

WebKit's protocol has no event for a dialog. The script that runs in each document before its own ones reports that a
page calls `alert`, `confirm` or `prompt`, with its texts, before the dialog opens, and later that it has closed
(`scanner/webkit/dialog_reports.ts`). Of a document without that script, and of the question whether to leave a page,
the browser tells when it is asked, as it is while the page does not answer: the message, but not always the kind."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from oryn.browsers.base import Dialog, DialogKind, DialogPolicy
from oryn.browsers.common.dialogs import OpenedDialog, TabDialogs
from oryn.errors import ElementNotInteractable, NotSupported, OrynError, Timeout

if TYPE_CHECKING:
    from oryn.browsers.webkit.channel import WebKitChannel

ANSWER_SECONDS = 5.0
FIRST_DELAY, MAX_DELAY = 0.001, 0.2
"""Seconds between the questions whether a dialog that the page is about to open is there. Nearly always the answer to
the first one is yes."""


class WebKitDialogs(TabDialogs[None]):
    """The dialogs of one tab. `dialog` and `dialog-closed` are the reports of its pages; `on_slow` is for
    `WebKitChannel.on_slow`."""

    def __init__(self, channel: WebKitChannel, policy: Callable[[], DialogPolicy | None]) -> None:
        super().__init__(channel, policy)
        self._channel = channel
        self._begun: Dialog | None = None
        """What a page has begun to open, until the dialog is there or has closed."""
        self._task: asyncio.Task[None] | None = None

    # --- reports ---

    def on_report(self, text: str, object_id: str | None = None) -> None:
        """A page is about to open a dialog: `text` is a list of its kind, its message and its default text, in JSON."""
        kind, message, default = json.loads(text)
        self._begun = dialog = Dialog(cast(DialogKind, kind), message, default)
        self._task = asyncio.get_running_loop().create_task(self._watch(dialog))

    def on_closed_report(self, text: str = "", object_id: str | None = None) -> None:
        """The dialog has closed, or the browser has shown none, as in a frame that may not open any."""
        self._begun = None
        self._on_closed(False)

    def on_slow(self) -> None:
        """The page does not answer: a dialog may be open that no page has reported."""
        if self._open is None and (self._task is None or self._task.done()):
            self._task = asyncio.get_running_loop().create_task(self._discover())

    async def _watch(self, dialog: Dialog) -> None:
        """Wait until a dialog is there. The report is sent first, so the browser may not have it yet."""
        delay = FIRST_DELAY
        while self._begun is dialog and self._channel.failure is None:
            try:
                if await self._is_showing():
                    if self._begun is dialog:
                        self._begun = None
                        self._on_opened(dialog, None)
                    return
            except OrynError:
                return  # the tab has gone
            await asyncio.sleep(delay)
            delay = min(2 * delay, MAX_DELAY)

    async def _discover(self) -> None:
        try:
            if await self._is_showing() and self._open is None:
                self._on_opened(await self._describe(), None)
        except OrynError:
            pass  # answered or gone meanwhile

    async def _describe(self) -> Dialog:
        """The open dialog, as far as the browser tells: an alert counts as `confirm`, which waits for an answer."""
        message = await self._ask("messageOfCurrentJavaScriptDialog", "message")
        return Dialog(await self._kind(), message)

    async def _kind(self) -> DialogKind:
        # The error of a text that is no prompt's says what it is.
        try:
            await self._send("setUserInputForCurrentJavaScriptPrompt", userInput="")
        except ElementNotInteractable:
            return "confirm"
        except NotSupported:
            return "beforeunload"
        return "prompt"

    # --- answers ---

    async def _answer(self, opened: OpenedDialog[None], accept: bool, text: str | None) -> None:
        if accept and text is not None and opened.dialog.kind == "prompt":
            await self._send("setUserInputForCurrentJavaScriptPrompt", userInput=text)
        await self._send(_answer_command(accept))

    def _answer_soon(self, opened: OpenedDialog[None], accept: bool) -> None:
        self._channel.send_automation(_answer_command(accept))

    # --- the browser, which answers while a dialog is open ---

    async def _is_showing(self) -> bool:
        return bool(await self._ask("isShowingJavaScriptDialog", "result"))

    async def _ask(self, method: str, member: str) -> str:
        answer: dict[str, str] = await self._send(method)
        return answer[member]

    async def _send(self, method: str, **params: str) -> dict[str, str]:
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                return await self._channel.send_automation(method, params)
        except TimeoutError:
            raise Timeout("the browser did not answer about its dialog", "Run 'goto' to load another page.") from None


def _answer_command(accept: bool) -> str:
    return "acceptCurrentJavaScriptDialog" if accept else "dismissCurrentJavaScriptDialog"
