"""The graph as an SVG picture: the entity at the left, what is said of it at the right. Pure.

Text is measured by its letters, for nothing here knows a font: lines are broken where a wide one would still fit.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from html import escape

from oryn.records import Record
from oryn.research.graph.knowledge import Cited, KnowledgeGraph, Node
from oryn.research.report.links import web_address

LINE = 19
"""Pixels from one line of text to the next."""
GAP = 12
BETWEEN_CATEGORIES = 14
LETTERS = {"entity": 18, "category": 22, "statement": 64}
"""Letters in a line of each kind of text."""
LETTER = {"entity": 10.4, "category": 8.8, "statement": 7.6}
"""Pixels that one of them may take."""
_COLUMNS = (24, 270, 514)
"""Where the texts of the three columns begin."""
_TURN = 24
"""Pixels before a text, where its line ends."""
_PADDING = 9

COLOURS = ("#2563eb", "#059669", "#d97706", "#db2777", "#7c3aed", "#0891b2", "#65a30d", "#dc2626")
"""One for each category, in turn; each is readable on white and on black."""

STYLE = """
text { font: 14px system-ui, sans-serif; fill: #1f2937; }
.entity text { font-weight: 700; font-size: 16px; fill: #fff; }
.entity rect { fill: #1f2937; }
.category text { font-weight: 600; }
path { fill: none; stroke-width: 1.5; opacity: .55; }
a:hover text { text-decoration: underline; }
.mark { font-size: 11px; opacity: .7; }
@media (prefers-color-scheme: dark) {
  text { fill: #e5e7eb; } .entity rect { fill: #e5e7eb; } .entity text { fill: #111827; }
}
"""

Link = Callable[[Node], str]
"""Where a statement leads when it is pressed; empty for nowhere."""


class _Placed(Record):
    """A text in its place: the left end of its first line, and its lines. `y` is the middle of all of them."""

    kind: str
    node: Node
    x: int
    y: float
    lines: tuple[str, ...]


class _Branch(Record):
    """A category with its statements."""

    category: _Placed
    statements: tuple[_Placed, ...]
    colour: str


def svg(graph: KnowledgeGraph, link: Link | None = None) -> str:
    """One `<svg>` element. Statements lead to the page of their first source, unless `link` says where else."""
    branches, height = _laid_out(graph.root)
    width = _COLUMNS[2] + int(LETTERS["statement"] * LETTER["statement"]) + 40
    entity = _Placed("entity", graph.root, _COLUMNS[0], height / 2, _lines(graph.root.label, "entity"))
    urls = {each.number: each for each in graph.cited}
    leads = link or (lambda node: _address(urls, node))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height:g}" width="{width}" height="{height:g}" '
        f'role="img" aria-label="{escape(graph.entity)}">',
        f"<style>{STYLE}</style>",
        *(part for branch in branches for part in _drawn(entity, branch, leads)),
        *_entity(entity),
        "</svg>",
    ]
    return "\n".join(parts)


def _address(cited: dict[int, Cited], node: Node) -> str:
    return web_address(cited[node.sources[0]].url) if node.sources else ""


def _laid_out(root: Node) -> tuple[list[_Branch], float]:
    """Every branch below the other, and the height of all."""
    top, branches = float(GAP), []
    for number, category in enumerate(root.children):
        begin, placed = top, []
        for node in category.children:
            lines = _lines(node.label, "statement")
            placed.append(_Placed("statement", node, _COLUMNS[2], top + len(lines) * LINE / 2, lines))
            top += len(lines) * LINE + GAP
        label = _lines(category.label, "category")
        top = max(top, begin + len(label) * LINE + GAP)
        middle = (begin + top - GAP) / 2
        branches.append(
            _Branch(
                _Placed("category", category, _COLUMNS[1], middle, label), tuple(placed), COLOURS[number % len(COLOURS)]
            )
        )
        top += BETWEEN_CATEGORIES
    return branches, max(top, 5 * LINE)


def _lines(text: str, kind: str) -> tuple[str, ...]:
    return tuple(textwrap.wrap(" ".join(text.split()), LETTERS[kind])) or ("",)


def _drawn(entity: _Placed, branch: _Branch, leads: Link) -> Iterator[str]:
    category = branch.category
    yield _curve(entity.x + _width(entity) + _PADDING, entity.y, category.x - _PADDING, category.y, branch.colour)
    yield from _text(category, branch.colour, "")
    for each in branch.statements:
        yield _curve(category.x + _width(category) + _PADDING, category.y, each.x - _PADDING, each.y, branch.colour)
        yield from _text(each, "", leads(each.node), each.node.sources)


def _width(placed: _Placed) -> float:
    return max(map(len, placed.lines)) * LETTER[placed.kind]


def _curve(x1: float, y1: float, x2: float, y2: float, colour: str) -> str:
    turn = max((x2 - x1) / 2, _TURN)
    line = f"M{x1:.0f} {y1:.1f}C{x1 + turn:.0f} {y1:.1f} {x2 - turn:.0f} {y2:.1f} {x2:.0f} {y2:.1f}"
    return f'<path d="{line}" stroke="{colour}"/>'


def _text(placed: _Placed, colour: str, url: str, sources: tuple[int, ...] = ()) -> Iterator[str]:
    style = f' style="fill:{colour}"' if colour else ""
    first = placed.y - (len(placed.lines) - 1) * LINE / 2 + 5
    marks = f'<tspan class="mark" dx="5">{escape(" ".join(f"[{number}]" for number in sources))}</tspan>'
    spans = "".join(
        f'<tspan x="{placed.x}" y="{first + number * LINE:.1f}">{escape(line)}</tspan>'
        for number, line in enumerate(placed.lines)
    )
    text = f"<text{style}>{spans}{marks if sources else ''}</text>"
    yield f'<g class="{placed.kind}">' + (f'<a href="{escape(url)}">{text}</a>' if url else text) + "</g>"


def _entity(placed: _Placed) -> Iterator[str]:
    height, width = len(placed.lines) * LINE + 2 * _PADDING, _width(placed) + 2 * _PADDING
    yield (
        f'<g class="entity"><rect x="{placed.x - _PADDING}" y="{placed.y - height / 2:.1f}" width="{width:.0f}" '
        f'height="{height}" rx="8"/>'
    )
    yield from _text(placed, "", "")
    yield "</g>"
