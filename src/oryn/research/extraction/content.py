"""Which of a page's words are its content.

trafilatura chooses (its own rules, without the comparison with others, which chooses worse). Where its choice holds
little of the page's prose, it is asked again about what Readability's scores find, and about all paragraphs.
"""

from __future__ import annotations

from copy import deepcopy

from lxml.html import HtmlElement, document_fromstring
from trafilatura import bare_extraction
from trafilatura.readability_lxml import Document

from oryn.research.extraction.blocks import Block, blocks_of
from oryn.research.extraction.pruning import LONG, mend, prose
from oryn.research.extraction.trimming import folded, trim
from oryn.research.extraction.whole import whole

DUMP = 0.9
"""A single paragraph with more than this share of the page's prose is all of its words."""

ELEMENTS = 40_000
"""A page of more is not looked into: all of its text is given. It would take seconds, and is no article."""

LEAST = 250
"""Characters that scores have to find to be believed."""

LITTLE = 0.5
"""Content with less than this share of the page's prose is doubted."""

SHORT = 500
"""Characters of a content that another may replace without holding it."""

MANY = 4
"""How many times a content's length another must have to replace it all the same."""

MARKS = (" | ", " - ", " – ", " — ", " » ", " :: ")
"""What stands between a page's title and its site's in the window's title."""


def content_of(tree: HtmlElement, url: str = "") -> list[Block]:
    """The blocks of the main content, in the page's order. `tree` is changed."""
    titles = titles_of(tree)
    if sum(1 for _ in tree.iter()) > ELEMENTS:
        return trim(_everything(tree), titles)
    mend(tree)
    blocks = trim(_chosen(tree, url), titles)
    said = prose(tree)
    if said >= LEAST and _length(blocks) < LITTLE * said:
        other = trim(_by_scores(tree, url), titles)
        if _length(other) >= LEAST and _better(other, blocks):
            return other
    # Without a line of prose it is a list, a form, a front page: all of it is as good as the half.
    return blocks if any(map(_is_prose, blocks)) else trim(_everything(tree), titles)


def _is_prose(block: Block) -> bool:
    # A line of Chinese or Japanese says as much with a third of the characters.
    return len(block.text) > LONG or block.text.endswith(("。", "！", "？"))


def _chosen(tree: HtmlElement, url: str) -> list[Block]:
    """By trafilatura. Nothing when it found nothing and gave all of the page's words as one paragraph."""
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
    dumped = len(body) == 1 and len(body[0]) == 0 and _length(blocks) > DUMP * prose(tree)
    return [] if dumped else blocks


def _by_scores(tree: HtmlElement, url: str) -> list[Block]:
    """The element with the best score of Readability's, and trafilatura's choice within that."""
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
    return blocks_of(whole(tree))


def _better(candidate: list[Block], blocks: list[Block]) -> bool:
    """Whether it has twice as much and holds what is there, or there is next to nothing, or it has many times as
    much."""
    if _length(candidate) < 2 * _length(blocks):
        return False
    if _length(blocks) < SHORT or _length(candidate) > MANY * _length(blocks):
        return True
    held = {folded(block.text) for block in candidate}
    shared = sum(len(block.text) for block in blocks if folded(block.text) in held)
    return shared > 0.7 * _length(blocks)


def _length(blocks: list[Block]) -> int:
    return sum(len(block.text) for block in blocks)


def titles_of(tree: HtmlElement) -> list[str]:
    """What the page may be headed with: its first-level headings, its title for those that link to it, its window's
    title and the parts of that."""
    titles = [" ".join(each.text_content().split()) for each in tree.iter("h1")]
    for each in tree.iter("meta"):
        if (each.get("property") or each.get("name") or "").lower() in ("og:title", "twitter:title"):
            titles.append(each.get("content") or "")
    for each in list(tree.iter("title"))[:1]:
        whole = each.text_content()
        titles += [whole, *(part for mark in MARKS if mark in whole for part in whole.split(mark))]
    return titles
