"""The frames of a tab: the tree, and the session and the two script worlds of each frame.

A frame whose site differs from its parent's may live in another process; the browser then attaches a session of its own
(`Target.setAutoAttach`). Events keep everything up to date, so reading it costs no round trip.
https://chromedevtools.github.io/devtools-protocol/tot/Page/#event-frameAttached"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from oryn.browsers.base import FrameArea
from oryn.browsers.cdp.channel import CdpChannel
from oryn.browsers.cdp.connection import CdpSession
from oryn.browsers.common import frame_tree
from oryn.browsers.common.frame_tree import frame_area
from oryn.browsers.common.network_errors import is_error_page
from oryn.browsers.common.tab_state import DocumentGone
from oryn.core.records import Record, field
from oryn.errors import ElementStale, FrameNotFound
from oryn.scanner import page_script

WORLD_NAME = "oryn"
_OPAQUE = "://"

QUERY_SECONDS = 10.0


class ScriptWorlds(Record, frozen=False):
    """Ids of the execution contexts of one document; None while unknown."""

    page: int | None = None
    scanner: int | None = None

    @property
    def exist(self) -> bool:
        return self.page is not None or self.scanner is not None


class CdpFrameNode(frame_tree.FrameNode, frozen=False):
    """A frame, with its session and script worlds."""

    session: CdpSession  # type: ignore[misc]  # a record's own fields come before those that it inherits
    worlds: ScriptWorlds = field(factory=ScriptWorlds)

    def is_readable_by_parent(self) -> bool:
        """Whether scripts of the parent can reach into this document."""
        if self.parent is None or self.session is not self.parent.session:
            return False  # scripts in different processes share no objects
        # https://html.spec.whatwg.org/multipage/browsers.html#same-origin: opaque origins differ from each other, and
        # so do file: URLs in Chromium; but about: documents inherit the origin of their parent, unless a sandbox keeps
        # them from it.
        if self.origin != self.parent.origin:
            return False
        if self.origin.startswith(("http://", "https://")):
            return True
        if not self.url.startswith("about:"):
            return False
        return self.origin != _OPAQUE or self.parent.url.startswith("data:") or self.parent.is_readable_by_parent()


class CdpFrameTree(frame_tree.FrameTree[CdpFrameNode]):
    """The frame tree of one tab, kept up to date by events.

    `on_commit` listeners are called with the frame of each new document. `world_name` is that of the scanner's worlds:
    a session that shares the tab with others needs one of its own, as worlds of one name are one world."""

    def __init__(self, channel: CdpChannel, top_id: str, world_name: str = WORLD_NAME) -> None:
        super().__init__(CdpFrameNode(id=top_id, parent=None, session=channel.session, url="about:blank"))
        self._channel = channel
        self.world_name = world_name
        self._contexts: dict[tuple[str, int], tuple[CdpFrameNode, ScriptWorlds]] = {}
        self.on_commit: list[Callable[[CdpFrameNode], None]] = []
        self.is_initialized = False
        """Whether the frames that existed before we listened are in the tree."""

    # --- events ---

    def listen(self, session: CdpSession) -> None:
        """Follow the events of `session` about frames and script worlds."""
        session.on(
            "Page.frameAttached", lambda event: self._on_attached(session, event["frameId"], event["parentFrameId"])
        )
        session.on("Page.frameNavigated", lambda event: self._on_navigated(session, event["frame"]))
        session.on("Page.navigatedWithinDocument", self._on_same_document)
        session.on(
            "Page.frameDetached", lambda event: self._on_detached(session, event["frameId"], event.get("reason", ""))
        )
        session.on("Runtime.executionContextCreated", lambda event: self._on_context_created(session, event["context"]))
        session.on(
            "Runtime.executionContextDestroyed",
            lambda event: self._on_context_destroyed(session, event["executionContextId"]),
        )
        session.on("Runtime.executionContextsCleared", lambda _: self._on_contexts_cleared(session))

    def adopt(self, session: CdpSession, tree: dict[str, Any]) -> None:
        """Add a frame tree (the result of `Page.getFrameTree`) that existed before we listened."""
        frame = tree["frame"]
        if frame["id"] not in self._nodes and (parent := frame.get("parentId")):
            self._on_attached(session, frame["id"], parent)
        node = self._nodes.get(frame["id"])
        if node is None:
            return
        if not node.loader:  # an event may have brought something newer
            self._on_navigated(session, frame)
        for child in tree.get("childFrames", ()):
            self.adopt(session, child)
        self.is_initialized = True
        self._channel.signal.notify()

    def _on_attached(self, session: CdpSession, frame_id: str, parent_id: str) -> None:
        if existing := self._nodes.get(frame_id):
            existing.session = session  # back from a process of its own
            self.drop_children(existing)
        elif parent := self._nodes.get(parent_id):
            node = CdpFrameNode(id=frame_id, parent=parent, session=session, url="about:blank", origin=parent.origin)
            parent.children.append(node)
            self._nodes[frame_id] = node
        self._channel.signal.notify()

    def on_moved(self, frame_id: str, session: CdpSession) -> None:
        """Record that the frame is now in a process of its own, which `session` is for."""
        if node := self._nodes.get(frame_id):
            node.session = session
            node.worlds = ScriptWorlds()
            self.drop_children(node)

    def _on_navigated(self, session: CdpSession, frame: dict[str, Any]) -> None:
        node = self._nodes.get(frame["id"])
        if node is None:
            return
        if node.session is not session and node is not self.top:
            node.session = session
        self.drop_children(node)
        node.url = (frame["url"] or "about:blank") + frame.get("urlFragment", "")
        node.is_error_page = is_error_page(node.url)
        node.name = frame.get("name", "") or node.name
        if not (
            node.worlds.exist and node.url.startswith("about:")
        ):  # else its context has brought the inherited origin
            node.origin = frame.get("securityOrigin", "")
        node.unreachable = frame.get("unreachableUrl", "")
        if node.loader != frame["loaderId"]:
            node.loader = frame["loaderId"]
            node.hints = None
        for listener in self.on_commit:
            listener(node)
        self._on_url_changed(node)
        self._channel.signal.notify()

    def _on_url_changed(self, node: CdpFrameNode) -> None:
        if node is self.top:
            for listener in self.on_url_change:
                listener()

    def _on_same_document(self, event: dict[str, Any]) -> None:
        if node := self._nodes.get(event["frameId"]):
            node.url = event["url"]
            self._on_url_changed(node)
            self._channel.signal.notify()

    def _on_detached(self, session: CdpSession, frame_id: str, reason: str) -> None:
        node = self._nodes.get(frame_id)
        if node is None or node is self.top:
            return
        if reason == "swap" or node.session is not session:
            # The frame moved to another process, whose session may be attached already.
            if node.session is session:
                self.drop_children(node)
            return
        self.drop(node)
        self._channel.signal.notify()

    def on_session_ended(self, session: CdpSession) -> None:
        """Handle the end of a frame's own process: the frame has moved back to its parent's, or has left the page."""
        for node in list(self._nodes.values()):
            if node.session is session and node.parent is not None:
                self.drop(node)
        self._on_contexts_cleared(session)
        self._channel.signal.notify()

    def drop(self, node: CdpFrameNode) -> None:
        for each in node.subtree():
            each.worlds = ScriptWorlds()
        super().drop(node)

    # --- geometry ---

    async def locate_in_parent(self, node: CdpFrameNode, x: float, y: float) -> tuple[float, float, str]:
        x, y, covered = await self._call_on_element(node, "reveal", x, y)
        return x, y, covered

    async def area_in_parent(self, node: CdpFrameNode, timeout: float) -> FrameArea:
        return frame_area(await self._call_on_element(node, "area", timeout=timeout))

    async def find_input_target(self, failed: Sequence[CdpFrameNode], point: Sequence[float]) -> CdpFrameNode | None:
        """The frame among `failed` that input goes to, or None. Only pages with a frame that shows an error page of the
        browser need it.

        point: a point of the tab's viewport; if it is empty, input goes to the frame that has the focus."""
        hits = await asyncio.gather(*(self._gets_input(node, point) for node in failed))
        return next((node for node, is_hit in zip(failed, hits, strict=True) if is_hit), None)

    async def _gets_input(self, node: CdpFrameNode, point: Sequence[float]) -> bool:
        around = [node]
        while (parent := around[-1].parent) is not None and parent.parent is not None:
            around.append(parent)
        try:
            for each in reversed(around):
                if not point:
                    if not await self._call_on_element(each, "isFocused", timeout=QUERY_SECONDS):
                        return False
                    continue
                inner = await self._call_on_element(each, "inwardOnTop", *point, timeout=QUERY_SECONDS)
                if not inner:
                    return False
                point = inner
        except (FrameNotFound, DocumentGone):
            return False  # the frame is gone
        return True

    async def _call_on_element(self, node: CdpFrameNode, operation: str, *numbers: float, timeout: float = 30) -> Any:
        """Run an operation of the page script `frame` on a frame's element, in the scanner's world of the parent frame.
        Raises `FrameNotFound` if the frame is gone.
        https://chromedevtools.github.io/devtools-protocol/tot/DOM/#method-getFrameOwner"""
        assert node.parent is not None
        session = node.parent.session
        try:
            owner = await self._channel.call(
                "DOM.getFrameOwner", {"frameId": node.id}, session=session, timeout=timeout
            )
            params = {"backendNodeId": owner["backendNodeId"]}
            if node.parent.worlds.scanner is not None:
                params["executionContextId"] = node.parent.worlds.scanner
            element = await self._channel.call("DOM.resolveNode", params, session=session, timeout=timeout)
        except ElementStale as error:
            raise FrameNotFound("the frame is gone", "Run 'frames' to see which there are.") from error
        call = {
            "functionDeclaration": page_script("frame"),
            "objectId": element["object"]["objectId"],
            "arguments": [{"value": each} for each in (operation, *numbers)],
            "awaitPromise": True,
            "returnByValue": True,
        }
        answer = await self._channel.call("Runtime.callFunctionOn", call, session=session, timeout=timeout)
        return answer["result"]["value"]

    # --- script worlds ---

    def _on_context_created(self, session: CdpSession, context: dict[str, Any]) -> None:
        data = context.get("auxData") or {}
        node = self._nodes.get(data.get("frameId", ""))
        if node is None or node.session is not session:
            return
        if data.get("isDefault"):
            node.worlds.page = context["id"]
        elif context.get("name") == self.world_name:
            node.worlds.scanner = context["id"]
        else:
            return
        # The frame's own `securityOrigin` is that of its URL; this is the document's, inherited or sandboxed.
        node.origin = context["origin"]
        self._contexts[session.id, context["id"]] = node, node.worlds
        self._channel.signal.notify()

    def _on_context_destroyed(self, session: CdpSession, context_id: int) -> None:
        _, worlds = self._contexts.pop((session.id, context_id), (None, None))
        if worlds is None:
            return
        if worlds.page == context_id:
            worlds.page = None
        if worlds.scanner == context_id:
            worlds.scanner = None

    def _on_contexts_cleared(self, session: CdpSession) -> None:
        for session_id, context_id in list(self._contexts):
            if session_id == session.id:
                self._on_context_destroyed(session, context_id)
