"""The clipboard of one session. WPE has one for its browser alone; WebKitGTK uses that of its display.

Pages report what they copy. What they have selected and copied is pasted as it is, with pictures and formatting.
Scripts can't put a text into the clipboard of every WebKit, so another text is pasted in its place
(`scanner/webkit/pastes.ts`). https://www.w3.org/TR/clipboard-apis/"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from oryn.browsers.base.storage import Clipboard
from oryn.errors import OrynError

if TYPE_CHECKING:
    from oryn.browsers.webkit.frames import WebKitFrameNode, WebKitFrameTree
    from oryn.browsers.webkit.scanner_client import WebKitScannerClient

PASTE_SECONDS = 5.0


class WebKitClipboard(Clipboard):
    """One session's clipboard. `on_copied` and `on_other_copied` are for the reports of its pages."""

    def __init__(self) -> None:
        self._text = ""
        self._is_browsers = True
        """Whether the browser's clipboard holds the text; also until the session has one."""

    async def read(self) -> str:
        return self._text

    async def write(self, text: str) -> None:
        self._text, self._is_browsers = text, False

    def on_copied(self, text: str, object_id: str | None = None) -> None:
        """A page has copied what was selected."""
        self._text, self._is_browsers = text, True

    def on_other_copied(self, text: str, object_id: str | None = None) -> None:
        """A page has copied another text than what was selected."""
        self._text, self._is_browsers = text, False

    @asynccontextmanager
    async def pasting(self, frames: WebKitFrameTree, scanner: WebKitScannerClient) -> AsyncIterator[None]:
        """For the time of the block, a key that pastes in this tab pastes the session's text."""
        if self._is_browsers:
            yield
            return
        nodes = [node for node in frames.top.subtree() if node.context is not None]  # any of them may have the focus
        await asyncio.gather(*(_call(scanner, node, "input.beginPaste", self._text) for node in nodes))
        try:
            yield
        finally:
            await asyncio.gather(*(_call(scanner, node, "input.endPaste") for node in nodes))


async def _call(scanner: WebKitScannerClient, node: WebKitFrameNode, function: str, *values: str) -> None:
    try:
        handle = await scanner.handle(node, timeout=PASTE_SECONDS)
        await scanner.call_handle(node, handle, function, *values, timeout=PASTE_SECONDS)
    except OrynError:
        pass  # the document has gone, or a dialog is open
