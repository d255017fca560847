"""What a page says to crawlers: its links, whether to follow them, whether it may be indexed, its feeds.

https://html.spec.whatwg.org/multipage/links.html#linkTypes,
https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from oryn.core.records import Record
from oryn.research.documents import FetchedPage
from oryn.research.fetching.charset import decode_body
from oryn.research.text.questions import shared_words
from oryn.research.urls import normalize_url

if TYPE_CHECKING:
    from lxml.html import HtmlElement

MAX_LINKS = 5_000
"""Links that are taken of one page."""

MAX_TEXT_CHARACTERS = 200
"""Characters of a link's text that are compared with a question."""

FEED_TYPES = frozenset({"application/rss+xml", "application/atom+xml", "application/feed+json", "application/rdf+xml"})
LINK_WEIGHT, PAGE_WEIGHT = 0.7, 0.3
"""How much a link's own words count for its priority, and the page that it is on."""
MAX_PAGE_CHARACTERS = 20_000
"""Characters of the referring page that are compared with the question."""
_DIRECTIVES = re.compile(r"[\s,]+")
_REFRESH = re.compile(r"\s*[\d.]+\s*[;,]\s*url\s*=\s*['\"]?([^'\"]+)", re.IGNORECASE)


class PageDirectives(Record):
    """The directives of a page. URLs are normalized, each once, in the order of the page; `texts` are those of its
    links by URL."""

    links: tuple[str, ...] = ()
    feeds: tuple[str, ...] = ()
    follow: bool = True
    index: bool = True
    texts: Mapping[str, str] = {}


def page_directives(page: FetchedPage, agent: str) -> PageDirectives:
    """The directives of `page` for a crawler of the name `agent`. Never raises: a page that can't be parsed has no
    links."""
    directives = list(_headers(page.headers, agent))
    tree = _tree(page)
    if tree is None:
        return PageDirectives(follow=_allowed(directives, "nofollow"), index=_allowed(directives, "noindex"))
    directives += _metas(tree, agent)
    base = _base(tree, page.url)
    return PageDirectives(
        links=_tidied((*_targets(tree), *_refreshes(tree)), base),
        feeds=_tidied(_feeds(tree), base),
        follow=_allowed(directives, "nofollow"),
        index=_allowed(directives, "noindex"),
        texts=_texts(tree, base),
    )


def _texts(tree: HtmlElement, base: str) -> dict[str, str]:
    """The texts of links by URL; those of one URL are joined."""
    texts: dict[str, str] = {}
    for anchor in islice(tree.iter("a", "area"), MAX_LINKS):
        words = " ".join(f"{anchor.text_content()} {anchor.get('title') or ''} {anchor.get('alt') or ''}".split())
        if words and (url := normalize_url(anchor.get("href") or "", base)):
            texts[url] = f"{texts.get(url, '')} {words[:MAX_TEXT_CHARACTERS]}".strip()
    return texts


def _tree(page: FetchedPage) -> HtmlElement | None:
    # Imported in the thread that reads the first page: lxml and what stands around it cost a fifth of a second.
    from oryn.research.html.tree import parse_html

    if "html" not in page.content_type.lower() or not page.body.strip():
        return None
    return parse_html(decode_body(page.body, page.charset))


def _headers(headers: Iterable[tuple[str, str]], agent: str) -> Iterator[str]:
    """`X-Robots-Tag: noindex`, or for one crawler: `X-Robots-Tag: oryn: noindex`."""
    for name, value in headers:
        if name.lower() == "x-robots-tag":
            whose, colon, rest = value.partition(":")
            if not colon or " " in whose.strip() or "," in whose:
                yield value
            elif whose.strip().lower() == agent.lower():
                yield rest


def _metas(tree: HtmlElement, agent: str) -> Iterator[str]:
    for meta in tree.iter("meta"):
        if (meta.get("name") or "").strip().lower() in ("robots", agent.lower()):
            yield meta.get("content") or ""


def _allowed(directives: Iterable[str], word: str) -> bool:
    words = {each for text in directives for each in _DIRECTIVES.split(text.lower())}
    return not words & {word, "none"}


def _base(tree: HtmlElement, url: str) -> str:
    for base in tree.iter("base"):
        if href := base.get("href"):
            return normalize_url(href, url) or url
    return url


def _targets(tree: HtmlElement) -> Iterator[str]:
    for element in tree.iter("a", "area", "iframe", "frame", "link"):
        kinds = (element.get("rel") or "").lower().split()
        if "nofollow" in kinds or (element.tag == "link" and not {"next", "prev", "canonical"}.intersection(kinds)):
            continue
        target = element.get("src") if element.tag in ("iframe", "frame") else element.get("href")
        if target:
            yield target


def _refreshes(tree: HtmlElement) -> Iterator[str]:
    for meta in tree.iter("meta"):
        if (meta.get("http-equiv") or "").lower() == "refresh" and (found := _REFRESH.match(meta.get("content") or "")):
            yield found[1]


def _feeds(tree: HtmlElement) -> Iterator[str]:
    for link in tree.iter("link"):
        if "alternate" in (link.get("rel") or "").lower().split() and (link.get("type") or "").lower() in FEED_TYPES:
            yield link.get("href") or ""


def _tidied(targets: Iterable[str], base: str) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for target in targets:
        # A reference of nothing, or within the page, is the page itself.
        if target.strip() and not target.strip().startswith("#") and (url := normalize_url(target, base)):
            found[url] = None
            if len(found) == MAX_LINKS:
                break
    return tuple(found)


def link_priorities(
    question: str, urls: Sequence[str], texts: Mapping[str, str] | None = None, page: str = ""
) -> dict[str, float]:
    """How well each URL promises to answer `question`, from 0 to 1; empty without a question. `texts` are those of
    links by URL, `page` is the text of the page that has them.

    The measure is that of focused crawlers ("shark search", Hersovici et al. 1998,
    https://doi.org/10.1016/S0169-7552(98)00038-5): a link inherits a part of the relevance of the page it is on."""
    if not question.strip():
        return {}
    inherited = PAGE_WEIGHT * shared_words(question, page[:MAX_PAGE_CHARACTERS])
    named = texts or {}
    return {
        url: round(LINK_WEIGHT * shared_words(question, f"{named.get(url, '')} {_address_words(url)}") + inherited, 4)
        for url in urls
    }


def _address_words(url: str) -> str:
    parts = urlsplit(url)
    return unquote(f"{parts.path} {parts.query}")
