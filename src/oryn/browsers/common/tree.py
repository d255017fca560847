"""The frames of a tab: who is whose child, and which of them one scanner reaches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, Self, TypeVar

from oryn.browsers.base import Frame
from oryn.browsers.common.error_page import is_error_page
from oryn.errors import FrameNotFound
from oryn.records import Record, field


class Hints(Record, frozen=False):
    """Which elements of a document only listen for clicks: positions among `count` elements, in the scanner's order."""

    positions: list[int]
    count: int
    collected: float
    """When, by the loop's clock."""
    used: bool = False
    """The scanner knows them already."""


class Node(Record, frozen=False):
    """A frame, as the browser tells about it."""

    id: str
    parent: Self | None
    url: str = ""
    name: str = ""
    origin: str = ""
    loader: str = ""
    """The id of the document's load; another document, another loader."""
    children: list[Self] = field(factory=list)
    hints: Hints | None = None
    """The last hints of elements that only listen for clicks (see `scanning`)."""

    def below(self) -> Iterator[Self]:
        """This frame and all below it, depth first."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))

    def of_one_origin(self) -> Iterator[Self]:
        """This frame and those below it that one scanner reaches from here."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += [child for child in node.children if child.reads_parent()]

    def level(self) -> int:
        level, node = 0, self.parent
        while node is not None:
            level, node = level + 1, node.parent
        return level

    def reads_parent(self) -> bool:
        """Whether scripts of the parent can reach into this document."""
        raise NotImplementedError

    @property
    def is_error_page(self) -> bool:
        """Whether the browser shows a page of its own here."""
        return is_error_page(self.url)


AnyNode = TypeVar("AnyNode", bound=Node)


class FrameTree(Generic[AnyNode]):
    """The frame tree of one tab."""

    def __init__(self, top: AnyNode) -> None:
        self.top = top
        self._nodes: dict[str, AnyNode] = {top.id: top}

    def get(self, frame_id: str) -> AnyNode | None:
        return self._nodes.get(frame_id)

    def node(self, frame: Frame | None) -> AnyNode:
        """Raises `FrameNotFound`."""
        if frame is None:
            return self.top
        found = self._nodes.get(frame.id)
        if found is None:
            raise FrameNotFound("the frame is gone", "Run 'frames' to see which there are.")
        return found

    def all(self) -> list[Frame]:
        return [describe(node) for node in self.top.below()]

    def roots(self, within: Frame | None) -> list[Frame]:
        start = self.node(within)
        return [describe(node) for node in start.below() if node is start or _has_own_scanner(node)]

    def drop_children(self, node: AnyNode) -> None:
        for child in list(node.children):
            self.drop(child)

    def drop(self, node: AnyNode) -> None:
        """The frame has left the page, and those below it."""
        for gone in list(node.below()):
            self._nodes.pop(gone.id, None)
        if node.parent is not None and node in node.parent.children:
            node.parent.children.remove(node)


def _has_own_scanner(node: Node) -> bool:
    return not node.reads_parent() and not node.is_error_page


def describe(node: Node) -> Frame:
    """The frame as the engine sees it."""
    return Frame(node.id, node.parent.id if node.parent else None, node.url, node.name, node.level())
