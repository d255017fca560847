"""Which of a page's words are its content."""

from __future__ import annotations

from lxml.html import HtmlElement
from trafilatura import bare_extraction

from .blocks import Block, blocks_of


def content_of(tree: HtmlElement, url: str = "") -> list[Block]:
    """The blocks of the main content, in the page's order. `tree` is used up."""
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
