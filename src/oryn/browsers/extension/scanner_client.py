"""Sends requests to the scanner of a frame, which is a content script there, and answers them for restricted pages.

A document that began before the extension was installed has no content script: it is injected when it is first needed
(docs/spec/extension-protocol.md#commands). No script of an extension may enter an empty tab, or the error page in
the place of one that did not load; the scanner's answers there are known without it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from oryn.browsers.common.network_errors import answer_without_elements
from oryn.browsers.common.scanner_client import ScannerClient
from oryn.browsers.common.tab_state import DocumentGone
from oryn.browsers.extension.channel import ExtensionChannel
from oryn.browsers.extension.click_listeners import ClickListeners
from oryn.browsers.extension.debugger import TabDebugger
from oryn.browsers.extension.error_mapping import NoContentScript, is_restricted
from oryn.browsers.extension.frames import ExtensionFrameNode, ExtensionFrameTree
from oryn.errors import CannotAccessPage, ScannerNotReady, Timeout

if TYPE_CHECKING:
    from oryn.scanner.protocol import FindResponse, PageResponse, ScannerRequest, ScannerResponse

CONTENT_SCRIPTS = ("scanner.js", "content.js")
"""The content scripts, as the manifest names them."""
MAX_PINGS = 3
PING_SECONDS = 0.1


class ExtensionScannerClient(ScannerClient[ExtensionFrameNode]):
    """The scanner of one tab."""

    def __init__(self, channel: ExtensionChannel, frames: ExtensionFrameTree, debugger: TabDebugger) -> None:
        super().__init__()
        self._channel = channel
        self._frames = frames
        self._listeners = ClickListeners(debugger)
        self._answered_document = ""
        """The id of the top document that answered last."""

    async def call(self, node: ExtensionFrameNode, request: str, timeout: float) -> Any:
        """Raises also `FrameNotFound`."""
        try:
            return await self.send_message(node, {"oryn": "scan", "request": request}, timeout)
        except DocumentGone:
            if node.parent is not None:  # the events of its new document may be late
                await self._frames.has_new_document(node, node.document)
            raise

    async def send_message(self, node: ExtensionFrameNode, message: dict[str, Any], timeout: float) -> Any:
        """Send a message to a frame's content script, which is injected if it is missing; its answer. Raises
        `CannotAccessPage`, `ScannerNotReady`, `FrameNotFound`, and what `ExtensionChannel.send` raises."""
        if node.parent is None and is_restricted(node.url):
            raise CannotAccessPage
        answer = await self._send_once(node, message, timeout)
        if answer is None:
            await self._inject(node, timeout)
            answer = await self._send_once(node, message, timeout)
        if answer is None:
            raise ScannerNotReady
        if node.parent is None:
            self._answered_document = node.document
        return answer

    async def _send_once(self, node: ExtensionFrameNode, message: dict[str, Any], timeout: float) -> Any:
        """The answer, or None if the content script is not there."""
        try:
            return await self._channel.send(node, message, timeout=timeout)
        except NoContentScript:
            return None

    async def _inject(self, node: ExtensionFrameNode, timeout: float) -> None:
        """Inject the content script, or wait for it if it is on its way."""
        document = node.document
        if await self._frames.has_new_document(node, document):
            raise _document_gone()
        frame = {"tabId": self._channel.tab, "frameIds": [int(node.id)]}
        try:
            await self._channel.script(
                {"target": frame, "files": CONTENT_SCRIPTS, "injectImmediately": True}, timeout=timeout
            )
        except CannotAccessPage:
            if await self._frames.has_new_document(node, document):
                raise _document_gone() from None
            if node.parent is None and document and document == self._answered_document:
                self._channel.on_crashed()  # no event reports it
            self._channel.check_alive()
            raise
        for ping in range(MAX_PINGS):
            if ping:
                await asyncio.sleep(PING_SECONDS)
            try:
                if await self._send_once(node, {"oryn": "ping"}, timeout):
                    return
            except DocumentGone:
                continue
        raise ScannerNotReady

    async def is_closing(self) -> bool:
        try:
            return bool(await self._channel.send(self._frames.top, {"oryn": "closing"}, timeout=5))
        except (DocumentGone, NoContentScript, Timeout):
            return False

    async def listeners(self, node: ExtensionFrameNode, levels: int, timeout: float) -> Any:
        return await self._listeners.query(node, levels, timeout)


def _document_gone() -> DocumentGone:
    return DocumentGone("the document went away", "Run 'observe' to see what is there now.")


BLANK = "about:blank"


def page_data(url: str, tab: dict[str, Any]) -> PageResponse:
    """The scanner's `page_data` of the document at `url` in a tab (`tabs.Tab`)."""
    return {
        "url": url,
        "title": "" if url == BLANK else tab.get("title", ""),
        "viewport": {"width": tab.get("width", 0), "height": tab.get("height", 0)},
        "scroll": {"x": 0, "y": 0, "max_x": 0, "max_y": 0},
        "ready_state": "complete",
    }


def answer_blank_page(request: ScannerRequest, page: PageResponse) -> ScannerResponse | None:
    """The scanner's answer to a request about an empty tab, or None if it is not known."""
    data = _blank_page_data(request, page)
    return None if data is None else {"ok": True, "data": data}


def _blank_page_data(request: ScannerRequest, page: PageResponse) -> Any:
    if request["cmd"] == "find" or (request["cmd"] == "approach" and "target" in request):
        found: FindResponse = {"matches": [], "count": 0, "visible": 0, "next_id": request.get("next_id") or 1}
        return found if request["cmd"] == "find" else {"found": found}
    if request["cmd"] == "get_text" and not request.get("selector"):
        return {"text": ""}
    return answer_without_elements(request, page)
