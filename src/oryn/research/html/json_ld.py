"""The JSON-LD blocks of a page (https://www.w3.org/TR/json-ld11/#embedding-json-ld-in-html-documents)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from lxml.html import HtmlElement

MAX_CHARACTERS = 8_000_000
"""The maximum size of one block."""


class JsonLdBlock(NamedTuple):
    """A block: its `value`, or why it can't be read."""

    script: HtmlElement
    value: Any = None
    doubt: str = ""


def json_ld_blocks(tree: HtmlElement) -> Iterator[JsonLdBlock]:
    """The blocks of a page in its order. Blocks within an HTML comment, as old templates have them, are read too."""
    for script in tree.iter("script"):
        if (script.get("type") or "").partition(";")[0].strip().lower() != "application/ld+json":
            continue
        text = script.text or ""
        if len(text) > MAX_CHARACTERS:
            yield JsonLdBlock(script, doubt=f"a JSON-LD block of {len(text)} characters was left out")
            continue
        try:
            value = json.loads(text.strip().removeprefix("<!--").removesuffix("-->"), strict=False)
        except (ValueError, RecursionError):
            yield JsonLdBlock(script, doubt="a JSON-LD block is not valid JSON and was left out")
        else:
            yield JsonLdBlock(script, value)
