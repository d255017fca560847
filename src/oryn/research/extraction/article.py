"""From a page's HTML to an article: the entrance of this package."""

from __future__ import annotations

from copy import deepcopy
from urllib.parse import urljoin, urlsplit

from lxml.html import HtmlElement

from oryn.engine.escape import quoted
from oryn.research.documents import Article, Link
from oryn.research.extraction.content import content_of
from oryn.research.extraction.language import language
from oryn.research.extraction.metadata import metadata_of
from oryn.research.extraction.parsing import parse
from oryn.research.extraction.rendering import markdown_of, text_of
from oryn.research.failures import NoText


def article_of(html: bytes | str, url: str, *, charset: str = "") -> Article:
    """What the page at `url` says. Text and Markdown have the same words. Uses no network and always gives the same for
    the same input; `charset` is the HTTP header's, if it has one.

    Raises `NoText` for a page without any words.
    """
    tree = parse(html, charset)
    if tree is None:
        raise NoText(f"{quoted(url)} has no text")
    make_absolute(tree, url)
    links = links_of(tree)
    metadata = metadata_of(deepcopy(tree), url)
    blocks = content_of(tree, url)
    text = text_of(blocks)
    if not text:
        raise NoText(f"{quoted(url)} has no text")
    said = metadata.values() | {"language": language(metadata.language, text)}
    return Article(url=url, text=text, markdown=markdown_of(blocks), links=links, **said)


def main_text(html: bytes | str, *, charset: str = "") -> str:
    """The main text alone, a line for each block; empty when there is none. What the benchmark scores."""
    tree = parse(html, charset)
    return "" if tree is None else text_of(content_of(tree))


def make_absolute(tree: HtmlElement, url: str) -> None:
    """Writes absolute targets into the links (`a`) to http and https; others stay as they are."""
    base = next((found for each in tree.iter("base") if (found := _joined(url, each.get("href") or ""))), url)
    for anchor in tree.iter("a"):
        if absolute := _joined(base, anchor.get("href") or "#"):
            anchor.set("href", absolute)


def links_of(tree: HtmlElement) -> tuple[Link, ...]:
    """The links of the whole page to http and https, each URL once (without its fragment), with the first text that it
    has."""
    found: dict[str, str] = {}
    for anchor in tree.iter("a"):
        target = (anchor.get("href") or "").partition("#")[0]
        if _joined("", target):
            text = " ".join(anchor.text_content().split())
            found[target] = found.get(target) or text
    return tuple(Link(url=target, text=text) for target, text in found.items())


def _joined(base: str, target: str) -> str:
    try:
        joined = urljoin(base, target.strip())
        return joined if urlsplit(joined).scheme in ("http", "https") and urlsplit(joined).netloc else ""
    except ValueError:
        return ""
