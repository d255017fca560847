"""The clipboard of one session. WPE has one for its browser alone; WebKitGTK uses that of its display.

Pages report what they copy. Before a paste the browser's clipboard gets the session's own text, unless it holds what
the session has copied last, with pictures and formatting. https://www.w3.org/TR/clipboard-apis/"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from oryn.browsers.base.storage import Clipboard

if TYPE_CHECKING:
    from oryn.browsers.webkit.channel import WebKitChannel
    from oryn.browsers.webkit.frames import WebKitFrameTree
    from oryn.browsers.webkit.scanner_client import WebKitScannerClient


class WebKitClipboard(Clipboard):
    """One session's clipboard. `on_report` is for the reports `copied` of its pages."""

    def __init__(self) -> None:
        self._text = ""
        self._is_browsers = False
        """Whether the browser's clipboard holds what this session copied or wrote last."""

    async def read(self) -> str:
        return self._text

    async def write(self, text: str) -> None:
        self._text, self._is_browsers = text, False

    def on_report(self, text: str, object_id: str | None = None) -> None:
        """A page has copied a text."""
        self._text, self._is_browsers = text, True

    @asynccontextmanager
    async def pasting(
        self, channel: WebKitChannel, frames: WebKitFrameTree, scanner: WebKitScannerClient
    ) -> AsyncIterator[str | None]:
        """Put this session's text into the browser's clipboard for the time of the block, which pastes in this tab. If
        the browser does not take it, the block gets the text, which it must insert itself."""
        written = self._is_browsers or not self._text
        if not written:
            params = {
                "objectId": await scanner.handle(frames.top),
                "functionDeclaration": "function(text) { return this.input.copyText(text) }",
                "arguments": [{"value": self._text}],
                "emulateUserGesture": True,
                "returnByValue": True,
            }
            answer = await channel.call("Runtime.callFunctionOn", params)
            written = self._is_browsers = answer["result"].get("value") is True
        yield None if written else self._text
