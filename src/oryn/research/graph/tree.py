"""The graph as text: a tree of lines, and its numbered sources. Pure."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from oryn.research.graph.knowledge import KnowledgeGraph, Node

NARROWEST = 24
"""Characters that a statement has at least, however deep it stands."""


def tree(graph: KnowledgeGraph, width: int = 100) -> str:
    """Lines of at most `width` characters where words allow it; numbers in brackets name the sources at the end."""
    lines = [*_wrapped(graph.root.label, width), *_below(graph.root, "", width)]
    if graph.cited:
        lines.append("")
        lines.extend(f"[{each.number}] {each.title or each.url} — {each.url}" for each in graph.cited)
    return "\n".join(lines)


def _below(node: Node, indent: str, width: int) -> Iterator[str]:
    for child in node.children:
        is_last = child is node.children[-1]
        first, further = ("└─ ", "   ") if is_last else ("├─ ", "│  ")
        marks = "" if child.children else "".join(f" [{number}]" for number in child.sources)
        label = _wrapped(child.label + marks, width - len(indent) - len(first))
        under = "│  " if child.children else "   "
        for number, line in enumerate(label):
            yield indent + (first if number == 0 else further + (under if child.children else "")) + line
        yield from _below(child, indent + further, width)


def _wrapped(text: str, width: int) -> list[str]:
    """At least one line; a word that is longer than a line stays whole."""
    plain = " ".join(text.split())
    return textwrap.wrap(plain, max(width, NARROWEST), break_long_words=False, break_on_hyphens=False) or [""]
