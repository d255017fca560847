"""Asking the scanner of a frame, which is a content script there.

A document that began before the extension was installed has none: it is put there when it is first wanted (seed 000
§5.8, Content Script Injection Timing).
"""

from __future__ import annotations

import asyncio
from typing import Any

from oryn.browsers.common.asking import Asking
from oryn.browsers.common.life import DocumentGone
from oryn.browsers.extension.channel import Channel
from oryn.browsers.extension.failures import NobodyThere, is_restricted
from oryn.browsers.extension.frames import Frames, Node
from oryn.errors import CannotAccessPage, FrameNotFound, OrynError, ScannerNotReady, Timeout

FILES = ("scanner.js", "content.js")
"""The content scripts, as the manifest names them."""
PINGS = 3
PING_SECONDS = 0.1


class Scanning(Asking[Node]):
    """The scanner of one tab."""

    def __init__(self, channel: Channel, frames: Frames) -> None:
        super().__init__()
        self._channel = channel
        self._frames = frames

    async def call(self, node: Node, request: str, timeout: float) -> Any:
        return await self.tell(node, {"oryn": "scan", "request": request}, timeout)

    async def tell(self, node: Node, message: dict[str, Any], timeout: float) -> Any:
        """A message to a frame's content script, which is put there if need be. Raises `CannotAccessPage`,
        `ScannerNotReady`, `FrameNotFound`, and what `Channel.send` raises."""
        if node.parent is None and is_restricted(node.url):
            raise CannotAccessPage
        try:
            return await self._channel.send(node, message, timeout=timeout)
        except NobodyThere:
            await self._put(node, timeout)
        return await self._channel.send(node, message, timeout=timeout)

    async def _put(self, node: Node, timeout: float) -> None:
        """Wait for the content script that is coming, or put it where none comes."""
        document = node.document
        await self._frames.refresh()
        if self._frames.get(node.id) is not node:
            raise FrameNotFound("the frame is gone", "Run 'frames' to see which there are.")
        if node.document != document:
            raise DocumentGone("the document went away", "Run 'observe' to see what is there now.")
        frame = {"tabId": self._channel.tab, "frameIds": [int(node.id)]}
        await self._channel.script({"target": frame, "files": FILES, "injectImmediately": True}, timeout=timeout)
        for ping in range(PINGS):
            if ping:
                await asyncio.sleep(PING_SECONDS)
            try:
                await self._channel.send(node, {"oryn": "ping"}, timeout=timeout)
            except (NobodyThere, DocumentGone):
                continue
            return
        raise ScannerNotReady

    async def closing(self) -> bool:
        """Whether a script has closed the window, which takes the browser a moment."""
        try:
            return bool(await self._channel.send(self._frames.top, {"oryn": "closing"}, timeout=5))
        except (DocumentGone, NobodyThere, Timeout):
            return False

    async def listeners(self, node: Node, levels: int, timeout: float) -> Any:
        try:
            return await self._channel.send(node, {"oryn": "listeners", "levels": levels}, timeout=timeout)
        except OrynError:
            return None  # only hints: whatever is wrong, the request that wants them will meet it too
