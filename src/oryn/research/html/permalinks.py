"""Links of headings to themselves, which documentation tools put beside each of them: `¶`, `#`, `§`, `🔗`, an icon.

They are recognised by what they are, and not by the names that a tool gives them: an `a` in or beside a heading, term
or caption, whose target is that, or the section that it begins, and whose text is only a mark."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import islice
from urllib.parse import unquote

from lxml.html import HtmlElement

MAX_MARK_CHARACTERS = 3
MAX_LEVELS = 4
"""How many elements around a heading may have the name that its link goes to: sections, and what tools wrap it in."""
MAX_NEIGHBOURS = 3
"""How far beside a heading its link, or an empty element with the name of its target, may stand."""
MAX_TEXTS = 200
MAX_ELEMENTS = 30
"""Elements in a heading that are looked at for their names."""

_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_TITLES = frozenset(("dt", "caption", "figcaption", "legend", "summary"))
_WORDS = re.compile(
    r"(?:copy |direct |permanent )?(?:perma)?link(?: (?:to|for) .{1,200})?|anchor(?: (?:to|for) .{1,200})?"
    r"|heading self-?link|section titled .{1,200}",
    re.I,
)
"""What a mark is called for readers that do not see it."""
_IGNORED = frozenset(("Cf", "Cc", "Co", "Mn"))
"""Categories of characters that no mark consists of: invisible ones, and those of icon fonts."""


_BRACKETS = frozenset(("Ps", "Pe", "Pi", "Pf"))


def remove_permalinks(tree: HtmlElement) -> None:
    """Empty the permalinks of a page, and make a heading that is a link to itself as a whole one without it."""
    for anchor, is_mark in list(_permalinks(tree)):
        if is_mark:
            _empty(anchor)
        else:
            anchor.tag = "span"
            del anchor.attrib["href"]


def empty_permalinks(tree: HtmlElement) -> None:
    """Empty those that are only marks. Paths to elements of the page remain valid."""
    for anchor, is_mark in list(_permalinks(tree)):
        if is_mark:
            _empty(anchor)


def _empty(anchor: HtmlElement) -> None:
    del anchor.attrib["href"]
    anchor.text = None
    del anchor[:]


def _permalinks(tree: HtmlElement) -> Iterator[tuple[HtmlElement, bool]]:
    """The permalinks, each with whether it is only a mark: others are the whole text of their heading."""
    names: set[str] | None = None
    for anchor in tree.iter("a"):
        before, separator, fragment = (anchor.get("href") or "").strip().partition("#")
        if not separator or not fragment:
            continue
        if not any(map(str.strip, islice(anchor.itertext(), MAX_TEXTS))):
            continue  # an icon, which no text has
        heading = _heading_of(anchor)
        is_mark = _is_mark(anchor)
        wanted = {fragment, unquote(fragment)}
        if not is_mark:
            # The title of a post or a panel is a link to what is around it, and may be the only one there.
            if heading is not None and _is_whole(anchor, heading) and not wanted.isdisjoint(_names_in(heading)):
                yield anchor, False
            continue
        if wanted.isdisjoint({*_names_around(anchor if heading is None else heading), *_names_in(anchor)}):
            if before or heading is None or heading not in islice(anchor.iterancestors(), MAX_LEVELS):
                continue
            # Scripts give some headings their names.
            names = set(_names_in(tree, None)) if names is None else names
            if not wanted.isdisjoint(names):
                continue
        yield anchor, True


def _heading_of(anchor: HtmlElement) -> HtmlElement | None:
    """The heading, term or caption that the anchor stands in or beside."""
    for each in islice(anchor.iterancestors(), MAX_LEVELS):
        if _is_heading(each) or each.tag in _TITLES:
            return each
    around = anchor
    for _ in range(2):
        for following in (False, True):
            for each in islice(around.itersiblings(preceding=not following), MAX_NEIGHBOURS):
                if _is_heading(each):
                    return each
        parent = around.getparent()
        if parent is None or len(parent) > 1 or (parent.text or "").strip():
            return None
        around = parent
    return None


def _is_heading(element: HtmlElement) -> bool:
    return element.tag in _HEADINGS or element.get("role") == "heading"


def _is_mark(anchor: HtmlElement) -> bool:
    """Whether a link's text is a mark, an icon or nothing."""
    text = _visible(anchor)
    if not any(map(str.isalnum, text)):
        return len(text) <= MAX_MARK_CHARACTERS and not any(unicodedata.category(char) in _BRACKETS for char in text)
    return _WORDS.fullmatch(text) is not None


def _is_whole(anchor: HtmlElement, heading: HtmlElement) -> bool:
    text = _visible(anchor)
    return bool(text) and _bare(text) == _bare(_visible(heading))


def _bare(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()


def _visible(element: HtmlElement) -> str:
    """The text of an element without what is not seen: controls, joiners, characters of icon fonts."""
    text = " ".join("".join(islice(element.itertext(), MAX_TEXTS)).split())
    return "".join(char for char in text if unicodedata.category(char) not in _IGNORED).strip()


def _names_around(element: HtmlElement) -> Iterator[str]:
    """The names of an element, of what is in it and around it, and of empty elements before it."""
    yield from _names_in(element)
    for each in islice(element.itersiblings(preceding=True), MAX_NEIGHBOURS):
        if not isinstance(each.tag, str) or not "".join(each.itertext()).strip():
            yield from _names_in(each)
    for each in islice(element.iterancestors(), MAX_LEVELS):
        yield from _names_of(each)


def _names_in(element: HtmlElement, limit: int | None = MAX_ELEMENTS) -> Iterator[str]:
    for each in islice(element.iter(), limit):
        yield from _names_of(each)


def _names_of(element: HtmlElement) -> Iterator[str]:
    for attribute in ("id", "name"):
        if name := element.get(attribute):
            yield name
