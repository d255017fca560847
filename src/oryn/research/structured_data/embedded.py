"""Data that a page has for programs: JSON-LD, microdata, RDFa, Open Graph and other metadata.

https://www.w3.org/TR/json-ld11/, https://html.spec.whatwg.org/multipage/microdata.html, https://ogp.me/"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

from lxml.html import HtmlElement

from oryn.research.html.json_ld import json_ld_blocks
from oryn.research.structured_data.facts import Fact, element_value
from oryn.research.structured_data.schema import words_of

MAX_NODES = 20_000
"""The maximum number of entities of a page that are considered."""

_DESCEND = frozenset({"offers", "aggregateRating", "address", "geo", "mainEntity", "baseSalary", "value", "jobLocation",
                      "location", "nutrition", "itemOffered", "priceSpecification", "contactPoint"})  # fmt: skip
"""Properties whose own properties are ones of the entity: the price of the offer, but not the author of a review."""
_CONTAINERS = ("@graph", "mainEntity", "mainEntityOfPage", "itemListElement", "item", "hasPart")


class Node:
    """An entity: its `type`, its properties, and where it stands."""

    __slots__ = ("element", "path", "properties", "source", "type")

    def __init__(self, properties: dict[str, Any], source: str, path: str, element: HtmlElement | None) -> None:
        self.properties = properties
        self.source = source
        self.path = path
        self.element = element
        found = properties.get("@type", "")
        self.type = str(found[0] if isinstance(found, list) and found else found).rpartition("/")[2]

    def facts(self) -> list[Fact]:
        """The properties as facts, those of its parts included."""
        return list(_facts(self, self.properties, self.path, 1.0, 0))

    def children(self, key: str) -> list[Node]:
        """The entities in a property."""
        found = self.properties.get(key)
        listed = found if isinstance(found, list) else [found]
        return [
            Node(each, self.source, f"{self.path}.{key}[{place}]", self.element)
            for place, each in enumerate(listed)
            if isinstance(each, dict)
        ]


def nodes_of(root: HtmlElement) -> tuple[list[Node], list[str]]:
    """The entities of a page, and what of its data can't be read."""
    nodes: list[Node] = []
    doubts: list[str] = []
    for block in json_ld_blocks(root):
        if block.doubt:
            doubts.append(block.doubt)
            continue
        place = f"{root.getroottree().getpath(block.script)} $"
        for node in _walk(block.value, place, block.script):
            nodes.append(node)
            if len(nodes) >= MAX_NODES:
                doubts.append(f"only the first {MAX_NODES} entities of the page's JSON-LD were considered")
                return nodes, doubts
    for names in (("itemscope", "itemprop", "itemtype", "microdata"), ("typeof", "property", "typeof", "rdfa")):
        nodes += _attribute_nodes(root, *names)
    return nodes, doubts


def _walk(data: Any, path: str, script: HtmlElement) -> Iterator[Node]:
    waiting = deque([(data, path)])
    while waiting:
        current, where = waiting.popleft()
        if isinstance(current, list):
            waiting += [(each, f"{where}[{place}]") for place, each in enumerate(current)]
        elif isinstance(current, dict):
            if len(current.keys() - {"@context", "@graph", "@id"}) > 0:
                yield Node(current, "json-ld", where, script)
            waiting += [
                (current[key], f"{where}.{key}") for key in _CONTAINERS if isinstance(current.get(key), dict | list)
            ]


def _attribute_nodes(root: HtmlElement, scope: str, prop: str, type_: str, source: str) -> list[Node]:
    scopes: dict[HtmlElement, dict[str, Any]] = {}
    nodes: list[Node] = []
    for element in root.iter():
        if not isinstance(element.tag, str):
            continue
        owner = next((each for each in element.iterancestors() if each in scopes), None) if element.get(prop) else None
        if element.get(scope) is not None:
            scopes[element] = properties = {"@type": (element.get(type_) or "").split(" ")[0]}
            if owner is not None:
                _add(scopes[owner], element.get(prop), properties)
            else:
                nodes.append(Node(properties, source, root.getroottree().getpath(element), element))
        elif owner is not None:
            _add(scopes[owner], element.get(prop), element)
        if len(scopes) > MAX_NODES:
            break
    return [node for node in nodes if len(node.properties) > 1]


def _add(properties: dict[str, Any], names: str, value: Any) -> None:
    for name in names.split():
        name = name.rpartition(":")[2]
        if name in properties:
            present = properties[name]
            properties[name] = [*present, value] if isinstance(present, list) else [present, value]
        else:
            properties[name] = value


def _facts(node: Node, properties: dict[str, Any], path: str, weight: float, depth: int) -> Iterator[Fact]:
    for key, value in properties.items():
        if key.startswith("@"):
            continue
        label = words_of(key.rpartition(":")[2])
        where = f"{path}.{key}"
        values = value if isinstance(value, list) else [value]
        if key == "additionalProperty":
            yield from _named_properties(node, values, where, weight)
            continue
        texts = [text for each in values[:2000] if (text := _text_of(each))]
        element = next((each for each in values if isinstance(each, HtmlElement)), node.element)
        if texts and not (depth and key == "name"):
            yield Fact(label, tuple(texts), node.source, where, weight, element, tuple(values))
        if depth < 3 and (key in _DESCEND or key.endswith("Specification")):
            for each in [each for each in values if isinstance(each, dict)][:1]:
                yield from _facts(node, each, where, weight * 0.98, depth + 1)


def _named_properties(node: Node, values: list[Any], where: str, weight: float) -> Iterator[Fact]:
    for place, each in enumerate(values):
        if isinstance(each, dict) and (name := _text_of(each.get("name"))) and (text := _text_of(each.get("value"))):
            unit = _text_of(each.get("unitText")) or ""
            yield Fact(
                words_of(name), (f"{text} {unit}".strip(),), node.source, f"{where}[{place}]", weight, node.element
            )


def _text_of(value: Any) -> str:
    if isinstance(value, HtmlElement):
        return element_value(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float | str):
        return str(value)
    if isinstance(value, dict):
        for key in ("name", "url", "@value", "text", "contentUrl"):
            if isinstance(found := value.get(key), str | int | float | HtmlElement):
                return _text_of(found)
    return ""


AUTHOR_NAMES = frozenset(("author", "article:author", "dc.creator", "parsely-author", "sailthru.author", "byl"))
AUTHOR_WEIGHT = 0.95
"""What a page declares as its author counts more than elements that are called so, in which dates and roles stand. A
link to the author is a declaration too: https://html.spec.whatwg.org/multipage/links.html#link-type-author."""


def metadata_facts(root: HtmlElement) -> list[Fact]:
    """Open Graph and other metadata of the page's head."""
    facts: list[Fact] = []
    for meta in root.iter("meta"):
        name = (meta.get("property") or meta.get("name") or "").strip()
        content = (meta.get("content") or "").strip()
        if not name or not content or meta.get("itemprop"):
            continue
        prefix, _, rest = name.partition(":")
        weight = 0.9 if prefix in ("product", "article", "book", "og") and rest else 0.7
        if prefix == "og" and rest in ("type", "locale", "site_name", "title", "description"):
            weight = 0.72
        label = words_of((rest or prefix).replace(":", " "))
        if name.lower() in AUTHOR_NAMES:
            weight = AUTHOR_WEIGHT
        if prefix in ("viewport", "generator", "robots", "twitter", "theme-color", "referrer", "csrf-token"):
            continue
        facts.append(Fact(label, (content,), "metadata", root.getroottree().getpath(meta), weight, meta))
        if prefix == "article" and rest == "published_time":
            facts.append(Fact(("date",), (content,), "metadata", root.getroottree().getpath(meta), weight, meta))
    facts += [
        Fact(("author",), (text,), "metadata", root.getroottree().getpath(each), AUTHOR_WEIGHT, each)
        for each in root.iter("a")
        if "author" in (each.get("rel") or "").lower().split() and (text := element_value(each))
    ]
    return facts
