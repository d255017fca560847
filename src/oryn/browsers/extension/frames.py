"""The frames of a tab, as `webNavigation` reports them, with what their content scripts add: names, origins, and where
they lie in the tab.

No event reports that a frame has left, so the tree is queried again whenever a command begins or a page has become
quiet. By then earlier events have arrived, too.
https://developer.chrome.com/docs/extensions/reference/api/webNavigation"""

from __future__ import annotations

import asyncio
import secrets
from typing import Any

from oryn.browsers.base import Frame, FrameArea
from oryn.browsers.common import frame_tree
from oryn.browsers.common.frame_tree import frame_area, to_frame
from oryn.browsers.common.network_errors import is_error_page
from oryn.browsers.common.tab_state import DocumentGone
from oryn.browsers.extension.channel import ExtensionChannel
from oryn.errors import CannotAccessPage, FrameNotFound, OrynError

TOP = "0"
"""The browser's id of every tab's top frame."""
NO_DOCUMENT = "0" * 32
"""The id that the browser reports if there is no document."""
ANSWER_SECONDS = 2.0
TOKEN_SECONDS = 2.0


class ExtensionFrameNode(frame_tree.FrameNode, frozen=False):
    """A frame, and the browser's id of the document in it."""

    document: str = ""
    reads: bool | None = None
    """Whether scripts of the parent can access the document; None until its content script has answered."""

    failed: bool = False
    """The last navigation in it has failed. If no content script answers then, it shows an error page."""

    def is_readable_by_parent(self) -> bool:
        return self.parent is not None and self.reads is True

    def renew(self, document: str) -> None:
        """Another document is in the frame."""
        if document != self.document:
            self.document, self.loader, self.reads, self.hints = document, document, None, None

    def show(self, url: str, *, failed: bool = False) -> None:
        """The document is at `url`; `failed` is whether its navigation has failed."""
        self.url = url
        self.failed = failed
        self.is_error_page = is_error_page(url) or (failed and self.reads is None and self.parent is not None)

    def on_answered(self, reads: bool) -> None:
        """The document's content script has answered: no error page has one."""
        self.reads = reads
        self.is_error_page = is_error_page(self.url)


class ExtensionFrameTree(frame_tree.FrameTree[ExtensionFrameNode]):
    """The frame tree of one tab."""

    def __init__(self, channel: ExtensionChannel) -> None:
        super().__init__(ExtensionFrameNode(id=TOP, parent=None, url="about:blank"))
        self._channel = channel
        self._tokens: dict[str, asyncio.Future[int]] = {}
        self._reported_document = ""
        """The document of the top frame at the last query; its events may not have arrived yet."""
        self._error_pages: set[str] = set()
        """The documents in frames that are error pages, as far as events have said so."""

    # --- the browser's events ---

    def on_loading(self, frame: dict[str, Any]) -> None:
        """A frame below the top one begins to load; it may be new."""
        if self._get_or_add(frame) is not None:
            self._channel.signal.notify()

    def on_committed(self, frame: dict[str, Any]) -> None:
        """A frame below the top one has another document."""
        node = self._get_or_add(frame)
        if node is not None:
            self.drop_children(node)
            node.renew(frame["documentId"])
            node.show(frame["url"])
            self._channel.signal.notify()

    def on_error_page(self, document: str) -> None:
        """A document in a frame is an error page, which Firefox's `getAllFrames` does not say."""
        self._error_pages.add(document)
        self._channel.signal.notify()

    def moved_within(self, frame: dict[str, Any]) -> None:
        """A frame has navigated within its document."""
        if node := self.get(str(frame["frameId"])):
            node.url = frame["url"]
            self._channel.signal.notify()

    def on_top_committed(self, loader: str, document: str, url: str) -> None:
        """The top frame has another document."""
        self.drop_children(self.top)
        self.top.renew(document)
        self.top.loader = loader
        self.top.show(url)

    def _get_or_add(self, frame: dict[str, Any]) -> ExtensionFrameNode | None:
        """The node of a frame in an event, created if it is new; None if its parent is not known."""
        node = self.get(str(frame["frameId"]))
        if node is None and (parent := self.get(str(frame["parentFrameId"]))) is not None:
            node = ExtensionFrameNode(id=str(frame["frameId"]), parent=parent, url="about:blank")
            parent.children.append(node)
            self._nodes[node.id] = node
        return node

    # --- queries ---

    async def refresh(self, *, timeout: float = ANSWER_SECONDS) -> None:
        """Query the browser for the frames, and new frames for their names and origins. Never raises: frames that do
        not answer within `timeout` seconds stay as they are."""
        try:
            frames = await self._channel.call(
                "webNavigation.getAllFrames", {"tabId": self._channel.tab}, timeout=timeout
            )
        except OrynError:
            return
        self._adopt(frames or [])
        unknown = [node for node in self.top.subtree() if node.parent is not None and node.reads is None]
        await asyncio.gather(*(self._query(node, timeout) for node in unknown))

    def _adopt(self, frames: list[dict[str, Any]]) -> None:
        there = [frame for frame in frames if frame.get("documentLifecycle", "active") == "active"]
        for frame in there:
            if frame["frameId"] == 0:
                self._reported_document = frame.get("documentId", "")
                if not self.top.document:  # it was there before its events were followed
                    self.top.renew(self._reported_document)
                    self.top.show(frame["url"])
            elif (node := self._get_or_add(frame)) is not None:
                node.renew(frame.get("documentId", ""))
                failed = bool(frame.get("errorOccurred")) or node.document in self._error_pages
                node.show(frame["url"] or "about:blank", failed=failed)
        ids = {str(frame["frameId"]) for frame in there} | {TOP}
        self._error_pages &= {frame.get("documentId", "") for frame in there}
        for node in [node for node in self.top.subtree() if node.id not in ids]:
            self.drop(node)

    async def has_new_document(self, node: ExtensionFrameNode, document: str) -> bool:
        """Whether another document than `document` is in a frame by now. Raises `FrameNotFound`."""
        await self.refresh()
        if self.get(node.id) is not node:
            raise FrameNotFound("the frame is gone", "Run 'frames' to see which there are.")
        if node is self.top and document and self._reported_document != document:
            await self._channel.signal.until(lambda: node.document != document, ANSWER_SECONDS)
        return node.document != document

    async def _query(self, node: ExtensionFrameNode, timeout: float) -> None:
        try:
            answer = await self._channel.send(node, {"oryn": "frame"}, timeout=timeout)
        except OrynError:
            return  # an error page, or the frame is gone
        if isinstance(answer, dict):
            node.on_answered(bool(answer.get("reads")))
            node.name, node.origin = str(answer.get("name")), str(answer["origin"])

    # --- frames and their elements ---

    def on_token(self, token: str, frame_id: int) -> None:
        """The content script of a frame has been posted a token by that of the frame around it."""
        future = self._tokens.get(token)
        if future is not None and not future.done():
            future.set_result(frame_id)

    async def frame_of(self, element_id: int, frame: Frame | None) -> Frame:
        """The frame in the element numbered `element_id`. Raises `FrameNotFound` if it holds none,
        `CannotAccessPage` if no content script answers in it.

        The outer content script posts a random token into the element's window, and the inner one reports it: the
        browser says which frame the report is from."""
        node = self.node(frame)
        token = secrets.token_hex(16)
        self._tokens[token] = asyncio.get_running_loop().create_future()
        try:
            if not await self._channel.send(node, {"oryn": "post", "element": element_id, "token": token}):
                raise _no_frame_in_element(element_id)
            self._channel.call_in_background("tabs.sendMessage", self._channel.tab, {"oryn": "report", "token": token})
            async with asyncio.timeout(TOKEN_SECONDS):
                found = await self._tokens[token]
        except TimeoutError:
            raise CannotAccessPage(hint="The browser lets no extension into that frame.") from None
        finally:
            del self._tokens[token]
        if self.get(str(found)) is None:
            await self.refresh()
        inner = self.get(str(found))
        if inner is None or inner is node:
            raise _no_frame_in_element(element_id)
        return to_frame(inner)

    async def query_parent(self, node: ExtensionFrameNode, message: dict[str, Any], *, timeout: float = 30) -> Any:
        """Ask the content script of the frame around `node` about the element that holds it. Raises
        `FrameNotFound`."""
        assert node.parent is not None
        message = {**message, "frame": node.id}
        try:
            answer = await self._channel.send(node.parent, message, timeout=timeout)
            if answer is None:
                # By a token that the frame posts, the frame around it learns which element holds the frame.
                token = secrets.token_hex(16)
                await self._channel.send(node, {"oryn": "announce", "token": token}, timeout=timeout)
                await self._channel.send(
                    node.parent, {"oryn": "meet", "token": token, "frame": node.id}, timeout=timeout
                )
                answer = await self._channel.send(node.parent, message, timeout=timeout)
        except DocumentGone:
            answer = None
        if answer is None:
            raise FrameNotFound("the frame is gone", "Run 'frames' to see which there are.")
        return answer

    async def locate_in_parent(self, node: ExtensionFrameNode, x: float, y: float) -> tuple[float, float, str]:
        found: tuple[float, float, str] = await self.query_parent(node, {"oryn": "place", "x": x, "y": y})
        return found

    async def area_in_parent(self, node: ExtensionFrameNode, timeout: float) -> FrameArea:
        return frame_area(await self.query_parent(node, {"oryn": "area"}, timeout=timeout))


def _no_frame_in_element(element_id: int) -> FrameNotFound:
    return FrameNotFound(f"element {element_id} holds no frame", "Run 'frames' to see which there are.")
