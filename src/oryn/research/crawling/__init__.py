"""Crawling: pages and those that they link to, politely, and so that it may be interrupted at any moment.

    async with Fetcher() as fetcher:
        async for page in crawl(["https://example.org/"], CrawlOptions(depth=2), fetcher=fetcher):
            print(page.url, page.article and page.article.title)

Seed 004, "Crawler Engine", "Per-Host Throttling".
"""

from __future__ import annotations

from oryn.research.crawling.clock import Clock, SystemClock
from oryn.research.crawling.crawl import Crawl, crawl
from oryn.research.crawling.journal import Journal
from oryn.research.crawling.options import CrawlOptions
from oryn.research.crawling.results import Crawled, Failure, Totals
from oryn.research.crawling.throttle import LocalThrottle, Throttle

__all__ = [
    "Clock",
    "Crawl",
    "CrawlOptions",
    "Crawled",
    "Failure",
    "Journal",
    "LocalThrottle",
    "SystemClock",
    "Throttle",
    "Totals",
    "crawl",
]
