"""The frame tree of a tab: parents and children, which frames share a scanner, and the geometry of nested frames."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Generic, Self, TypeVar

from oryn.browsers.base import Frame, FrameArea, Rect
from oryn.core.records import Record, field
from oryn.errors import ElementNotInteractable, FrameNotFound


class ClickListenerHints(Record, frozen=False):
    """The elements of a document that only listen for clicks: their positions among `count` elements, in the scanner's
    order."""

    positions: list[int]
    count: int
    collected: float
    """The time of the event loop's clock."""
    used: bool = False
    """Whether the scanner has got them."""
    is_first: bool = False
    """Whether the scanner has not got any of this document before."""


class FrameNode(Record, frozen=False):
    """A frame, as the browser reports it."""

    id: str
    parent: Self | None
    url: str = ""
    name: str = ""
    origin: str = ""
    loader: str = ""
    """The id of the document's load: each document has another one."""
    children: list[Self] = field(factory=list)
    is_error_page: bool = False
    """Whether the browser shows an error page here, as found when the frame got its document."""
    unreachable: str = ""
    """The URL whose load failed, if this is the browser's error page; empty if it is not known."""
    hints: ClickListenerHints | None = None
    """The last hints about elements that only listen for clicks (see `ScannerClient`)."""

    def subtree(self) -> Iterator[Self]:
        """This frame and all below it, depth first."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))

    def same_origin_subtree(self) -> Iterator[Self]:
        """This frame and the frames below it that its scanner can access."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += [child for child in node.children if child.is_readable_by_parent()]

    def level(self) -> int:
        """The depth in the tree; 0 for the top frame."""
        level, node = 0, self.parent
        while node is not None:
            level, node = level + 1, node.parent
        return level

    def is_readable_by_parent(self) -> bool:
        """Whether scripts of the parent can access this document."""
        raise NotImplementedError


AnyNode = TypeVar("AnyNode", bound=FrameNode)


class FrameTree(Generic[AnyNode]):
    """The frame tree of one tab.

    `on_url_change` listeners are called whenever the URL of the tab changes, also within the same document, if the
    engine reports it."""

    def __init__(self, top: AnyNode) -> None:
        self.top = top
        self._nodes: dict[str, AnyNode] = {top.id: top}
        self.on_url_change: list[Callable[[], None]] = []

    def get(self, frame_id: str) -> AnyNode | None:
        """The node of a frame, or None."""
        return self._nodes.get(frame_id)

    def node(self, frame: Frame | None) -> AnyNode:
        """The node of a frame; without one, the top node. Raises `FrameNotFound`."""
        if frame is None:
            return self.top
        found = self._nodes.get(frame.id)
        if found is None:
            raise FrameNotFound("the frame is gone", "Run 'frames' to see which there are.")
        return found

    def all(self) -> list[Frame]:
        """All frames in page order."""
        return [to_frame(node) for node in self.top.subtree()]

    def roots(self, within: Frame | None) -> list[Frame]:
        """See `browsers.base.Page.roots`."""
        start = self.top if within is None else self.node(within)
        if not start.children:
            return [to_frame(start)]
        return [
            to_frame(node)
            for node in start.subtree()
            if node is start or not (node.is_readable_by_parent() or node.is_error_page)
        ]

    async def refresh(self) -> None:
        """Query the frames that no event reports. Never raises for what pages do."""

    # --- geometry ---

    async def to_viewport(self, x: float, y: float, frame: Frame) -> tuple[float, float]:
        """See `browsers.base.Page.to_viewport`."""
        node = self.node(frame)
        while node.parent is not None:
            x, y, covered = await self.locate_in_parent(node, x, y)
            if covered:
                raise ElementNotInteractable(f"the frame is covered by {covered}", "Close what covers it first.")
            node = node.parent
        return x, y

    async def area(self, frame: Frame, timeout: float) -> tuple[FrameArea, Rect]:
        """See `browsers.base.Page.frame_area`."""
        node = self.node(frame)
        areas = []
        while node.parent is not None:
            areas.append(await self.area_in_parent(node, timeout))
            node = node.parent
        return nested_area(areas)

    async def locate_in_parent(self, node: AnyNode, x: float, y: float) -> tuple[float, float, str]:
        """A point of a frame's viewport as one of its parent's, and what covers the frame there, if anything does.
        Scrolls the frame into view if it is outside. Raises `FrameNotFound`."""
        raise NotImplementedError

    async def area_in_parent(self, node: AnyNode, timeout: float) -> FrameArea:
        """A frame's viewport in its parent's. Raises `FrameNotFound`."""
        raise NotImplementedError

    # --- updates ---

    def drop_children(self, node: AnyNode) -> None:
        """Remove the frames below a node."""
        for child in list(node.children):
            self.drop(child)

    def drop(self, node: AnyNode) -> None:
        """Remove a frame that has left the page, and those below it."""
        for each in list(node.subtree()):
            self._nodes.pop(each.id, None)
        if node.parent is not None and node in node.parent.children:
            node.parent.children.remove(node)


def to_frame(node: FrameNode) -> Frame:
    """The frame as a value for the engine."""
    return Frame(node.id, node.parent.id if node.parent else None, node.url, node.name, node.level())


def frame_area(numbers: Sequence[float]) -> FrameArea:
    """An area from the numbers that a frame's element is asked for: `a` to `f`, width, height."""
    a, b, c, d, e, f, width, height = numbers
    return FrameArea((a, b, c, d, e, f), width, height)


def nested_area(areas: Iterable[FrameArea]) -> tuple[FrameArea, Rect]:
    """The first of `areas`, each in the next one, in the last one's surroundings; and what the others leave of it."""
    whole = FrameArea((1, 0, 0, 1, 0, 0), 0, 0)
    visible: Rect | None = None
    for number, area in enumerate(areas):
        whole = whole.within(area) if number else area
        inside = area.box_of(Rect(0, 0, area.width, area.height))
        visible = inside if visible is None else area.box_of(visible).intersection(inside)
    return whole, visible or Rect(0, 0, 0, 0)
