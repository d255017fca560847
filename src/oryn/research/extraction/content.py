"""Selects the main content of a page.

trafilatura selects (its own rules, without the comparison with others, which selects worse). If its selection has
little of the page's prose, it is run again on what Readability's scores find, and on all paragraphs. If nothing is
found to be the content, all of the page's text is taken, in the shape that `blocks_of` reads."""

from __future__ import annotations

from copy import deepcopy

from lxml.etree import strip_elements, strip_tags
from lxml.html import HtmlElement, document_fromstring
from trafilatura import bare_extraction
from trafilatura.readability_lxml import Document

from oryn.research.extraction.blocks import Block, blocks_of
from oryn.research.extraction.boilerplate import fold, trim
from oryn.research.extraction.preprocess import MIN_PROSE_CHARACTERS, clean_up, prose_length

# What has no words of the page, and what is on every page of a site.
_WITHOUT = (
    "script style noscript template svg math iframe object embed canvas audio video select datalist textarea button "
    "input head title nav footer dialog"
).split()
_INLINE = (
    "abbr acronym bdi bdo big center cite data dfn font ins label mark nobr q ruby s small span strike sub sup time u"
    " var wbr picture img"
).split()
_NAMES = {
    **{f"h{level}": ("head", {"rend": f"h{level}"}) for level in range(1, 7)},
    **dict.fromkeys(("b", "strong"), ("hi", {"rend": "#b"})),
    **dict.fromkeys(("i", "em"), ("hi", {"rend": "#i"})),
    **dict.fromkeys(("kbd", "samp", "tt"), ("hi", {"rend": "#t"})),
    **dict.fromkeys(("td", "th"), ("cell", {})),
    **dict.fromkeys(("li", "dt", "dd"), ("item", {})),
    **dict.fromkeys(("ul", "dl", "menu"), ("list", {"rend": "ul"})),
    "ol": ("list", {"rend": "ol"}),
    "blockquote": ("quote", {}),
    "pre": ("code", {}),
    "tr": ("row", {}),
    "br": ("lb", {}),
}


def to_trafilatura_tree(tree: HtmlElement) -> HtmlElement:
    """A copy of the tree with trafilatura's names for elements."""
    copied = deepcopy(tree)
    strip_elements(copied, *_WITHOUT, with_tail=False)
    strip_tags(copied, *_INLINE)
    for element in copied.iter("code"):
        if element.getparent() is not None and element.getparent().tag != "pre":
            element.tag, element.attrib["rend"] = "hi", "#t"
    strip_tags(copied, "code")
    for element in copied.iter():
        if element.tag == "a":
            target = element.get("href")
            element.tag = "ref"
            element.attrib.clear()
            element.attrib.update({"target": target} if target else {})
        elif element.tag in _NAMES:
            element.tag, attributes = _NAMES[element.tag]
            element.attrib.update(attributes)
    return copied


DUMP_SHARE = 0.9
"""A single paragraph with more than this share of the page's prose is taken for a dump of all words."""

MAX_ELEMENTS = 40_000
"""A page with more elements is not analysed, but used completely: it would take seconds, and is no article."""

MIN_SCORED_CHARACTERS = 250
"""Characters that a selection by scores must have to be used."""

MIN_PROSE_SHARE = 0.5
"""A selection with less than this share of the page's prose is compared with another one."""

SHORT_CHARACTERS = 500
"""A selection up to this length may be replaced by one that does not contain it."""

REPLACEMENT_FACTOR = 4
"""A selection may also be replaced by one that is so many times as long."""

TITLE_SEPARATORS = (" | ", " - ", " – ", " — ", " » ", " :: ")
"""Separators between the title of a page and that of its site, in the window title."""


def content_of(tree: HtmlElement, url: str = "") -> list[Block]:
    """The blocks of the main content, in the order of the page. Modifies `tree`."""
    titles = titles_of(tree)
    if sum(1 for _ in tree.iter()) > MAX_ELEMENTS:
        return trim(_everything(tree), titles)
    clean_up(tree)
    blocks = trim(_chosen(tree, url), titles)
    prose = prose_length(tree)
    if prose >= MIN_SCORED_CHARACTERS and _length(blocks) < MIN_PROSE_SHARE * prose:
        other = trim(_by_scores(tree, url), titles)
        if _length(other) >= MIN_SCORED_CHARACTERS and _better(other, blocks):
            return other
    # Without a line of prose it is a list, a form, a front page: all of it is as good as the half.
    return blocks if any(map(_is_prose, blocks)) else trim(_everything(tree), titles)


def _is_prose(block: Block) -> bool:
    # A line of Chinese or Japanese says as much with a third of the characters.
    return len(block.text) > MIN_PROSE_CHARACTERS or block.text.endswith(("。", "！", "？"))


def _chosen(tree: HtmlElement, url: str) -> list[Block]:
    """The blocks that trafilatura selects. Empty if it finds nothing, or returns all words of the page as one
    paragraph."""
    try:
        found = bare_extraction(
            tree,
            url=url or None,
            fast=True,
            include_comments=False,
            include_formatting=True,
            include_links=True,
        )
    except Exception:  # noqa: BLE001
        # Its heuristics index and divide; what trips one of them is still a page with words, which others find.
        return []
    body = getattr(found, "body", None)
    if body is None:
        return []
    blocks = blocks_of(body)
    dumped = len(body) == 1 and len(body[0]) == 0 and _length(blocks) > DUMP_SHARE * prose_length(tree)
    return [] if dumped else blocks


def _by_scores(tree: HtmlElement, url: str) -> list[Block]:
    """The element with the best Readability score, and trafilatura's selection within it."""
    try:
        summary = document_fromstring(Document(deepcopy(tree)).summary())
    except Exception:  # noqa: BLE001
        # As above: it finds nothing then.
        return []
    for container in summary.iter("div", "article", "section", "body"):
        container.tag = "article"
        container.set("class", "article-body")
        break
    return _chosen(summary, url)


def _everything(tree: HtmlElement) -> list[Block]:
    return blocks_of(to_trafilatura_tree(tree))


def _better(candidate: list[Block], blocks: list[Block]) -> bool:
    """Whether it has twice as much and holds what is there, or there is next to nothing, or it has many times as
    much."""
    if _length(candidate) < 2 * _length(blocks):
        return False
    if _length(blocks) < SHORT_CHARACTERS or _length(candidate) > REPLACEMENT_FACTOR * _length(blocks):
        return True
    held = {fold(block.text) for block in candidate}
    shared = sum(len(block.text) for block in blocks if fold(block.text) in held)
    return shared > 0.7 * _length(blocks)


def _length(blocks: list[Block]) -> int:
    return sum(len(block.text) for block in blocks)


def titles_of(tree: HtmlElement) -> list[str]:
    """The texts that the headline may have: the first-level headings, the title in the metadata, the window title and
    its parts."""
    titles = [" ".join(each.text_content().split()) for each in tree.iter("h1")]
    for each in tree.iter("meta"):
        if (each.get("property") or each.get("name") or "").lower() in ("og:title", "twitter:title"):
            titles.append(each.get("content") or "")
    for each in list(tree.iter("title"))[:1]:
        whole = each.text_content()
        titles += [whole, *(part for mark in TITLE_SEPARATORS if mark in whole for part in whole.split(mark))]
    return titles
