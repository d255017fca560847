"""Renders a graph as a text tree with numbered sources, as an SVG picture, and as an HTML page with its passages.
Pure.

In the picture the entity is at the left, its statements at the right; text is measured by its letters, since no
font is known: lines are broken where a wide font would still fit. In the page, all text of pages is escaped;
besides, `oryn.core.html_document` blocks scripts and requests."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping
from html import escape

from oryn.core.html_document import DOCUMENT_END, colours, document_head
from oryn.core.records import Record
from oryn.research.graph.knowledge import GraphNode, KnowledgeGraph
from oryn.research.report.html import left_out
from oryn.research.report.links import web_address

MIN_LINE_CHARACTERS = 24
"""The minimum width of a statement, however deep it is indented."""


def render_tree(graph: KnowledgeGraph, width: int = 100) -> str:
    """The graph as lines of at most `width` characters if words allow it; numbers in brackets refer to the sources at
    the end."""
    lines = [*_wrapped(graph.root.label, width), *_branches(graph.root, "", width)]
    if graph.cited:
        lines.append("")
        lines.extend(f"[{each.number}] {each.title or each.url} — {each.url}" for each in graph.cited)
    return "\n".join(lines)


def _branches(node: GraphNode, indent: str, width: int) -> Iterator[str]:
    for child in node.children:
        is_last = child is node.children[-1]
        first, further = ("└─ ", "   ") if is_last else ("├─ ", "│  ")
        marks = "" if child.children else "".join(f" [{number}]" for number in child.sources)
        label = _wrapped(child.label + marks, width - len(indent) - len(first))
        under = "│  " if child.children else "   "
        for number, line in enumerate(label):
            yield indent + (first if number == 0 else further + (under if child.children else "")) + line
        yield from _branches(child, indent + further, width)


def _wrapped(text: str, width: int) -> list[str]:
    """The lines of a text, at least one; a word that is longer than a line is not broken."""
    plain = " ".join(text.split())
    return textwrap.wrap(plain, max(width, MIN_LINE_CHARACTERS), break_long_words=False, break_on_hyphens=False) or [""]


LINE = 19
"""The height of a line in pixels."""
GAP = 12
BETWEEN_CATEGORIES = 14
LINE_LETTERS = {"entity": 18, "category": 22, "statement": 64}
"""The maximum number of letters in a line, for each kind of text."""
LETTER_PIXELS = {"entity": 10.4, "category": 8.8, "statement": 7.6}
"""The width of a letter in pixels."""
_COLUMNS = (24, 270, 514)
"""The left edges of the three columns."""
_TURN = 24
"""Pixels before a text, where its line ends."""
_PADDING = 9

_CATEGORY_COLOURS = 8
"""The stylesheet has this many colours of categories, `--category-1` and so on; they are used in turn."""

_SHAPES = """
svg { color-scheme: light dark; }
text { font: 14px system-ui, sans-serif; }
.entity text { font-weight: 700; font-size: 16px; }
.category text { font-weight: 600; }
path { fill: none; stroke-width: 1.5; }
a:hover text { text-decoration: underline; }
.mark { font-size: 11px; }
"""


def _drawing_style() -> str:
    """The CSS of the picture, with values instead of custom properties: programs other than browsers open it too."""
    light, dark = _colour_rules(colours("light")), _colour_rules(colours("dark"))
    return f"{_SHAPES}{light}@media (prefers-color-scheme: dark) {{\n{dark}}}\n"


def _colour_rules(values: Mapping[str, str]) -> str:
    rules = [f"text {{ fill: {values['ink']}; }}", f".mark {{ fill: {values['muted']}; }}"]
    rules += [f".entity rect {{ fill: {values['ink']}; }}", f".entity text {{ fill: {values['ground']}; }}"]
    for number in range(1, _CATEGORY_COLOURS + 1):
        value = values[f"category-{number}"]
        rules += [f"path.category-{number} {{ stroke: {value}; }}", f".category-{number} text {{ fill: {value}; }}"]
    return "".join(f"{rule}\n" for rule in rules)


LinkOf = Callable[[GraphNode], str]
"""Returns the link of a statement; empty for none."""


class _PlacedText(Record):
    """A text with its position: the left end of its first line, the lines, and as `y` the vertical centre of all of
    them."""

    kind: str
    node: GraphNode
    x: int
    y: float
    lines: tuple[str, ...]


class _PlacedBranch(Record):
    """A category with its statements."""

    category: _PlacedText
    statements: tuple[_PlacedText, ...]
    colour: int
    """The number of the category's colour, from 1."""


def render_svg(graph: KnowledgeGraph, link: LinkOf | None = None) -> str:
    """The graph as one `<svg>` element. A statement links to the page of its first source, or to what `link`
    returns."""
    branches, height = _layout(graph.root)
    width = _COLUMNS[2] + int(LINE_LETTERS["statement"] * LETTER_PIXELS["statement"]) + 40
    entity = _PlacedText("entity", graph.root, _COLUMNS[0], height / 2, _lines(graph.root.label, "entity"))
    urls = {each.number: each for each in graph.cited}
    leads = link or (lambda node: web_address(urls[node.sources[0]].url) if node.sources else "")
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height:g}" width="{width}" height="{height:g}" '
        f'role="group" aria-label="{escape(graph.entity)}">',
        f"<style>{_drawing_style()}</style>",
        *(part for branch in branches for part in _draw(entity, branch, leads)),
        *_entity(entity),
        "</svg>",
    ]
    return "\n".join(parts)


def _layout(root: GraphNode) -> tuple[list[_PlacedBranch], float]:
    """The branches from top to bottom, and the height of all."""
    top, branches = float(GAP), []
    for number, category in enumerate(root.children):
        begin, placed = top, []
        for node in category.children:
            lines = _lines(node.label, "statement")
            placed.append(_PlacedText("statement", node, _COLUMNS[2], top + len(lines) * LINE / 2, lines))
            top += len(lines) * LINE + GAP
        label = _lines(category.label, "category")
        top = max(top, begin + len(label) * LINE + GAP)
        middle = (begin + top - GAP) / 2
        branches.append(
            _PlacedBranch(
                _PlacedText("category", category, _COLUMNS[1], middle, label),
                tuple(placed),
                number % _CATEGORY_COLOURS + 1,
            )
        )
        top += BETWEEN_CATEGORIES
    return branches, max(top, 5 * LINE)


def _lines(text: str, kind: str) -> tuple[str, ...]:
    return tuple(textwrap.wrap(" ".join(text.split()), LINE_LETTERS[kind])) or ("",)


def _draw(entity: _PlacedText, branch: _PlacedBranch, leads: LinkOf) -> Iterator[str]:
    category = branch.category
    yield _curve(entity.x + _width(entity) + _PADDING, entity.y, category.x - _PADDING, category.y, branch.colour)
    yield from _text(category, "", colour=branch.colour)
    for each in branch.statements:
        yield _curve(category.x + _width(category) + _PADDING, category.y, each.x - _PADDING, each.y, branch.colour)
        yield from _text(each, leads(each.node), each.node.sources)


def _width(placed: _PlacedText) -> float:
    return max(map(len, placed.lines)) * LETTER_PIXELS[placed.kind]


def _curve(x1: float, y1: float, x2: float, y2: float, colour: int) -> str:
    turn = max((x2 - x1) / 2, _TURN)
    line = f"M{x1:.0f} {y1:.1f}C{x1 + turn:.0f} {y1:.1f} {x2 - turn:.0f} {y2:.1f} {x2:.0f} {y2:.1f}"
    return f'<path d="{line}" class="category-{colour}"/>'


def _text(placed: _PlacedText, url: str, sources: tuple[int, ...] = (), colour: int = 0) -> Iterator[str]:
    """The group of a text. `colour` is the number of a category's colour; 0 is that of all text."""
    kind = f"{placed.kind} category-{colour}" if colour else placed.kind
    first = placed.y - (len(placed.lines) - 1) * LINE / 2 + 5
    marks = f'<tspan class="mark" dx="5">{escape(" ".join(f"[{number}]" for number in sources))}</tspan>'
    spans = "".join(
        f'<tspan x="{placed.x}" y="{first + number * LINE:.1f}">{escape(line)}</tspan>'
        for number, line in enumerate(placed.lines)
    )
    text = f"<text>{spans}{marks if sources else ''}</text>"
    yield f'<g class="{kind}">' + (f'<a href="{escape(url)}">{text}</a>' if url else text) + "</g>"


def _entity(placed: _PlacedText) -> Iterator[str]:
    height, width = len(placed.lines) * LINE + 2 * _PADDING, _width(placed) + 2 * _PADDING
    yield (
        f'<g class="entity"><rect x="{placed.x - _PADDING}" y="{placed.y - height / 2:.1f}" width="{width:.0f}" '
        f'height="{height}" rx="8"/>'
    )
    yield from _text(placed, "")
    yield "</g>"


_STYLE = """
figure { margin: 1.5rem 0; overflow-x: auto; }
.tree { display: none; }
.tree h2 { padding-left: 0.625rem; border-left: 3px solid currentcolor; }
.tree a { color: inherit; }
@media (max-width: 48rem) { figure { display: none; } .tree { display: block; } }
blockquote:target { background: var(--highlight); border-left-color: var(--accent); }
"""


def render_html(graph: KnowledgeGraph) -> str:
    """The graph as a complete HTML document."""
    return "\n".join(
        [
            document_head(graph.entity, _STYLE, wide=True, drawing=_drawing_style()),
            f"<main><h1>{escape(graph.entity)}</h1>",
            f'<p class="remark">{escape(_provenance(graph))}</p>',
            "<figure>",
            render_svg(graph, lambda node: f"#{_anchor(node.passages[0])}" if node.passages else ""),
            "</figure>",
            *_list(graph),
            "<h2>Sources</h2><ol>",
            *_sources(graph),
            "</ol>",
            *left_out(graph.left_out),
            "</main>",
            DOCUMENT_END,
        ]
    )


def _list(graph: KnowledgeGraph) -> Iterator[str]:
    """The statements by category, in the place of the picture where that would have to be scrolled."""
    yield '<div class="tree">'
    for category in graph.root.children:
        yield f"<h2>{escape(category.label)}</h2><ul>"
        for node in category.children:
            marks = " ".join(f"[{number}]" for number in node.sources)
            text = f'{escape(node.label)} <span class="remark">{marks}</span>'
            yield f'<li><a href="#{_anchor(node.passages[0])}">{text}</a></li>' if node.passages else f"<li>{text}</li>"
        yield "</ul>"
    yield "</div>"


def _provenance(graph: KnowledgeGraph) -> str:
    by = f"Found by {graph.by}" if graph.by else "Found by the grammar of the sentences, without a language model"
    lost = f" {graph.unsupported} statements are left out, as no passage supports them." if graph.unsupported else ""
    return f"{by}.{lost} Each statement links to the passage that supports it."


def _sources(graph: KnowledgeGraph) -> Iterator[str]:
    for cited in graph.cited:
        name = escape(cited.title or cited.url)
        url = web_address(cited.url)
        link = f'<a href="{escape(url)}">{name}</a>' if url else name
        date = f" ({escape(cited.date)})" if cited.date else ""
        quotes = "".join(
            f'<blockquote id="{_anchor(each.id)}">{escape(each.text)}</blockquote>'
            for each in graph.passages
            if each.url == cited.url
        )
        yield f"<li>{link}{date}{quotes}</li>"


def _anchor(id: str) -> str:
    return f"p-{escape(id)}"
