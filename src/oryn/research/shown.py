"""Pages of a crawl that only a browser can show: a crawl has none, whoever began it may have one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oryn.errors import OrynError
from oryn.research.failures import NeedsBrowser, NoText

if TYPE_CHECKING:
    from oryn.research.crawling import Crawled
    from oryn.research.research import Research

BROWSERS = frozenset({NeedsBrowser.code, NoText.code})
"""Errors of pages that a browser may read."""


async def shown(crawled: Crawled, research: Research) -> Crawled:
    """The same with its article, where the research's renderer can show what the crawl could not read; else with the
    error that says why not."""
    if crawled.error is None or crawled.error.code not in BROWSERS:
        return crawled
    from oryn.research.crawling import Failure

    try:
        article = await research.extract(crawled.url)
    except OrynError as refusal:
        return crawled.replace(error=Failure.of(refusal))
    return crawled.replace(article=article, error=None)
