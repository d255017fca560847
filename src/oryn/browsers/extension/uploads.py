"""Files for the pages of one tab, in which a debugger reports the file choosers.

The browser reads no file: what a server has sent is in the engine's memory, and its content goes to the extension's own
world in the page (`extension/content/files.ts`), which makes files of it. So a page gets nothing of the user's
computer, wherever the server runs."""

from __future__ import annotations

import asyncio
import base64
import mimetypes
import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oryn.browsers.base import Checkpoint, FileChooser
from oryn.browsers.cdp.connection import CdpSession
from oryn.browsers.cdp.file_choosers import CdpFileChoosers, accepts_drop
from oryn.browsers.extension.debugger import TabDebugger
from oryn.errors import ElementStale, OrynError

if TYPE_CHECKING:
    from oryn.browsers.common.synthetic_input import SyntheticMouse
    from oryn.browsers.extension.channel import ExtensionChannel
    from oryn.browsers.extension.frames import ExtensionFrameNode, ExtensionFrameTree
    from oryn.browsers.extension.scanner_client import ExtensionScannerClient

PIECE_BYTES = 768 * 1024
"""Bytes of a file that one message to a page has."""
SECONDS = 30.0
_CALL = "function(name, ...values) { return oryn_input[name](this, ...values); }"
"""Calls a function of `extension/content/files.ts` with an element of its world."""


class WorldElement:
    """An element in the extension's own world, as the protocol names it."""

    def __init__(self, session: CdpSession, object_id: str) -> None:
        self.session = session
        self.object_id = object_id


class ExtensionUploads:
    """The file choosers and file inputs of one tab."""

    def __init__(
        self,
        channel: ExtensionChannel,
        frames: ExtensionFrameTree,
        scanner_client: ExtensionScannerClient,
        debugger: TabDebugger,
        mouse: SyntheticMouse,
    ) -> None:
        """`mouse` dispatches the events of a drop."""
        self._choosers = CdpFileChoosers(channel, debugger)
        self._frames = frames
        self._scanner_client = scanner_client
        self._debugger = debugger
        self._mouse = mouse
        self._worlds: dict[CdpSession, set[int]] = {}
        """The isolated worlds in each session: those of extensions, ours among them."""

    def listen(self, session: CdpSession) -> None:
        """Follow a document's session."""
        self._worlds = {each: worlds for each, worlds in self._worlds.items() if each.ended is None}
        worlds = self._worlds[session] = set()
        self._choosers.listen(session)
        session.on("Runtime.executionContextCreated", lambda event: _add_isolated(worlds, event["context"]))
        session.on("Runtime.executionContextDestroyed", lambda event: worlds.discard(event["executionContextId"]))
        session.on("Runtime.executionContextsCleared", lambda _: worlds.clear())

    def waits(self, checkpoint: Checkpoint) -> bool:
        """Whether a chooser since a checkpoint has no files yet."""
        return self._choosers.waits(checkpoint)

    async def find(self, checkpoint: Checkpoint, timeout: float) -> FileChooser | None:
        """See `browsers.base.Page.file_chooser`."""
        return await self._choosers.find(checkpoint, timeout)

    async def choose(self, chooser: FileChooser, paths: Sequence[str]) -> None:
        """See `browsers.base.Page.choose_files`."""
        opened = self._choosers.answer(chooser)
        await self._give(await self._in_own_world(opened.session, opened.node), paths)

    async def set(self, element_id: int, paths: Sequence[str], node: ExtensionFrameNode) -> None:
        """See `browsers.base.Page.set_files`."""
        await self._give(await self._element(element_id, node), paths)

    async def drop(self, x: float, y: float, paths: Sequence[str]) -> None:
        """See `browsers.base.Page.drop_files`."""
        node = self._frames.node(await self._mouse.frame_at(x, y))
        await self._send(await self._element(None, node), paths)
        await self._mouse.drop(x, y)

    async def accepts_drop(self, element_id: int, node: ExtensionFrameNode) -> bool:
        """See `browsers.base.Page.accepts_drop`."""
        element = await self._element(element_id, node)
        return await accepts_drop(self._debugger, element.session, element.object_id)

    # --- files ---

    async def _give(self, element: WorldElement, paths: Sequence[str]) -> None:
        """Give files to a file input."""
        await self._send(element, paths)
        if not await self._call(element, "giveFiles"):
            raise _stale()

    async def _send(self, element: WorldElement, paths: Sequence[str]) -> None:
        """Send files to the world of an element, for `giveFiles` or a drop."""
        await self._call(element, "beginFiles")
        for path in map(Path, paths):
            await self._call(element, "beginFile", path.name, mimetypes.guess_type(path.name)[0] or "")
            for piece in _pieces(path):
                await self._call(element, "addPiece", base64.b64encode(piece).decode())

    async def _call(self, element: WorldElement, name: str, *values: str) -> Any:
        arguments = [{"value": each} for each in (name, *values)]
        params = {"objectId": element.object_id, "functionDeclaration": _CALL, "arguments": arguments}
        answer = await self._debugger.call(
            "Runtime.callFunctionOn", {**params, "returnByValue": True}, session=element.session, timeout=SECONDS
        )
        return answer["result"].get("value")

    # --- elements ---

    async def _element(self, element_id: int | None, node: ExtensionFrameNode) -> WorldElement:
        """An element that the scanner of a frame has numbered, or without a number the root of the frame's document.
        Raises `ElementStale`."""
        token = secrets.token_hex(16)
        await self._scanner_client.send_message(
            node, {"oryn": "hold", "element": element_id, "token": token}, timeout=SECONDS
        )
        params = {"expression": f"globalThis.oryn_input?.heldBy({token!r})"}
        queries = [
            (session, self._debugger.call("Runtime.evaluate", {**params, "contextId": world}, session=session))
            for session, worlds in self._worlds.items()
            for world in worlds
        ]
        answers = await asyncio.gather(*(call for _, call in queries), return_exceptions=True)
        for (session, _), answer in zip(queries, answers, strict=True):
            if isinstance(answer, dict) and (object_id := answer["result"].get("objectId")):
                return WorldElement(session, object_id)
        self._debugger.check_alive()
        raise _stale()

    async def _in_own_world(self, session: CdpSession, node: int | None) -> WorldElement:
        """A node of the browser's, in the extension's world of its frame. Raises `ElementStale`."""
        for world in tuple(self._worlds.get(session, ())):
            try:
                resolved = await self._debugger.call(
                    "DOM.resolveNode", {"backendNodeId": node, "executionContextId": world}, session=session
                )
                element = WorldElement(session, resolved["object"]["objectId"])
                if await self._call(element, "isHere"):
                    return element
            except OrynError:  # a world of another frame, or of another extension
                self._debugger.check_alive()
        raise _stale()


def _add_isolated(worlds: set[int], context: dict[str, Any]) -> None:
    if (context.get("auxData") or {}).get("type") == "isolated":
        worlds.add(context["id"])


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(PIECE_BYTES):
            yield piece


def _stale() -> ElementStale:
    return ElementStale("the file input has left the page", "Run 'observe' again.")
