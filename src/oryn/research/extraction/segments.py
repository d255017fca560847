"""A page as segments: the runs of text between the borders of its block elements, in the order of the page.

A segment is the smallest piece that is kept or left out as a whole. A container is an element that has a border of its
own: a block element, or an inline element around one. Each container spans the segments `begins[c]:ends[c]`, so sums
over an element are differences of running sums (`features.py`).

https://html.spec.whatwg.org/multipage/rendering.html#flow-content-3 lists the elements that browsers show as blocks."""

from __future__ import annotations

import re
from typing import NamedTuple

from lxml.html import HtmlElement

from oryn.research.extraction.mathematics import formula_of

BLOCKS = frozenset(
    (
        "address article aside blockquote body caption center colgroup dd details dialog dir div dl dt fieldset "
        "figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu "
        "nav noframes noscript ol optgroup p plaintext pre search section summary table tbody td template tfoot th "
        "thead tr ul xmp"
    ).split()
)
UNSEEN = frozenset(
    "script style title meta link base svg iframe object embed applet canvas audio video source track param map "
    "area select datalist textarea input progress meter option rp img picture image noembed".split()
)
"""Elements without text of the page."""

BLOCK_ROLES = frozenset(("row", "cell", "gridcell", "columnheader", "rowheader", "listitem", "heading"))
"""Roles (https://www.w3.org/TR/wai-aria-1.2/) of elements that stand apart, whatever their names."""
STRONG = frozenset(("b", "strong"))
EMPHASIS = frozenset(("i", "em", "cite", "dfn", "var"))
CODE = frozenset(("code", "kbd", "samp", "tt"))
_HIDING = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)


class InlineStyle(NamedTuple):
    """The style of a piece of text. `script` is `sup`, `sub` or empty; `mark` the element of a footnote's mark."""

    href: str = ""
    strong: bool = False
    emphasis: bool = False
    code: bool = False
    script: str = ""
    formula: str = ""
    """`inline` or `display` if the text is TeX."""
    line_end: bool = False
    """Whether the piece is the end of a block within preformatted text: the line ends there, if it has not already."""


PLAIN_STYLE = InlineStyle()
LINE_END = InlineStyle(line_end=True)


class Segment:
    """A run of text. `pieces` are its texts with their styles, `text` all of it with single spaces, `container` the
    index of the innermost container, `link_characters` how many of its characters are links."""

    __slots__ = ("container", "link_characters", "links", "pieces", "text")

    def __init__(self, container: int, pieces: list[tuple[str, InlineStyle]], text: str) -> None:
        self.container = container
        self.pieces = pieces
        self.text = text
        self.link_characters = sum(len(each) for each, style in pieces if style.href)
        self.links = len({style.href for _, style in pieces if style.href}) if self.link_characters else 0


class PageSegments:
    """The segments and containers of a page. `parents`, `begins`, `ends`, `depths` and `hidden` have an entry for each
    container; the parent of the first is itself."""

    def __init__(self, tree: HtmlElement) -> None:
        self.segments: list[Segment] = []
        self.containers: list[HtmlElement] = []
        self.parents: list[int] = []
        self.begins: list[int] = []
        self.ends: list[int] = []
        self.depths: list[int] = []
        self.hidden: list[bool] = []
        self.images: list[tuple[int, HtmlElement]] = []
        """Images, with the number of segments before each."""
        self._pieces: list[tuple[str, InlineStyle]] = []
        self._around = _around_blocks(tree)
        self._container(_root(tree), 0, 0, False, False)

    def _flush(self, container: int, preformatted: bool) -> None:
        pieces, self._pieces = self._pieces, []
        if not pieces:
            return
        text = "".join(each[0] for each in pieces)
        text = text.strip("\n") if preformatted else " ".join(text.split())
        if text.strip():
            self.segments.append(Segment(container, pieces, text))

    def _container(self, element: HtmlElement, parent: int, depth: int, hidden: bool, preformatted: bool) -> None:
        """Enter an element with borders. The pieces before it belong to `parent`."""
        self._flush(parent, preformatted)
        index = len(self.containers)
        hidden = hidden or is_hidden(element)
        self.containers.append(element)
        self.parents.append(parent)
        self.depths.append(depth)
        self.hidden.append(hidden)
        self.begins.append(len(self.segments))
        self.ends.append(0)
        style = PLAIN_STYLE
        if element.tag == "a" and (href := element.get("href")):
            style = InlineStyle(href)
        self._content(element, index, depth, hidden, preformatted or element.tag in ("pre", "listing", "xmp"), style)
        self._flush(index, preformatted or element.tag in ("pre", "listing", "xmp"))
        self.ends[index] = len(self.segments)

    def _content(
        self, element: HtmlElement, container: int, depth: int, hidden: bool, preformatted: bool, style: InlineStyle
    ) -> None:
        if element.text:
            self._pieces.append((element.text, style))
        for child in element:
            tag = child.tag
            if not isinstance(tag, str):
                pass
            elif tag == "br":
                if self._pieces and self._pieces[-1][0] == "\n" and not preformatted:
                    self._flush(container, preformatted)
                else:
                    self._pieces.append(("\n", PLAIN_STYLE))
            elif tag in UNSEEN:
                self._unseen(child, tag, style)
            elif formula := formula_of(child):
                self._pieces.append((formula.tex, style._replace(formula="display" if formula.display else "inline")))
            elif tag in BLOCKS or child in self._around or "-" in tag or child.get("role") in BLOCK_ROLES:
                if tag != "template" or child.get("shadowrootmode") or child.get("shadowroot"):
                    if preformatted:
                        self._content(child, container, depth, hidden, True, style)
                        self._pieces.append(("\n", LINE_END))
                    else:
                        self._container(child, container, depth + 1, hidden, False)
            elif not is_unseen(child):
                self._content(child, container, depth, hidden, preformatted, _styled(style, child))
            if tail := child.tail:
                if not (tail.isspace() and self._pieces and self._pieces[-1][0] == "\n") or preformatted:
                    self._pieces.append((tail, style))

    def _unseen(self, element: HtmlElement, tag: str, style: InlineStyle) -> None:
        """Note an image, or a formula's source that MathJax reads from a script."""
        if tag == "img":
            self.images.append((len(self.segments), element))
        elif tag == "picture":
            self.images += [(len(self.segments), each) for each in element.iter("img")]
        elif tag == "script" and (element.get("type") or "").startswith("math/tex") and element.text:
            mode = "display" if "mode=display" in element.get("type", "") else "inline"
            self._pieces.append((element.text.strip(), style._replace(formula=mode)))


def _root(tree: HtmlElement) -> HtmlElement:
    """The body, or all of the page: libxml2 leaves elements that it does not know in the head if no body begins."""
    body = tree.find("body")
    head = tree.find("head")
    if body is None or (head is not None and any(child.tag in BLOCKS and child.tag != "noscript" for child in head)):
        return tree
    return body


def is_unseen(element: HtmlElement) -> bool:
    """Whether the element itself says that it is not displayed."""
    return element.get("hidden") is not None or bool(_HIDING.search(element.get("style") or ""))


def is_hidden(element: HtmlElement) -> bool:
    """Whether the element itself says that it is not displayed, or not for all readers."""
    return is_unseen(element) or element.get("aria-hidden") == "true"


def _styled(style: InlineStyle, element: HtmlElement) -> InlineStyle:
    tag = element.tag
    if tag == "a":
        return style._replace(href=element.get("href") or "")
    if tag in STRONG:
        return style._replace(strong=True)
    if tag in EMPHASIS:
        return style._replace(emphasis=True)
    if tag in CODE:
        return style._replace(code=True)
    if tag in ("sup", "sub"):
        return style._replace(script=tag)
    return style


def _around_blocks(tree: HtmlElement) -> set[HtmlElement]:
    """Inline elements that have a block within."""
    around: set[HtmlElement] = set()
    for element in tree.iter(*BLOCKS):
        parent = element.getparent()
        while parent is not None and parent.tag not in BLOCKS and parent not in around:
            around.add(parent)
            parent = parent.getparent()
    return around
