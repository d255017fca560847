"""The frames of a tab, as `webNavigation` tells about them, and what their content scripts add: names, origins.

No event tells that a frame has left, so the tree is asked for again whenever a command begins or a page has come to
rest. By then the events of before have come, too. https://developer.chrome.com/docs/extensions/reference/api/webNavigation
"""

from __future__ import annotations

import asyncio
import secrets
from typing import Any

from oryn.browsers.base import Frame
from oryn.browsers.common import tree
from oryn.browsers.common.error_page import is_error_page
from oryn.browsers.common.life import DocumentGone
from oryn.browsers.common.tree import describe
from oryn.browsers.extension.channel import Channel
from oryn.errors import CannotAccessPage, FrameNotFound, OrynError

TOP = "0"
"""The browser's id of every tab's top frame."""
NO_DOCUMENT = "0" * 32
"""In the place of a document's id, where there is none."""
FACTS_SECONDS = 2.0
TOKEN_SECONDS = 2.0


class Node(tree.Node, frozen=False):
    """A frame, and the browser's id of the document in it."""

    document: str = ""
    reads: bool | None = None
    """Whether scripts of the parent reach into the document; None while nobody has asked it."""

    failed: bool = False
    """The last navigation in it has failed: where no script of ours answers then, an error page is what it came to."""

    @property
    def is_error_page(self) -> bool:
        return is_error_page(self.url) or (self.failed and self.reads is None and self.parent is not None)

    def reads_parent(self) -> bool:
        return self.parent is not None and self.reads is True

    def renew(self, document: str) -> None:
        """Another document is in the frame."""
        if document != self.document:
            self.document, self.loader, self.reads, self.hints = document, document, None, None


class Frames(tree.FrameTree[Node]):
    """The frame tree of one tab."""

    def __init__(self, channel: Channel) -> None:
        super().__init__(Node(id=TOP, parent=None, url="about:blank"))
        self._channel = channel
        self._tokens: dict[str, asyncio.Future[int]] = {}
        self._shown = ""
        """The document of the top frame, as the browser said when it was last asked: its events may be on their way."""

    # --- reacting ---

    def coming(self, frame: dict[str, Any]) -> None:
        """A frame below the top one begins to load: it may be new."""
        if self._known(frame) is not None:
            self._channel.signal.notify()

    def committed(self, frame: dict[str, Any]) -> None:
        """A frame below the top one has another document."""
        node = self._known(frame)
        if node is not None:
            self.drop_children(node)
            node.renew(frame["documentId"])
            node.url, node.failed = frame["url"], False
            self._channel.signal.notify()

    def moved_within(self, frame: dict[str, Any]) -> None:
        if node := self.get(str(frame["frameId"])):
            node.url = frame["url"]
            self._channel.signal.notify()

    def top_committed(self, loader: str, document: str, url: str) -> None:
        self.drop_children(self.top)
        self.top.renew(document)
        self.top.loader, self.top.url = loader, url

    def _known(self, frame: dict[str, Any]) -> Node | None:
        """The node of a frame that the browser speaks of, made if need be; None where its parent is not known."""
        node = self.get(str(frame["frameId"]))
        if node is None and (parent := self.get(str(frame["parentFrameId"]))) is not None:
            node = Node(id=str(frame["frameId"]), parent=parent, url="about:blank")
            parent.children.append(node)
            self._nodes[node.id] = node
        return node

    # --- bringing it up to date ---

    async def refresh(self, *, timeout: float = FACTS_SECONDS) -> None:
        """Ask which frames there are, and those that are new what they are. What can't be asked stays as it is."""
        try:
            frames = await self._channel.call(
                "webNavigation.getAllFrames", {"tabId": self._channel.tab}, timeout=timeout
            )
        except OrynError:
            return
        self._adopt(frames or [])
        asked = [node for node in self.top.below() if node.parent is not None and node.reads is None]
        await asyncio.gather(*(self._ask(node, timeout) for node in asked))

    def _adopt(self, frames: list[dict[str, Any]]) -> None:
        there = [frame for frame in frames if frame.get("documentLifecycle", "active") == "active"]
        for frame in there:
            if frame["frameId"] == 0:
                self._adopt_top(frame)
            elif (node := self._known(frame)) is not None:
                node.renew(frame.get("documentId", ""))
                node.url, node.failed = frame["url"] or "about:blank", bool(frame.get("errorOccurred"))
        ids = {str(frame["frameId"]) for frame in there} | {TOP}
        for node in [node for node in self.top.below() if node.id not in ids]:
            self.drop(node)

    def _adopt_top(self, frame: dict[str, Any]) -> None:
        """Known by its events, save what was there before anybody listened."""
        self._shown = frame.get("documentId", "")
        if not self.top.document:
            self.top.renew(frame.get("documentId", ""))
            self.top.url = frame["url"]

    async def has_moved_on(self, node: Node, document: str) -> bool:
        """Whether another document is in a frame by now, told by events or on the way. Raises `FrameNotFound`."""
        await self.refresh()
        if self.get(node.id) is not node:
            raise FrameNotFound("the frame is gone", "Run 'frames' to see which there are.")
        if node is self.top and document and self._shown != document:
            await self._channel.signal.until(lambda: node.document != document, FACTS_SECONDS)
        return node.document != document

    async def _ask(self, node: Node, timeout: float) -> None:
        try:
            facts = await self._channel.send(node, {"oryn": "frame"}, timeout=timeout)
        except OrynError:
            return  # the browser's error page, or gone
        if isinstance(facts, dict):
            node.reads, node.name, node.origin = bool(facts.get("reads")), str(facts.get("name")), str(facts["origin"])

    # --- which element holds which frame ---

    def token_came(self, token: str, frame_id: int) -> None:
        """The content script of a frame has been posted a token by that of the frame around it."""
        future = self._tokens.get(token)
        if future is not None and not future.done():
            future.set_result(frame_id)

    async def frame_of(self, element_id: int, frame: Frame | None) -> Frame:
        """The frame that the element numbered `element_id` holds. Raises `FrameNotFound` when it holds none.

        The outer content script posts a random token into the element's window, and the inner one says that it came:
        from which frame that is said, the browser itself knows."""
        node = self.node(frame)
        token = secrets.token_hex(16)
        self._tokens[token] = asyncio.get_running_loop().create_future()
        try:
            if not await self._channel.send(node, {"oryn": "post", "element": element_id, "token": token}):
                raise _holds_none(element_id)
            self._channel.tell("tabs.sendMessage", self._channel.tab, {"oryn": "report", "token": token})
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
            raise _holds_none(element_id)
        return describe(inner)

    async def ask_around(self, node: Node, message: dict[str, Any], *, timeout: float = 30) -> Any:
        """What the content script of the frame around `node` says of the element that holds it. Raises
        `FrameNotFound`."""
        assert node.parent is not None
        message = {**message, "frame": node.id}
        try:
            answer = await self._channel.send(node.parent, message, timeout=timeout)
            if answer is None:
                await self._announce(node, timeout)
                answer = await self._channel.send(node.parent, message, timeout=timeout)
        except DocumentGone:
            answer = None
        if answer is None:
            raise FrameNotFound("the frame is gone", "Run 'frames' to see which there are.")
        return answer

    async def _announce(self, node: Node, timeout: float) -> None:
        """Have a frame post a random token to the one around it, which learns by it whose element it is."""
        assert node.parent is not None
        token = secrets.token_hex(16)
        await self._channel.send(node, {"oryn": "announce", "token": token}, timeout=timeout)
        await self._channel.send(node.parent, {"oryn": "meet", "token": token, "frame": node.id}, timeout=timeout)


def _holds_none(element_id: int) -> FrameNotFound:
    return FrameNotFound(f"element {element_id} holds no frame", "Run 'frames' to see which there are.")
