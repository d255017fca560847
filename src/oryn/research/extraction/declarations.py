"""What a page declares about itself for programs: JSON-LD (https://www.w3.org/TR/json-ld11/), microdata
(https://html.spec.whatwg.org/multipage/microdata.html), Open Graph (https://ogp.me)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lxml.html import HtmlElement

from oryn.research.html.json_ld import json_ld_blocks

MAX_VALUES = 5_000
"""Values of JSON-LD that are looked at."""
TEXT_KEYS = frozenset(("articleBody", "text", "description", "reviewBody", "abstract", "disambiguatingDescription"))
"""Properties of schema.org whose values are text of the page."""
MIN_TEXT_CHARACTERS = 40


class Declarations:
    """The declarations of a page. `types` are the names of its items (`Product`, `NewsArticle`), without those of
    parts; `items` the JSON-LD objects, outermost first; `meta` the `meta` elements' contents by lower-case name."""

    def __init__(self, tree: HtmlElement) -> None:
        self.meta: dict[str, str] = {}
        for element in tree.iter("meta"):
            name = (element.get("property") or element.get("name") or "").lower()
            if name and name not in self.meta:
                self.meta[name] = element.get("content") or ""
        self.items: list[dict[str, Any]] = []
        for block in json_ld_blocks(tree):
            self.items += _objects(block.value)
        self.items = self.items[:MAX_VALUES]
        self.types: set[str] = {name for item in self.items for name in types_of(item)}
        for element in tree.xpath("//*[@itemtype]")[:MAX_VALUES]:
            self.types |= {each.rstrip("/").rpartition("/")[2] for each in (element.get("itemtype") or "").split()}

    def texts(self) -> Iterator[str]:
        """Texts of the page that JSON-LD repeats."""
        for item in self.items:
            for key, value in item.items():
                if key in TEXT_KEYS and isinstance(value, str) and len(value) >= MIN_TEXT_CHARACTERS:
                    yield value


def types_of(item: dict[str, Any]) -> list[str]:
    """The names of the types of a JSON-LD object."""
    declared = item.get("@type")
    return [
        each.rpartition("/")[2]
        for each in (declared if isinstance(declared, list) else [declared])
        if isinstance(each, str)
    ]


def _objects(value: Any) -> list[dict[str, Any]]:
    """The objects within a value, outer ones first, without recursion: its depth is the page's choice."""
    found: list[dict[str, Any]] = []
    waiting = [value]
    for each in waiting:
        if isinstance(each, dict):
            found.append(each)
            waiting += [inner for inner in each.values() if isinstance(inner, dict | list)]
        elif isinstance(each, list):
            waiting += [inner for inner in each if isinstance(inner, dict | list)]
        if len(waiting) > MAX_VALUES:
            break
    return found
