"""Which elements of pages were kept and marked as what they are, for `extraction.py --structure`: code blocks, tables,
list items and headings whose words the marked main text has.

An element is counted by its words, so some can't be: see `_elements` and `_is_elsewhere`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from lxml.html import HtmlElement

from oryn.errors import NoText
from oryn.research.extraction import article_of
from oryn.research.html.tree import parse_html
from scripts.content_model.collections import MarkedPage

ELEMENTS = {
    "code block": ("pre",),
    "table": ("table",),
    "list item": ("li",),
    "heading": ("h2", "h3", "h4", "h5", "h6"),
}
HEADED = ".//h1 | .//h2 | .//h3 | .//h4 | .//h5 | .//h6 | .//*[@role='heading']"
MIN_WORDS = {"code block": 3, "table": 6, "list item": 4, "heading": 2}
QUOTES = r"\s*(?:> )*"
FENCE = re.compile(QUOTES + r"(`{3,})")
MARKS = {
    "table": re.compile(QUOTES + r"\|"),
    "list item": re.compile(QUOTES + r"\s*(?:[-*]|\d+\.) "),
    "heading": re.compile(QUOTES + r"#{1,6} "),
}
"""How a line of Markdown begins that is marked as such an element."""
CONTINUED = re.compile(r"\s{2}|" + QUOTES + r"\s{2}|[> ]*$")
"""How a line below an item begins that is still the item's (https://spec.commonmark.org/0.31.2/#list-items)."""
IMAGE = re.compile(r"!\[(?:\\.|[^\]\\])*\]\([^)]*\)")
TARGET = re.compile(r"[(]https?://[^)]*[)]")


def structure_lines(pages: Sequence[MarkedPage]) -> list[str]:
    """A line for each kind of element: how many there are, the share that was kept, and of those the share that is
    marked."""
    counts: dict[str, Counter[str]] = {name: Counter() for name in ELEMENTS}
    for page in pages:
        if not page.text:
            continue
        try:
            markdown = article_of(page.html(), "https://page.example/").markdown
        except NoText:
            markdown = ""
        for name, _, kept, marked in judged_elements(page.html(), page.text, markdown):
            counts[name].update({"all": 1, "kept": kept, "marked": marked})
    return [
        f"{name:12} {count['all']:6}  kept {count['kept'] / max(1, count['all']):.3f}"
        f"  of these marked {count['marked'] / max(1, count['kept']):.3f}"
        for name, count in counts.items()
    ]


def judged_elements(html: bytes | str, text: str, markdown: str) -> Iterator[tuple[str, str, bool, bool]]:
    """The elements of a page whose words its marked main text has: the name of the kind, the words, whether the
    Markdown has them, and whether it marks them."""
    tree = parse_html(html)
    if tree is None:
        return
    lines = list(_lines(markdown))
    truth, everything = _joined(text), _joined(" ".join(_texts(tree)))
    found = _joined("\n".join(line for line, _ in lines))
    marked = {name: _marked(lines, name) for name in ELEMENTS}
    elements = [(name, f" {' '.join(words)} ", in_cell) for name, words, in_cell in _elements(tree)]
    same = Counter((name, said) for name, said, _ in elements)
    for name, said, in_cell in elements:
        if said not in truth or _is_elsewhere(said, same[name, said], truth, everything):
            continue
        # Markdown has no lists and headings in cells: there the table is the mark.
        is_marked = said in marked[name] or (in_cell and said in marked["table"])
        yield name, said, said in found, said in found and is_marked


def _is_elsewhere(said: str, elements: int, truth: str, everything: str) -> bool:
    """Whether the words may be in the main text for another reason than these elements: an entry of a table of contents
    has the words of a heading. Then nothing tells whether the element itself is main text, or was kept."""
    times = _count(said, everything)
    return times > elements and _count(said, truth) < times


def _count(said: str, text: str) -> int:
    count, at = 0, text.find(said)
    while at >= 0:
        # The last space is also the first one of the next.
        count, at = count + 1, text.find(said, at + len(said) - 1)
    return count


def _elements(tree: HtmlElement) -> Iterator[tuple[str, list[str], bool]]:
    """The name, the words, and whether it stands in a cell. Left out are elements that Markdown, or a reader, has as
    something else: an item with a heading is a section; a table of one row or one column is a box, one with code its
    frame (line numbers beside lines); a `pre` of nothing but numbers is the numbers of the lines beside."""
    for name, tags in ELEMENTS.items():
        for element in tree.iter(*tags):
            if name in ("table", "list item") and next(element.iterdescendants(*tags), None) is not None:
                continue
            if name == "list item" and element.xpath(HEADED):
                continue
            if name == "table" and (min(_size(element)) < 2 or next(element.iterdescendants("pre"), None) is not None):
                continue
            words = _words(" ".join(_texts(element, without="caption")))
            if len(words) < MIN_WORDS[name] or (name == "code block" and all(word.isdigit() for word in words)):
                continue
            in_cell = name in ("list item", "heading") and next(element.iterancestors("td", "th"), None) is not None
            yield name, words, in_cell


def _size(table: HtmlElement) -> tuple[int, int]:
    """The rows of a table, and the cells with text of the longest."""
    rows = [sum(bool(cell.text_content().strip()) for cell in row.iter("td", "th")) for row in table.iter("tr")]
    return len(rows), max(rows, default=0)


def _texts(element: HtmlElement, without: str = "script") -> Iterator[str]:
    """The texts within an element, but for those that are not displayed."""
    for each in element.xpath(".//text()"):
        around = each.getparent() if not each.is_tail else each.getparent().getparent()
        if around.tag not in ("script", "style", "title") and next(_self_and_ancestors(around, without), None) is None:
            yield str(each)


def _self_and_ancestors(element: HtmlElement, tag: str) -> Iterator[HtmlElement]:
    if element.tag == tag:
        yield element
    yield from element.iterancestors(tag)


def _lines(markdown: str) -> Iterator[tuple[str, bool]]:
    """The lines of Markdown without what is in no text of the page (descriptions of images, languages after fences),
    and whether each is code. A longer fence has shorter ones within."""
    fence = ""
    for line in IMAGE.sub("", markdown).split("\n"):
        found = FENCE.match(line)
        if found and (not fence or len(found[1]) >= len(fence)):
            fence = "" if fence else found[1]
            yield found[0], False
        else:
            yield line, bool(fence)


def _marked(lines: Sequence[tuple[str, bool]], name: str) -> str:
    """The words of the lines of an element's kind: of items, also those that go on below."""
    marked, in_item = [], False
    for line, code in lines:
        if name == "code block":
            is_marked = code
        elif name == "list item":
            is_marked = in_item = bool(in_item and CONTINUED.match(line)) or (
                not code and bool(MARKS[name].match(line))
            )
        else:
            is_marked = not code and bool(MARKS[name].match(line))
        if is_marked:
            marked.append(line)
    return _joined("\n".join(marked))


def _joined(text: str) -> str:
    return f" {' '.join(_words(TARGET.sub(' ', text)))} "


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.replace("\\", "").lower())
