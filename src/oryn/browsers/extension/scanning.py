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
from oryn.browsers.extension.debugger import Debugger
from oryn.browsers.extension.failures import NobodyThere, is_restricted
from oryn.browsers.extension.frames import Frames, Node
from oryn.browsers.extension.listeners import Listeners
from oryn.errors import CannotAccessPage, ScannerNotReady, Timeout

FILES = ("scanner.js", "content.js")
"""The content scripts, as the manifest names them."""
PINGS = 3
PING_SECONDS = 0.1


class Scanning(Asking[Node]):
    """The scanner of one tab."""

    def __init__(self, channel: Channel, frames: Frames, debugger: Debugger) -> None:
        super().__init__()
        self._channel = channel
        self._frames = frames
        self._listeners = Listeners(debugger)
        self._lived = ""
        """The id of the top document that answered last."""

    async def call(self, node: Node, request: str, timeout: float) -> Any:
        """Raises also `FrameNotFound`."""
        try:
            return await self.tell(node, {"oryn": "scan", "request": request}, timeout)
        except DocumentGone:
            if node.parent is not None:  # what is there now, its events may be late to tell
                await self._frames.has_moved_on(node, node.document)
            raise

    async def tell(self, node: Node, message: dict[str, Any], timeout: float) -> Any:
        """A message to a frame's content script, which is put there if need be. Raises `CannotAccessPage`,
        `ScannerNotReady`, `FrameNotFound`, and what `Channel.send` raises."""
        if node.parent is None and is_restricted(node.url):
            raise CannotAccessPage
        answer = await self._ask_script(node, message, timeout)
        if answer is None:
            await self._put(node, timeout)
            answer = await self._ask_script(node, message, timeout)
        if answer is None:
            raise ScannerNotReady
        if node.parent is None:
            self._lived = node.document
        return answer

    async def _ask_script(self, node: Node, message: dict[str, Any], timeout: float) -> Any:
        """None where nobody is there, or only the extension's other scripts are."""
        try:
            return await self._channel.send(node, message, timeout=timeout)
        except NobodyThere:
            return None

    async def _put(self, node: Node, timeout: float) -> None:
        """Wait for the content script that is coming, or put it where none comes."""
        document = node.document
        if await self._frames.has_moved_on(node, document):
            raise _gone()
        frame = {"tabId": self._channel.tab, "frameIds": [int(node.id)]}
        try:
            await self._channel.script({"target": frame, "files": FILES, "injectImmediately": True}, timeout=timeout)
        except CannotAccessPage:
            if await self._frames.has_moved_on(node, document):
                raise _gone() from None
            if node.parent is None and document and document == self._lived:
                self._channel.crashed()  # no event tells of it
            self._channel.check_alive()
            raise
        for ping in range(PINGS):
            if ping:
                await asyncio.sleep(PING_SECONDS)
            try:
                if await self._ask_script(node, {"oryn": "ping"}, timeout):
                    return
            except DocumentGone:
                continue
        raise ScannerNotReady

    async def closing(self) -> bool:
        """Whether a script has closed the window, which takes the browser a moment."""
        try:
            return bool(await self._channel.send(self._frames.top, {"oryn": "closing"}, timeout=5))
        except (DocumentGone, NobodyThere, Timeout):
            return False

    async def listeners(self, node: Node, levels: int, timeout: float) -> Any:
        return await self._listeners.ask(node, levels, timeout)


def _gone() -> DocumentGone:
    return DocumentGone("the document went away", "Run 'observe' to see what is there now.")
