"""The passages that a graph is made of: from what a search finds, or from a site that is walked."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from oryn.records import Record
from oryn.research.crawling import CrawlOptions
from oryn.research.documents import Article, Hit, LeftOut, Progress, Ranked
from oryn.research.passages import passages
from oryn.research.ranking import rerank
from oryn.research.shown import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oryn.research.documents import Passage
    from oryn.research.research import Research

    Told = Callable[[Progress], None]

SITE_PAGES = 12
SITE_DEPTH = 2
MOST_PASSAGES = 16
"""That are looked at, the best: what a small language model can still read."""
MOST_OF_ONE_PAGE = 6
CANDIDATES = 30
"""That are looked at again to find them; each costs time."""


class Retrieved(Record):
    """`entity` may be a better name than what was asked for (the title of a site)."""

    entity: str
    passages: tuple[Passage, ...]
    left_out: tuple[LeftOut, ...]


async def retrieve(entity: str, research: Research, website: str | None, results: int, told: Told) -> Retrieved:
    """Raises what a search does, and `NoText` never: an entity that nothing is said of has no passages."""
    site = website or (entity if is_url(entity) else None)
    if site is not None:
        seeds = [site]
        options = CrawlOptions(depth=SITE_DEPTH, pages=SITE_PAGES, scope="host", delay=research.options.throttle)
    else:
        seeds = [hit.url for hit in await _found(research, entity, results, told)]
        options = CrawlOptions(depth=0, pages=max(1, len(seeds)), scope="any", delay=research.options.throttle)
    articles, left_out = await _read(research, seeds, options, told)
    name = _name(articles[0]) if is_url(entity) and articles else entity
    return Retrieved(name, await _best(name, articles, research, told), left_out)


def is_url(text: str) -> bool:
    return urlsplit(text).scheme in ("http", "https")


def _name(article: Article) -> str:
    """What a site is about, by its first page."""
    host = urlsplit(article.url).netloc
    return (article.site if article.site != host else "") or article.title or host


async def _found(research: Research, entity: str, results: int, told: Told) -> Sequence[Hit]:
    told(Progress("search", 0))
    hits = await research.search(entity, limit=results)
    told(Progress("search", len(hits), len(hits)))
    return hits


async def _read(
    research: Research, seeds: Sequence[str], options: CrawlOptions, told: Told
) -> tuple[list[Article], tuple[LeftOut, ...]]:
    articles: list[Article] = []
    left_out: list[LeftOut] = []
    if not seeds:
        return articles, ()
    async with aclosing(research.crawl(seeds, options, progress=told)) as crawl:
        async for found in crawl:
            crawled = await shown(found, research)
            if crawled.article is not None:
                articles.append(crawled.article)
            elif crawled.error is not None:
                left_out.append(LeftOut(crawled.error.code, crawled.error.message, crawled.url))
    return articles, tuple(left_out)


async def _best(entity: str, articles: Sequence[Article], research: Research, told: Told) -> tuple[Passage, ...]:
    """Those that fit the entity best, not all of one page."""
    embedder, workers = await research.embedder(), await research.workers()
    found = [each for article in articles for each in passages(article, count=embedder.count, limit=embedder.limit)]
    if not found:
        return ()
    told(Progress("embed", 0, len(found)))
    vectors = await workers.embed([entity, *(each.text for each in found)])
    told(Progress("rank", 0, len(found)))
    likeness = vectors[1:] @ vectors[0]
    ranked = [Ranked(passage, float(score)) for passage, score in zip(found, likeness, strict=True)]
    ranked.sort(key=lambda each: -each.score)
    taken: dict[str, int] = {}
    chosen: list[Passage] = []
    for each in await asyncio.to_thread(rerank, entity, ranked[:CANDIDATES], embedder=embedder):
        url = each.passage.url
        if len(chosen) < MOST_PASSAGES and taken.get(url, 0) < MOST_OF_ONE_PAGE:
            taken[url] = taken.get(url, 0) + 1
            chosen.append(each.passage)
    return tuple(chosen)
