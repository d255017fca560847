"""Parses sitemaps, feeds and `llms.txt`: XML, plain text, JSON, Markdown; compressed or not. Pure.

https://www.sitemaps.org/protocol.html, https://www.rssboard.org/rss-specification,
https://datatracker.ietf.org/doc/html/rfc4287, https://www.jsonfeed.org/version/1.1/, https://llmstxt.org/

trafilatura's parsers of both send requests by themselves and use patterns; this one reads elements."""

from __future__ import annotations

import io
import json
import re
import zlib
from collections.abc import Iterable

from lxml import etree

from oryn.core.records import Record
from oryn.research.urls import normalize_url

MAX_URLS = 50_000
"""The maximum number of URLs in a sitemap, by the protocol."""
MAX_BYTES = 50 * 2**20
"""The maximum size of a decompressed sitemap, by the protocol."""

_MARKDOWN_LINK = re.compile(r"\]\(((?:[^\s)\]]++|\](?!\())++)\)")
_GZIP = b"\x1f\x8b"


class Listing(Record):
    """Normalized URLs, each once: of pages, and of further sitemaps."""

    pages: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = ()


def parse_listing(body: bytes, url: str) -> Listing:
    """The URLs in a sitemap, feed or `llms.txt` at `url`; empty if `body` is none of them. Of a truncated or malformed
    one, the URLs before the error. Never raises."""
    body = gunzip(body).lstrip(b"\xef\xbb\xbf \t\r\n")
    if body.startswith(b"{"):
        return Listing(pages=_tidied(_of_json(body), url))
    if body.startswith(b"<"):
        return _of_xml(body, url)
    if body.startswith(b"#") and (links := _MARKDOWN_LINK.findall(body.decode("utf-8", "replace"))):
        return Listing(pages=_tidied(links[:MAX_URLS], url))
    return Listing(pages=_tidied(_of_lines(body), url))


def gunzip(body: bytes) -> bytes:
    """The content of a gzip file, at most `MAX_BYTES` bytes; other data as it is."""
    if not body.startswith(_GZIP):
        return body
    try:
        return zlib.decompressobj(wbits=31).decompress(body, MAX_BYTES)
    except zlib.error:
        return b""


def _of_xml(body: bytes, url: str) -> Listing:
    pages: list[str] = []
    sitemaps: list[str] = []
    source = etree.iterparse(
        io.BytesIO(body), events=("end",), recover=True, resolve_entities=False, no_network=True, huge_tree=False
    )
    try:
        for _, element in source:
            _collect(element, pages, sitemaps)
            if element.getparent() is not None and _name(element) in ("url", "sitemap", "item", "entry"):
                element.clear()
            if len(pages) + len(sitemaps) >= MAX_URLS:
                break
    except etree.LxmlError:
        pass  # what came before it is as good as ever
    return Listing(pages=_tidied(pages, url), sitemaps=_tidied(sitemaps, url))


def _collect(element: etree._Element, pages: list[str], sitemaps: list[str]) -> None:
    """`<url><loc>`, `<sitemap><loc>` of sitemaps; `<item><link>` of RSS; `<entry><link href>` of Atom."""
    parent = element.getparent()
    if parent is None:
        return
    match _name(parent), _name(element):
        case "url", "loc":
            pages.append(element.text or "")
        case "sitemap", "loc":
            sitemaps.append(element.text or "")
        case "item", "link":
            pages.append(element.text or "")
        case "entry", "link" if element.get("rel", "alternate") == "alternate":
            pages.append(element.get("href") or "")


def _name(element: etree._Element) -> str:
    tag = element.tag
    return tag.rpartition("}")[2].lower() if isinstance(tag, str) else ""


def _of_json(body: bytes) -> list[str]:
    try:
        items = json.loads(body).get("items", ())
        return [str(item.get("url", "")) for item in items]
    except (ValueError, AttributeError, TypeError, RecursionError):
        return []


def _of_lines(body: bytes) -> list[str]:
    """A sitemap of plain text has a URL a line, and nothing else."""
    lines = [line.strip() for line in body.decode("utf-8", "replace").splitlines()[:MAX_URLS]]
    return [line for line in lines if line.startswith(("http://", "https://"))]


def _tidied(urls: Iterable[str], base: str) -> tuple[str, ...]:
    found = (normalize_url(url, base) for url in urls if url.strip())
    return tuple(dict.fromkeys(url for url in found if url))
