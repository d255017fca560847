"""Cleans up a page's tree before its content is selected: common habits of pages that mislead extractors.

Nothing here knows a site. A rule that removes text never removes what has a large part of the page's own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from lxml.etree import SubElement, XPath
from lxml.html import HtmlElement

MAX_FURNITURE_SHARE = 0.3
"""An element with more than this share of the page's prose is not removed as furniture."""

MIN_PROSE_CHARACTERS = 60
"""The minimum length of a text that counts as prose."""

# Words of a class or id, the whole word. What trafilatura knows already is not repeated.
_FURNITURE = frozenset(
    "promo promos promotion recirc recirculation related newsletter newsletters subscribe subscription signup "
    "tooltip popover popup rollover hovercard outbrain taboola advert advertisement adslot sponsored trending cta "
    "scrim lightbox modal tools toolbar".split()
)
_UNSEEN = frozenset(
    "hidden hide is-hidden visually-hidden visuallyhidden sr-only screen-reader-text screen-reader-only d-none "
    "display-none print-only print-header print-footer".split()
)
_UNSEEN_STYLE = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_WORD = re.compile(r"[a-z0-9]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_CONTAINERS = "div section aside article nav ul ol dl li p span table form figure header footer".split()
# Embeds that hold what somebody wrote, before a script turns them into a frame.
_POSTS = frozenset(
    "twitter-tweet twitter-video instagram-media tiktok-embed mastodon-embed bluesky-embed reddit-card".split()
)
_PROSE = XPath(
    f".//text()[string-length() > {MIN_PROSE_CHARACTERS}][not(ancestor::a or parent::script or parent::style "
    "or parent::noscript"
    " or parent::template or parent::textarea or parent::title)]"
)


def clean_up(tree: HtmlElement) -> None:
    """Apply all rules to the tree, in place."""
    for rule in RULES:
        rule(tree)


def hide_unseen(tree: HtmlElement) -> None:
    """Remove elements that are not visible: `hidden`, `display: none`, and classes that mean it."""
    _remove(tree, (each for each in tree.iter(*_CONTAINERS) if _unseen(each)))


def _unseen(element: HtmlElement) -> bool:
    return (
        element.get("hidden") is not None
        or bool(_UNSEEN_STYLE.search(element.get("style") or ""))
        or not _UNSEEN.isdisjoint((element.get("class") or "").lower().split())
    )


def remove_furniture(tree: HtmlElement) -> None:
    """Remove elements whose class or id says that they are an advertisement, a list of other pages, a form to
    subscribe, or a tooltip."""
    _remove(tree, (each for each in tree.iter(*_CONTAINERS) if not _FURNITURE.isdisjoint(_names(each))))


def _names(element: HtmlElement) -> list[str]:
    names = f"{element.get('class') or ''} {element.get('id') or ''}"
    return _WORD.findall(_CAMEL.sub(" ", names).lower())


def free_posts(tree: HtmlElement) -> None:
    """Remove the classes of wrappers around embedded posts: the posts belong to the article, but `embed` or `social`
    would make trafilatura drop them."""
    for quote in list(tree.iter("blockquote")):
        if _POSTS.isdisjoint((quote.get("class") or "").split()):
            continue
        outer = quote
        while (parent := outer.getparent()) is not None and parent.tag in ("div", "figure", "section", "aside", "span"):
            if _length(parent) > 1.2 * _length(quote) + 20:
                break
            outer = parent
            outer.tag = "div"
            outer.attrib.clear()
        quote.attrib.clear()


def open_layout_tables(tree: HtmlElement) -> None:
    """Turn layout tables into containers: tables with a table, a heading or several paragraphs in a cell, or with a
    single cell."""
    for table in reversed(list(tree.iter("table"))):
        cells = list(table.iter("td", "th"))
        if table.find(".//th") is None and (len(cells) < 2 or any(_is_layout(cell) for cell in cells)):
            for each in table.iter("table", "tbody", "thead", "tfoot", "tr", "td", "th", "caption", "colgroup"):
                each.tag = "div"


def _is_layout(cell: HtmlElement) -> bool:
    return (
        any(cell.find(f".//{name}") is not None for name in ("table", "h1", "h2", "h3", "article"))
        or len(cell.findall(".//p")) > 1
        or _length(cell) > 600
    )


def keep_code(tree: HtmlElement) -> None:
    """Mark preformatted text as code; trafilatura takes it for a quote if it has no braces, but not if it is a single
    `span`."""
    for element in list(tree.iter("pre")):
        text = element.text_content().strip("\n")
        for child in list(element):
            element.remove(child)
        element.text = None
        SubElement(element, "span").text = text


def join_parts(tree: HtmlElement) -> None:
    """Join a body that is cut into several elements of one class and depth, with advertisements between them: the
    innermost element around them is marked as the body of the article, and they become plain containers."""
    parents: dict[HtmlElement, int] = {}
    for paragraph in tree.iter("p"):
        parent = paragraph.getparent()
        if parent is not None and parent.get("class"):
            parents[parent] = parents.get(parent, 0) + _length(paragraph)
    groups: dict[tuple[str, str, int], list[HtmlElement]] = {}
    for parent, length in parents.items():
        if length > 200:
            depth = sum(1 for _ in parent.iterancestors())
            groups.setdefault((parent.tag, parent.get("class"), depth), []).append(parent)
    total = sum(parents.values())
    for parts in groups.values():
        if len(parts) < 2 or sum(parents[each] for each in parts) < 0.6 * total:
            continue
        around = _around(parts)
        if (
            around is None
            or around.tag in ("body", "html")
            or len(around.findall(".//h1")) > 1
            or around.find(".//article") is not None
        ):
            continue
        around.tag = "article"
        around.set("class", "article-body")
        for part in parts:
            while part is not around:
                part.attrib.pop("class", None)
                part.attrib.pop("id", None)
                part = part.getparent()


def _around(elements: list[HtmlElement]) -> HtmlElement | None:
    shared = list(elements[0].iterancestors())
    for element in elements[1:]:
        own = set(element.iterancestors())
        shared = [each for each in shared if each in own]
    return shared[0] if shared else None


def prose_length(element: HtmlElement) -> int:
    """The number of characters that read as prose: the longer pieces of text outside of links, in any markup."""
    return sum(map(len, filter(None, map(str.strip, _PROSE(element)))))


def _length(element: HtmlElement) -> int:
    return sum(len(text.strip()) for text in element.itertext())


def _remove(tree: HtmlElement, elements: Iterator[HtmlElement]) -> None:
    """Remove elements, but never the container of the headline, nor one with much of the prose of the page: some
    classes only say what a page is able to do (`lightbox-enabled`)."""
    chosen = list(elements)
    limit = MAX_FURNITURE_SHARE * prose_length(tree) if chosen else 0.0
    for element in chosen:
        if element.getparent() is not None and element.find(".//h1") is None and prose_length(element) <= limit:
            element.drop_tree()


RULES: list[Callable[[HtmlElement], None]] = [
    hide_unseen,
    remove_furniture,
    free_posts,
    open_layout_tables,
    keep_code,
    join_parts,
]
