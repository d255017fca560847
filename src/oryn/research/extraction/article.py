"""From a page's HTML to an article: the entry point of this package."""

from __future__ import annotations

from urllib.parse import urljoin, urlsplit

from lxml.html import HtmlElement

from oryn.core.text_safety import quoted
from oryn.errors import NoText
from oryn.research.documents import Article, PageLink
from oryn.research.extraction.content import content_of
from oryn.research.extraction.markdown import headers_of, markdown_of, text_of
from oryn.research.extraction.metadata import metadata_of, page_language
from oryn.research.html.permalinks import remove_permalinks
from oryn.research.html.tree import parse_html


def article_of(page: bytes | str | HtmlElement | None, url: str, *, charset: str = "") -> Article:
    """The article of the page at `url`, of which `page` is the HTML or its tree, whose links become absolute. Text and
    Markdown have the same words. Deterministic, and uses no network; `charset` is that of the HTTP header, if it has
    one. Raises `NoText` if the page has no words."""
    tree = parse_html(page, charset) if isinstance(page, bytes | str) else page
    if tree is None:
        raise NoText(f"{quoted(url)} has no text")
    remove_permalinks(tree)
    make_absolute(tree, url)
    links = links_of(tree)
    metadata = metadata_of(tree, url)
    content = content_of(tree, url)
    text = text_of(content.blocks)
    if not text:
        raise NoText(f"{quoted(url)} has no text")
    fields = metadata.values() | {"language": page_language(metadata.language, text)}
    return Article(
        url=url,
        text=text,
        markdown=markdown_of(content.blocks),
        links=links,
        page_kind=content.kind,
        confidence=content.confidence,
        share=content.share,
        data=content.data,
        why=content.why,
        headers=headers_of(content.blocks),
        **fields,
    )


def main_text(html: bytes | str, *, charset: str = "") -> str:
    """The main text alone, a line for each block; empty if there is none. The benchmark scores it."""
    tree = parse_html(html, charset)
    if tree is None:
        return ""
    remove_permalinks(tree)
    return text_of(content_of(tree).blocks)


def make_absolute(tree: HtmlElement, url: str) -> None:
    """Make the http and https targets of links (`a`) absolute; other links stay as they are."""
    base = next((found for each in tree.iter("base") if (found := _joined(url, each.get("href") or ""))), url)
    for anchor in tree.iter("a"):
        if absolute := _joined(base, anchor.get("href") or "#"):
            anchor.set("href", absolute)


def links_of(tree: HtmlElement) -> tuple[PageLink, ...]:
    """The http and https links of the whole page, each URL once (without its fragment), with the first non-empty
    text."""
    found: dict[str, str] = {}
    for anchor in tree.iter("a"):
        target = (anchor.get("href") or "").partition("#")[0]
        if _joined("", target):
            text = " ".join(anchor.text_content().split())
            found[target] = found.get(target) or text
    return tuple(PageLink(url=target, text=text) for target, text in found.items())


def _joined(base: str, target: str) -> str:
    try:
        joined = urljoin(base, target.strip())
        return joined if urlsplit(joined).scheme in ("http", "https") and urlsplit(joined).netloc else ""
    except ValueError:
        return ""
