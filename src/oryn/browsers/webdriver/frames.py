"""The frames of a tab, and where they lie in it.

No event of WebDriver reports frames, so each document is queried for those in it (`page.js`), frame by frame."""

from __future__ import annotations

from typing import Any

from oryn.browsers.base import Frame, FrameArea
from oryn.browsers.common import frame_tree
from oryn.browsers.common.frame_tree import frame_area, to_frame
from oryn.browsers.common.tab_state import DocumentGone
from oryn.browsers.webdriver.channel import FramePath, WebDriverChannel
from oryn.errors import DialogOpen, FrameNotFound, OrynError, PageCrashed, TabNotFound

TOP = "top"
"""The id of every tab's top frame."""
MAX_DEPTH = 20
MAX_FRAMES = 200
ANSWER_SECONDS = 5.0

_FRAME_OF_ELEMENT = """const element = globalThis.__oryn_element?.(arguments[0]);
return element && element.contentWindow ? globalThis[Symbol.for('oryn.page')].idOf(element) : null;"""


class WebDriverFrameNode(frame_tree.FrameNode, frozen=False):
    """A frame. `index` is its number in its parent (`window[index]`), by which WebDriver switches to it."""

    index: int = 0
    reads: bool = False
    """Whether scripts of the parent can access the document."""
    src: str = ""
    """The URL according to the parent."""

    def set_url(self, url: str) -> None:
        """Another URL is another document."""
        if self.url != url:
            self.url, self.loader, self.hints = url, f"{self.id}:{url}", None

    def is_readable_by_parent(self) -> bool:
        return self.parent is not None and self.reads

    @property
    def path(self) -> FramePath:
        """The way from the top frame."""
        return () if self.parent is None else (*self.parent.path, self.index)


class WebDriverFrameTree(frame_tree.FrameTree[WebDriverFrameNode]):
    """The frame tree of one tab."""

    def __init__(self, channel: WebDriverChannel) -> None:
        super().__init__(WebDriverFrameNode(id=TOP, parent=None, url="about:blank"))
        self._channel = channel

    def on_top_committed(self, loader: str, url: str, *, failed: bool) -> None:
        """The top frame has another document; with `failed` it is the browser's error page."""
        self.drop_children(self.top)
        self.top.loader, self.top.url, self.top.hints, self.top.is_error_page = loader, url, None, failed

    async def refresh(self) -> None:
        """Query all documents for their frames. Never raises for what pages do: frames that do not answer stay as they
        are."""
        left = MAX_FRAMES
        waiting = [self.top]
        while waiting and left > 0:
            node = waiting.pop(0)
            if node.level() >= MAX_DEPTH or node.is_error_page:
                continue
            try:
                found = await self._channel.call("frames", path=node.path, timeout=ANSWER_SECONDS)
            except (DialogOpen, TabNotFound, PageCrashed):
                return
            except OrynError:
                continue  # the frame is gone, or its document
            if not isinstance(found, dict):
                continue
            if node.parent is not None:
                node.set_url(str(found.get("url", node.url)))
            self._adopt(node, found.get("frames") or [])
            left -= len(node.children)
            waiting += node.children

    def _adopt(self, parent: WebDriverFrameNode, found: list[dict[str, Any]]) -> None:
        ids = {each["id"] for each in found}
        for gone in [child for child in parent.children if child.id not in ids]:
            self.drop(gone)
        children = []
        for each in found:
            node = self.get(each["id"])
            if node is None:
                node = WebDriverFrameNode(id=each["id"], parent=parent)
                self._nodes[node.id] = node
            if each["readable"] or node.src != each["url"]:
                node.set_url(each["url"])
            node.index, node.src, node.name, node.reads = each["index"], each["url"], each["name"], each["readable"]
            children.append(node)
        parent.children[:] = children

    async def frame_of(self, element_id: int, frame: Frame | None) -> Frame:
        """The frame in the element that the scanner of `frame` has numbered. Raises `FrameNotFound`."""
        node = self.node(frame)
        found = None
        try:
            found = await self._channel.execute(_FRAME_OF_ELEMENT, [element_id], node.path)
        except DocumentGone:
            pass
        if found is not None and self.get(found) is None:
            await self.refresh()
        inner = None if found is None else self.get(found)
        if inner is None:
            raise FrameNotFound(f"element {element_id} holds no frame", "Run 'frames' to see which there are.")
        return to_frame(inner)

    async def query_parent(self, operation: str, node: WebDriverFrameNode, *values: float) -> list[Any]:
        """Run an operation of the page script `frame` on a frame's element. Raises `FrameNotFound`."""
        assert node.parent is not None
        answer = await self._channel.call("frame", node.id, operation, *values, path=node.parent.path)
        if not isinstance(answer, list):
            raise FrameNotFound("the frame is gone", "Run 'frames' to see which there are.")
        return answer

    async def locate_in_parent(self, node: WebDriverFrameNode, x: float, y: float) -> tuple[float, float, str]:
        x, y, covered = await self.query_parent("reveal", node, x, y)
        return x, y, covered

    async def area_in_parent(self, node: WebDriverFrameNode, timeout: float) -> FrameArea:
        return frame_area(await self.query_parent("area", node))
