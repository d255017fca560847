"""Reads pages of a crawl that only a browser can render: the crawler has no browser, its caller may have one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from oryn.errors import NeedsBrowser, NoText, OrynError

if TYPE_CHECKING:
    from oryn.research.crawling import CrawlResult
    from oryn.research.documents import Article

FALLBACK_CODES = frozenset({NeedsBrowser.code, NoText.code})
"""Errors of pages that a browser may read."""


async def with_browser_fallback(crawled: CrawlResult, extract: Callable[[str], Awaitable[Article]]) -> CrawlResult:
    """`crawled` with its article if `extract`, which may use a browser, can read a page that the crawler could not;
    else with the error of `extract`. Other results are returned as they are."""
    if crawled.error is None or crawled.error.code not in FALLBACK_CODES:
        return crawled
    from oryn.research.crawling import PageFailure

    try:
        article = await extract(crawled.url)
    except OrynError as refusal:
        return crawled.replace(error=PageFailure.of(refusal))
    return crawled.replace(article=article, error=None)
