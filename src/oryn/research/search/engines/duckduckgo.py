"""DuckDuckGo's page for browsers without scripts, https://html.duckduckgo.com/html/; it has no API for results.

What a page is, is read from what stands in it, not from its status: 202 is the status of the test for humans and also
of pages without results (https://github.com/samnodehi/n8n-nodes-duckduckgo/pull/39).
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, ClassVar, Self
from urllib.parse import parse_qs, urljoin, urlsplit

from oryn.errors import SearchChanged, SearchRefused
from oryn.research.documents import Hit
from oryn.research.options import ResearchOptions
from oryn.research.search.client import (
    MAX_PAGES,
    REFUSALS,
    SearchClient,
    SearchResponse,
    first_hits,
    is_page,
    refused,
    text_of,
    too_long,
)
from oryn.research.search.provider import registered

if TYPE_CHECKING:
    from lxml.html import HtmlElement

ADDRESS = "https://html.duckduckgo.com/html/"
MAX_QUERY_CHARACTERS = 499
"""Characters of a query; a longer one is answered with an error page."""

_RESULT = (
    "//div[contains(concat(' ', normalize-space(@class), ' '), ' result ')]"
    "[not(contains(@class, 'result--ad')) and not(contains(@class, 'result--no-result'))]"
)
_TITLE = ".//a[contains(concat(' ', normalize-space(@class), ' '), ' result__a ')]"
_SNIPPET = ".//*[contains(concat(' ', normalize-space(@class), ' '), ' result__snippet ')]"
_NONE = (
    "//*[contains(concat(' ', normalize-space(@class), ' '), ' no-results ')"
    " or contains(concat(' ', normalize-space(@class), ' '), ' result--no-result ')]"
)
_ADVERTISEMENT = "//div[contains(@class, 'result--ad')]"
_TEST = "//*[@id='challenge-form' or contains(@class, 'anomaly-modal')] | //form[contains(@action, 'anomaly.js')]"
_NEXT = "//form[.//input[@name='vqd'] and .//input[@type='submit' and contains(@value, 'Next')]]"


@registered
class DuckDuckGo:
    """A `SearchProvider` that reads pages of results until there are enough hits; advertisements are no hits."""

    name: ClassVar[str] = "duckduckgo"
    searches: ClassVar[str] = "DuckDuckGo's page for browsers without scripts"
    needs: ClassVar[str] = ""

    def __init__(self, client: SearchClient, url: str = ADDRESS) -> None:
        self._client = client
        self._url = url

    @classmethod
    def of(cls, options: ResearchOptions, client: SearchClient) -> Self:
        return cls(client, options.search_url or ADDRESS)

    async def search(self, query: str, limit: int) -> list[Hit]:
        if len(query) > MAX_QUERY_CHARACTERS:
            raise too_long("duckduckgo", query, MAX_QUERY_CHARACTERS)
        return await first_hits(limit, self._pages(query))

    async def _pages(self, query: str) -> AsyncGenerator[list[Hit]]:
        form = {"q": query, "b": "", "kl": "wt-wt"}
        for _ in range(MAX_PAGES):
            reply = await self._client.ask("duckduckgo", self._url, form=form, headers={"referer": self._url})
            hits, form = read(reply, self._url)
            yield hits
            if not form:
                return


def read(reply: SearchResponse, url: str = ADDRESS) -> tuple[list[Hit], dict[str, str]]:
    """The hits of a page, and the form for the next one, empty if there is none. Raises `SearchRefused` for a test for
    humans, `SearchChanged` for a page that is no page of results."""
    if 300 <= reply.status < 400:  # a !bang, or another address
        raise SearchChanged(f"duckduckgo sent the search to {reply.location!r}", "A word with ! asks another engine.")
    document = _document(reply.text)
    hits = [] if document is None else [hit for each in document.xpath(_RESULT) if (hit := _hit(each, url))]
    if document is None or not hits:
        _reason_for_none(reply, document)
        return [], {}
    forms = document.xpath(_NEXT)
    return hits, {name: value for name, value in forms[0].form_values() if name} if forms else {}


def _document(text: str) -> HtmlElement | None:
    from lxml import etree, html

    # An encoding that the page declares is no concern of text that is decoded already.
    try:
        return html.document_fromstring(text.encode(), parser=html.HTMLParser(encoding="utf-8"))
    except etree.ParserError:  # an empty page
        return None


def _reason_for_none(reply: SearchResponse, document: HtmlElement | None) -> None:
    """Returns if the page says that there are no results."""
    if document is not None and document.xpath(_TEST):
        raise SearchRefused("duckduckgo wants to know whether a human asks, and gave no results")
    if document is not None and (document.xpath(_NONE) or document.xpath(_ADVERTISEMENT)):
        return
    if reply.status in REFUSALS or reply.status in (202, 503):
        raise refused("duckduckgo", reply.status)
    raise SearchChanged(f"duckduckgo answered with a page without results (status {reply.status})")


def _hit(result: HtmlElement, url: str) -> Hit | None:
    links = result.xpath(_TITLE)
    target = unwrapped(str(links[0].get("href", "")), url) if links else ""
    if not target:
        return None
    snippets = result.xpath(_SNIPPET)
    snippet = text_of(snippets[0].text_content()) if snippets else ""
    return Hit(url=target, title=text_of(links[0].text_content()), snippet=snippet, provider="duckduckgo")


def unwrapped(link: str, url: str = ADDRESS) -> str:
    """The target of a link in the results: the `uddg` of `//duckduckgo.com/l/?uddg=…`, else the link itself. Empty for
    advertisements (`/y.js`) and URLs that are none of the web."""
    parts = urlsplit(target := urljoin(url, link))
    if parts.path.rstrip("/") == "/l" and (_own(parts.hostname) or parts.netloc == urlsplit(url).netloc):
        parts = urlsplit(target := parse_qs(parts.query).get("uddg", [""])[0])
    if not is_page(target) or (_own(parts.hostname) and parts.path.endswith(".js")):
        return ""
    return target


def _own(host: str | None) -> bool:
    return host == "duckduckgo.com" or (host or "").endswith(".duckduckgo.com")
