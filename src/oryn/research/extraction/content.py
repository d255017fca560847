"""Which of a page's words are its content."""

from __future__ import annotations

from lxml.html import HtmlElement
from trafilatura import bare_extraction

from .blocks import Block, blocks_of
from .pruning import mend
from .trimming import trim


def content_of(tree: HtmlElement, url: str = "") -> list[Block]:
    """The blocks of the main content, in the page's order. `tree` is used up."""
    titles = titles_of(tree)
    mend(tree)
    return trim(_chosen(tree, url), titles)


def _chosen(tree: HtmlElement, url: str) -> list[Block]:
    found = bare_extraction(
        tree,
        url=url or None,
        fast=True,
        include_comments=False,
        include_formatting=True,
        include_links=True,
    )
    body = getattr(found, "body", None)
    return [] if body is None else blocks_of(body)


def titles_of(tree: HtmlElement) -> list[str]:
    """What the page may be headed with: its first-level headings, its title for those that link to it, its window's
    title and the parts of that."""
    titles = [" ".join(each.text_content().split()) for each in tree.iter("h1")]
    for each in tree.iter("meta"):
        if (each.get("property") or each.get("name") or "").lower() in ("og:title", "twitter:title"):
            titles.append(each.get("content") or "")
    for each in tree.iter("title"):
        whole = each.text_content()
        titles += [whole]
        for mark in (" | ", " - ", " – ", " — ", " » ", " :: "):
            titles += whole.split(mark) if mark in whole else []
        break
    return titles
