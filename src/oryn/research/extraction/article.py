"""From a page's HTML to an article: the entry point of this package.

HTML of any bytes is parsed in bounded time and depth: libxml2 leaves out what is nested deeper than 256 elements
(without `huge_tree`), so that nothing that walks the tree can recurse further than that."""

from __future__ import annotations

import re
from copy import deepcopy
from urllib.parse import urljoin, urlsplit

from lxml.etree import LxmlError
from lxml.html import HtmlElement, HTMLParser, document_fromstring

from oryn.core.text_safety import quoted
from oryn.errors import NoText
from oryn.research.documents import Article, PageLink
from oryn.research.extraction.content import content_of
from oryn.research.extraction.markdown import markdown_of, text_of
from oryn.research.extraction.metadata import metadata_of, page_language
from oryn.research.fetching.charset import charset_of, codec, decode_body
from oryn.research.fetching.html_attributes import limit_attributes

MAX_CHARACTERS = 5_000_000
"""Characters of a page that are read; the rest is cut off."""

_XML_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_GROUP = re.compile(
    r"</?(?:div|section|center|table|tbody|tr|td|ul|ol|li|dl|dd|dt|blockquote)(?=[\s>/])[^>]*>", re.IGNORECASE
)
_STYLE = re.compile(r"</?(?:font|b|i|u|em|strong|small|big|span|tt|strike)(?=[\s>/])[^>]*>", re.IGNORECASE)
# What XML has no character for: lxml takes no tree's text with it.
_NO_CHARACTER = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def parse_html(html: bytes | str, charset: str = "") -> HtmlElement | None:
    """The tree of a page; None if there is nothing to parse. `charset` takes precedence over what the page declares. If
    elements are nested too deeply, those that only group or style are parsed as paragraphs, so that their content is
    not lost."""
    text = html if isinstance(html, str) else decode_body(html, codec(charset) or charset_of(html))
    text = _NO_CHARACTER.sub("", _XML_DECLARATION.sub("", text[:MAX_CHARACTERS]))
    text = limit_attributes(text)
    tree, too_deep = _parse(text)
    return _parse(_STYLE.sub(" ", _GROUP.sub("<p>", text)))[0] if too_deep else tree


def _parse(text: str) -> tuple[HtmlElement | None, bool]:
    """The tree, and whether the parser has stopped at its depth limit."""
    if not text.strip():
        return None, False
    parser = HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, collect_ids=False)
    try:
        tree: HtmlElement = document_fromstring(text.encode("utf-8"), parser=parser)
    except (LxmlError, ValueError):
        return None, False
    return tree, any(error.type_name == "ERR_RESOURCE_LIMIT" for error in parser.error_log)


def article_of(html: bytes | str, url: str, *, charset: str = "") -> Article:
    """The article of the page at `url`. Text and Markdown have the same words. Deterministic, and uses no network;
    `charset` is that of the HTTP header, if it has one. Raises `NoText` if the page has no words."""
    tree = parse_html(html, charset)
    if tree is None:
        raise NoText(f"{quoted(url)} has no text")
    make_absolute(tree, url)
    links = links_of(tree)
    metadata = metadata_of(deepcopy(tree), url)
    blocks = content_of(tree, url)
    text = text_of(blocks)
    if not text:
        raise NoText(f"{quoted(url)} has no text")
    fields = metadata.values() | {"language": page_language(metadata.language, text)}
    return Article(url=url, text=text, markdown=markdown_of(blocks), links=links, **fields)


def main_text(html: bytes | str, *, charset: str = "") -> str:
    """The main text alone, a line for each block; empty if there is none. The benchmark scores it."""
    tree = parse_html(html, charset)
    return "" if tree is None else text_of(content_of(tree))


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
