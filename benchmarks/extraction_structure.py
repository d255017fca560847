"""Which elements of pages were kept and marked as what they are, for `extraction.py --structure`: code blocks, tables,
list items and headings whose words the marked main text has."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from lxml.html import HtmlElement

from oryn.errors import NoText
from oryn.research.extraction import article_of
from oryn.research.fetching.html_tree import parse_html
from scripts.content_model.collections import MarkedPage

ELEMENTS = {
    "code block": ("pre",),
    "table": ("table",),
    "list item": ("li",),
    "heading": ("h2", "h3", "h4", "h5", "h6"),
}
MIN_WORDS = {"code block": 3, "table": 6, "list item": 4, "heading": 2}
MARKS = {
    "code block": re.compile(r"^\s*(?:> )*```"),
    "table": re.compile(r"^(?:> )*\|"),
    "list item": re.compile(r"^\s*(?:> )*(?:[-*]|\d+\.) "),
    "heading": re.compile(r"^(?:> )*#{1,6} "),
}
"""How a line of Markdown begins that is marked as such an element."""


def structure_lines(pages: Sequence[MarkedPage]) -> list[str]:
    """A line for each kind of element: how many there are, the share that was kept, and of those the share that is
    marked."""
    counts: dict[str, Counter[str]] = {name: Counter() for name in ELEMENTS}
    for page in pages:
        if not page.text:
            continue
        tree = parse_html(page.html())
        if tree is None:
            continue
        try:
            markdown = article_of(page.html(), "https://page.example/").markdown
        except NoText:
            markdown = ""
        truth, found = _joined(page.text), _joined(markdown)
        marked = {name: _marked(markdown, name) for name in ELEMENTS}
        for name, words in _elements(tree):
            said = f" {' '.join(words)} "
            if said not in truth:
                continue
            counts[name]["all"] += 1
            if said in found:
                counts[name]["kept"] += 1
                counts[name]["marked"] += said in marked[name]
    return [
        f"{name:12} {count['all']:6}  kept {count['kept'] / max(1, count['all']):.3f}"
        f"  of these marked {count['marked'] / max(1, count['kept']):.3f}"
        for name, count in counts.items()
    ]


def _elements(tree: HtmlElement) -> Iterator[tuple[str, list[str]]]:
    for name, tags in ELEMENTS.items():
        for element in tree.iter(*tags):
            if name in ("table", "list item") and next(element.iterdescendants(*tags), None) is not None:
                continue
            words = _words(" ".join(element.itertext()))
            if len(words) >= MIN_WORDS[name]:
                yield name, words


def _marked(markdown: str, name: str) -> str:
    """The words of the lines of an element's kind; of code, of all lines between fences."""
    lines, fenced = [], False
    for line in markdown.split("\n"):
        begins = MARKS["code block"].match(line)
        if name == "code block":
            if begins:
                fenced = not fenced
            elif fenced:
                lines.append(line)
        elif MARKS[name].match(line):
            lines.append(line)
    return _joined("\n".join(lines))


def _joined(text: str) -> str:
    return f" {' '.join(_words(re.sub(r'[(]https?://[^)]*[)]', ' ', text)))} "


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.replace("\\", "").lower())
