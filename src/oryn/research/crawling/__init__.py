"""Crawling: pages and those that they link to, politely, and so that it may be interrupted at any moment.

    async with Fetcher() as fetcher:
        async for page in crawl(["https://example.org/"], CrawlOptions(depth=2), fetcher=fetcher):
            print(page.url, page.article and page.article.title)

What a crawl obeys is in docs/research.md#crawl.
"""

from __future__ import annotations

from oryn.research.crawling.engine import CrawlRun, crawl
from oryn.research.crawling.models import CrawlOptions, CrawlResult, CrawlTotals, PageFailure
from oryn.research.crawling.state import CrawlJournal

__all__ = [
    "CrawlJournal",
    "CrawlOptions",
    "CrawlResult",
    "CrawlRun",
    "CrawlTotals",
    "PageFailure",
    "crawl",
]
