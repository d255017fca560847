"""Chromium's own accessibility tree of a page: what the scanner's trees are compared with.

The nodes come from https://chromedevtools.github.io/devtools-protocol/tot/Accessibility/#method-getFullAXTree, one tree a
frame. Two states are missing there, `aria-current` and `aria-sort`; core-aam maps both from the attribute alone, so they
are read from it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

Call = Callable[..., Awaitable[dict[str, Any]]]
"""`call(method, params)` of the DevTools protocol."""

STATE_PROPERTIES: Mapping[str, Mapping[Any, str]] = {
    "busy": {True: "busy"},
    "checked": {"true": "checked", "false": "unchecked", "mixed": "mixed"},
    "disabled": {True: "disabled"},
    "expanded": {True: "expanded", False: "collapsed"},
    "focused": {True: "focused"},
    "invalid": {"true": "invalid", "grammar": "invalid", "spelling": "invalid"},
    "multiselectable": {True: "multiple"},
    "pressed": {"true": "pressed", "mixed": "mixed"},
    "readonly": {True: "readonly"},
    "required": {True: "required"},
    "selected": {True: "selected"},
}
"""Oryn's word for each value of a property that the scanner reports."""


@dataclass
class DocumentNode:
    """A node of the document, its pseudo-elements included. `selector` is its id, or its path from the next id above."""

    selector: str
    tag: str
    attributes: Mapping[str, str]
    parent: DocumentNode | None
    frame: str | None = None
    """The frame that the element holds."""
    is_browsers: bool = False
    """Whether it is a part of one of the browser's own controls, which no script of a page can see."""


@dataclass
class BrowserNode:
    """A node of Chromium's tree. `by_content` is whether its content gives it its name."""

    place: DocumentNode
    role: str
    name: str
    by_content: bool
    is_ignored: bool
    is_focusable: bool
    level: int | None
    states: frozenset[str]
    children: list[BrowserNode] = field(default_factory=list)
    parent: BrowserNode | None = None

    def ancestors(self) -> Iterator[BrowserNode]:
        node = self.parent
        while node:
            yield node
            node = node.parent

    def descendants(self) -> Iterator[BrowserNode]:
        for child in self.children:
            yield child
            yield from child.descendants()


async def read_document(call: Call) -> dict[int, DocumentNode]:
    """The nodes of the page's documents by their backend ids: shadow trees and frames of the same process included."""
    nodes: dict[int, DocumentNode] = {}
    pending: list[tuple[dict[str, Any], DocumentNode | None, str]] = []
    answer = await call("DOM.getDocument", {"depth": -1, "pierce": True})
    pending.append((answer["root"], None, ""))
    while pending:
        node, parent, suffix = pending.pop()
        written = node.get("attributes", [])
        attributes = dict(zip(written[::2], written[1::2], strict=True))
        tag = node.get("pseudoType") or node["localName"] or node["nodeName"]
        selector = _selector(tag, attributes, parent, suffix, is_pseudo="pseudoType" in node)
        place = DocumentNode(selector, tag, attributes, parent, node.get("frameId"))
        is_browsers = node.get("shadowRootType") == "user-agent" and parent is not None and parent.tag != "details"
        place.is_browsers = is_browsers or (parent is not None and parent.is_browsers)
        nodes[node["backendNodeId"]] = place
        inner = [node["contentDocument"]] if "contentDocument" in node else []
        for child, position in _numbered(node.get("children", [])):
            pending.append((child, place, position))
        for child in [*node.get("shadowRoots", []), *node.get("pseudoElements", []), *inner]:
            pending.append((child, place, ""))
    return nodes


def _numbered(children: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], str]]:
    """Each child with `:2` for the second element of its tag and so on."""
    counts: dict[str, int] = {}
    for child in children:
        name = child["localName"]
        counts[name] = counts.get(name, 0) + 1
        yield child, f":{counts[name]}" if name and counts[name] > 1 else ""


def _selector(
    tag: str, attributes: Mapping[str, str], parent: DocumentNode | None, suffix: str, *, is_pseudo: bool
) -> str:
    if attributes.get("id"):
        return f"#{attributes['id']}"
    if is_pseudo:
        return f"{parent.selector if parent else ''}::{tag}"
    if tag.startswith("#") or tag in ("html", "head", "body"):
        return parent.selector if parent else ""  # of the page, or of the frame or the element around it
    within = f"{parent.selector} " if parent and parent.selector else ""
    return f"{within}{tag}{suffix}"


async def read_tree(call: Call, places: Mapping[int, DocumentNode], frame: str | None = None) -> dict[int, BrowserNode]:
    """Chromium's nodes by their backend ids; also of the frames in the page."""
    answer = await call("Accessibility.getFullAXTree", {"frameId": frame} if frame else {})
    by_node_id: dict[str, BrowserNode] = {}
    nodes: dict[int, BrowserNode] = {}
    for row in answer["nodes"]:
        place = places.get(row.get("backendDOMNodeId", -1))
        if place:
            by_node_id[row["nodeId"]] = nodes[row["backendDOMNodeId"]] = _node(row, place)
    for row in answer["nodes"]:
        node = by_node_id.get(row["nodeId"])
        for child in row.get("childIds", []) if node else []:
            if node and child in by_node_id:
                by_node_id[child].parent = node
                node.children.append(by_node_id[child])
    for node in [*nodes.values()]:
        if node.place.tag in ("iframe", "frame") and node.place.frame:
            nodes |= await read_tree(call, places, node.place.frame)
    return nodes


def _node(row: dict[str, Any], place: DocumentNode) -> BrowserNode:
    properties = {each["name"]: each["value"].get("value") for each in row.get("properties", [])}
    name = row.get("name", {})
    level = properties.get("level")
    return BrowserNode(
        place,
        row["role"]["value"],
        " ".join(name.get("value", "").split()),
        _is_by_content(name.get("sources", [])),
        row["ignored"],
        properties.get("focusable") is True,
        int(level) if level else None,
        frozenset(_states(properties, place.attributes)),
    )


def _is_by_content(sources: list[dict[str, Any]]) -> bool:
    winners = (source["type"] for source in sources if "value" in source and not source.get("superseded"))
    return next(winners, "") == "contents"


def _states(properties: Mapping[str, Any], attributes: Mapping[str, str]) -> Iterator[str]:
    for name, words in STATE_PROPERTIES.items():
        if word := words.get(properties.get(name)):
            yield word
    # https://www.w3.org/TR/core-aam-1.2/#ariaCurrent and #ariaSortAscending
    if attributes.get("aria-current", "").strip() not in ("", "false"):
        yield "current"
    if (order := attributes.get("aria-sort")) in ("ascending", "descending"):
        yield str(order)
