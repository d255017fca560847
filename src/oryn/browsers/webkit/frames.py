"""The frames of a tab: the tree, the execution context of each frame's document, and where frames lie in the page.

All frames of a tab share its page's session. Events tell of new documents and of frames that go; that a frame has come
without a document of its own, the order of frames, and another URL of the same document are read from the whole tree.
The URLs and origins are the browser's own: no script of a page takes part.
https://github.com/WebKit/WebKit/blob/main/Source/JavaScriptCore/inspector/protocol/Page.json"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from oryn.browsers.base import FrameArea
from oryn.browsers.common import frame_tree
from oryn.browsers.common.frame_tree import frame_area
from oryn.browsers.common.network_errors import ERROR_PAGE_URL
from oryn.errors import FrameNotFound, OrynError

if TYPE_CHECKING:
    from oryn.browsers.common.protocol_session import ProtocolSession
    from oryn.browsers.webkit.channel import WebKitChannel

QUERY_SECONDS = 5.0
OPERATION_SECONDS = 30.0
MAX_READS = 5
"""How often the tree is read anew because it has changed meanwhile."""
FrameOperation = Callable[..., Awaitable[Any]]


class WebKitFrameNode(frame_tree.FrameNode, frozen=False):
    """A frame, with the execution context of its present document.

    `context` is None until the document has one; a document whose sandbox forbids scripts never gets one."""

    context: int | None = None

    def is_readable_by_parent(self) -> bool:
        """Whether scripts of the parent can reach into this document."""
        if self.parent is None or self.origin != self.parent.origin:
            return False
        if self.origin.startswith(("http://", "https://")):
            return True
        # Files differ from each other, and so do opaque origins, which have no name; but about: documents inherit the
        # origin of their parent, unless a sandbox keeps them from it.
        if not self.url.startswith("about:"):
            return False
        return bool(self.origin) or not self.parent.url.startswith(("http:", "https:", "about:srcdoc"))


class WebKitFrameTree(frame_tree.FrameTree[WebKitFrameNode]):
    """The frame tree of one tab, children up to date by events.

    Listeners: `on_commit` with the frame of each new document, `on_context` with a frame whose document has got its
    execution context (also another one), `on_url_change` when the URL of the tab changes, also within a document,
    `on_same_document` with that URL then. `operate` runs an operation of the page script `frame` on the element of a
    frame: `(parent, index, operation, *numbers, timeout=)`, where `index` is the frame's place among its siblings."""

    def __init__(self, channel: WebKitChannel, own_frame: str) -> None:
        """`own_frame` is the name of the frames that the scanner makes for itself, which are none of the page's."""
        super().__init__(WebKitFrameNode(id="", parent=None, url="about:blank"))
        self._channel = channel
        self._own_name = own_frame
        self._own: set[str] = set()
        """The ids of the scanner's frames that are still there."""
        self._contexts: dict[int, WebKitFrameNode] = {}
        self.on_commit: list[Callable[[WebKitFrameNode], None]] = []
        self.on_context: list[Callable[[WebKitFrameNode], None]] = []
        self.on_url_change: list[Callable[[], None]] = []
        self.on_same_document: list[Callable[[str], None]] = []
        self.operate: FrameOperation = _no_operation
        self._starting: set[str] = set()
        """The ids of frames that have begun to load and are not in the tree."""
        self._unplaced: dict[str, int] = {}
        """Execution contexts of frames that are not in the tree yet, by frame."""
        self._reading: set[asyncio.Task[None]] = set()
        self._changes = 0
        """How many events have changed the tree."""
        self._is_restoring = False
        self.is_initialized = False
        """Whether the frames that existed before we listened are in the tree."""

    # --- events ---

    def listen(self, session: ProtocolSession) -> None:
        """Follow the events of `session`, which is that of the page from now on, about frames and contexts."""
        session.on("Page.frameNavigated", lambda event: self._on_navigated(session, event["frame"]))
        session.on("Page.frameDetached", lambda event: self._on_detached(session, event["frameId"]))
        session.on("Page.frameStartedLoading", lambda event: self._on_started_loading(session, event["frameId"]))
        session.on("Runtime.executionContextCreated", lambda event: self._on_context(session, event["context"]))

    def fetch(self, session: ProtocolSession | None = None) -> asyncio.Task[None]:
        """Read the whole tree. Never fails for what the page does."""
        task = asyncio.ensure_future(self._read(session or self._channel.session))
        self._reading.add(task)
        task.add_done_callback(self._reading.discard)
        return task

    async def refresh(self) -> None:
        await self.fetch()

    async def _read(self, session: ProtocolSession) -> None:
        for _ in range(MAX_READS):
            changes = self._changes
            try:
                answer = await session.call("Page.getResourceTree", timeout=QUERY_SECONDS)
            except OrynError:
                return  # whoever needs the frames meets the same failure
            if not self._is_current(session):
                return
            if changes == self._changes:  # else events that came after the answer have been handled before it
                self._adopt(answer["frameTree"], None)
                self.is_initialized = True
                self._channel.signal.notify()
                return

    def _is_current(self, session: ProtocolSession) -> bool:
        """Whether events of `session` are about the page that is shown."""
        return session is self._channel.session

    def _adopt(self, tree: dict[str, Any], parent: WebKitFrameNode | None) -> WebKitFrameNode:
        """A branch of the whole tree: its frames in their order, and their documents' present URLs."""
        frame = tree["frame"]
        node = self._place(frame["id"], parent)
        if node.loader != frame["loaderId"] and not (node.is_error_page and node is self.top and self.is_initialized):
            self._commit(node, frame)
        elif node.url != (url := frame["url"] or "about:blank") and not node.is_error_page:
            self._move(node, url)
        if not node.is_error_page:
            node.origin = frame.get("securityOrigin", "")
        if (context := self._unplaced.pop(node.id, None)) is not None:
            self._set_context(node, context)
        branches = (each for each in tree.get("childFrames", ()) if each["frame"].get("name") != self._own_name)
        children = [self._adopt(branch, node) for branch in branches]
        for child in list(node.children):
            if child not in children:
                self.drop(child)
        node.children[:] = children
        return node

    def _place(self, frame_id: str, parent: WebKitFrameNode | None) -> WebKitFrameNode:
        """The node of a frame, which is new or known."""
        if (node := self._nodes.get(frame_id)) is not None:
            return node
        if parent is None:
            self._rename_top(frame_id)
            return self.top
        node = WebKitFrameNode(id=frame_id, parent=parent, url="about:blank", origin=parent.origin)
        parent.children.append(node)
        self._nodes[frame_id] = node
        return node

    def _rename_top(self, frame_id: str) -> None:
        """The top frame has another id: the first one, or that of another process."""
        self._nodes.pop(self.top.id, None)
        self.top.id = frame_id
        self._nodes[frame_id] = self.top

    def _on_navigated(self, session: ProtocolSession, frame: dict[str, Any]) -> None:
        if not self._is_current(session):
            return
        if frame.get("name") == self._own_name:
            self._own.add(frame["id"])
            return
        parent_id = frame.get("parentId")
        parent = self._nodes.get(parent_id) if parent_id else None
        if parent is None and parent_id:
            self.fetch(session)
            return
        self._changes += 1
        self._unplaced.pop(frame["id"], None)  # of the document before
        node = self._place(frame["id"], parent)
        self.drop_children(node)
        self._commit(node, frame)
        self._channel.signal.notify()

    def _commit(self, node: WebKitFrameNode, frame: dict[str, Any]) -> None:
        """A frame has a document, which is new to us."""
        self._forget_context(node)
        node.url = frame["url"] or "about:blank"
        node.name = frame.get("name", "") or node.name
        node.origin = frame.get("securityOrigin", "")
        node.is_error_page, node.unreachable = False, ""
        node.loader = frame["loaderId"]
        node.hints = None
        for listener in self.on_commit:
            listener(node)
        self._on_url_changed(node)

    def show_error_page(self, loader: str, unreachable: str) -> None:
        """The top document is the browser's error page; `loader` is that of the load that failed."""
        top = self.top
        top.url, top.origin, top.loader = ERROR_PAGE_URL, "", loader
        top.is_error_page, top.unreachable = True, unreachable
        self._on_url_changed(top)

    def _move(self, node: WebKitFrameNode, url: str) -> None:
        """The document of a frame has another URL."""
        node.url = url
        self._on_url_changed(node)
        if node is self.top and not self._is_restoring:
            for listener in self.on_same_document:
                listener(url)

    def _on_url_changed(self, node: WebKitFrameNode) -> None:
        if node is self.top:
            for listener in self.on_url_change:
                listener()

    def _on_detached(self, session: ProtocolSession, frame_id: str) -> None:
        self._own.discard(frame_id)
        self._starting.discard(frame_id)
        node = self._nodes.get(frame_id)
        if node is not None and node is not self.top and self._is_current(session):
            self._changes += 1
            self.drop(node)
            self._channel.signal.notify()

    def _on_started_loading(self, session: ProtocolSession, frame_id: str) -> None:
        if frame_id not in self._nodes and self._is_current(session):
            # A new frame, which shows an empty document until it has loaded; or the scanner's, which soon goes.
            self._starting.add(frame_id)
            asyncio.get_running_loop().call_soon(self._place_started, session, frame_id)

    def _place_started(self, session: ProtocolSession, frame_id: str) -> None:
        if frame_id in self._starting and frame_id not in self._own and frame_id not in self._nodes:
            self.fetch(session)
        self._starting.discard(frame_id)

    def drop(self, node: WebKitFrameNode) -> None:
        for each in node.subtree():
            self._forget_context(each)
        super().drop(node)

    # --- execution contexts ---

    def node_of_context(self, context: int) -> WebKitFrameNode | None:
        """The frame whose present document has this execution context, or None."""
        return self._contexts.get(context)

    def _on_context(self, session: ProtocolSession, context: dict[str, Any]) -> None:
        if not self._is_current(session) or context.get("type", "normal") != "normal":
            return
        if context["frameId"] in self._own:
            return
        node = self._nodes.get(context["frameId"])
        if node is None:
            self._unplaced[context["frameId"]] = context["id"]
            self.fetch(session)
        else:
            self._set_context(node, context["id"])

    def _set_context(self, node: WebKitFrameNode, context: int) -> None:
        if node.context == context:
            return  # the event may come twice
        self._forget_context(node)
        node.context = context
        self._contexts[context] = node
        for listener in self.on_context:
            listener(node)
        self._channel.signal.notify()

    def _forget_context(self, node: WebKitFrameNode) -> None:
        if node.context is not None:
            self._contexts.pop(node.context, None)
            node.context = None
            self._channel.signal.notify()

    def on_session_committed(self) -> None:
        """The page has another session. Its document is reported next."""
        self._changes += 1
        self._unplaced.clear()
        self.drop_children(self.top)
        self._forget_context(self.top)
        # The ids there may be those of other frames and documents here.
        self._rename_top("")
        self.top.loader = ""

    async def restore(self) -> None:
        """A document was taken out of the cache of the history. The event of its commit has the URL of an empty one,
        and no event tells of its contexts and frames."""
        session = self._channel.session
        self._is_restoring = True
        task = self.fetch(session)
        # The browser tells all contexts anew.
        session.send("Runtime.disable")
        session.send("Runtime.enable")
        await task
        self._is_restoring = False

    # --- geometry ---

    async def index_in_parent(self, node: WebKitFrameNode) -> tuple[WebKitFrameNode, int]:
        """The parent of a frame, and the frame's place among its children, which is its number as `window[index]`.
        Raises `FrameNotFound`."""
        await self.refresh()
        parent = node.parent
        if parent is None or self._nodes.get(node.id) is not node:
            raise FrameNotFound("the frame is gone", "Run 'frames' to see which there are.")
        return parent, parent.children.index(node)

    async def locate_in_parent(self, node: WebKitFrameNode, x: float, y: float) -> tuple[float, float, str]:
        parent, index = await self.index_in_parent(node)
        x, y, covered = await self.operate(parent, index, "reveal", x, y, timeout=OPERATION_SECONDS)
        return x, y, covered

    async def area_in_parent(self, node: WebKitFrameNode, timeout: float) -> FrameArea:
        parent, index = await self.index_in_parent(node)
        return frame_area(await self.operate(parent, index, "area", timeout=timeout))


async def _no_operation(*_: Any, **__: Any) -> Any:
    raise FrameNotFound("the frame can't be located")
