"""`oryn graph ENTITY`: what pages say about an entity, as a tree with sources (docs/research.md#graph). The
passages come from the results of a search, or from a crawl of a site."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from oryn.core.records import Record
from oryn.core.text_safety import shortened
from oryn.errors import NoText
from oryn.research.crawling import CrawlOptions
from oryn.research.documents import Article, Hit, LeftOut, ProgressCallback, RankedPassage, ResearchProgress
from oryn.research.graph.heuristic import heuristic_outline
from oryn.research.graph.knowledge import KnowledgeGraph, graph_of
from oryn.research.graph.llm_extractor import extract_outline
from oryn.research.operations import crawl_pages, ignore_progress, search_pages, with_browser_fallback
from oryn.research.passages.ranking import rerank
from oryn.research.passages.splitter import passages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oryn.models.model import ChatModel
    from oryn.research.context import ResearchContext
    from oryn.research.documents import Passage

MAX_SITE_PAGES = 12
MAX_SITE_DEPTH = 2
MAX_PASSAGES = 16
"""The maximum number of passages that statements are extracted from: as many as a small language model can read."""
MAX_PASSAGES_PER_PAGE = 6
MAX_CANDIDATES = 30
"""The maximum number of passages that are reranked to find them; each costs time."""


class RetrievedPassages(Record):
    """The passages about an entity. `entity` may be a better name than the requested one (the title of a site)."""

    entity: str
    passages: tuple[Passage, ...]
    left_out: tuple[LeftOut, ...]


async def retrieve(
    entity: str, context: ResearchContext, website: str | None, results: int, progress: ProgressCallback
) -> RetrievedPassages:
    """Find the passages: from a crawl of `website`, or of `entity` if that is a URL, else from the first `results` hits
    of a search. An entity without any has an empty tuple. Raises what a search does."""
    site = website or (entity if is_url(entity) else None)
    if site is not None:
        seeds = [site]
        options = CrawlOptions(depth=MAX_SITE_DEPTH, pages=MAX_SITE_PAGES, scope="host", delay=context.options.throttle)
    else:
        seeds = [hit.url for hit in await _search(context, entity, results, progress)]
        options = CrawlOptions(depth=0, pages=max(1, len(seeds)), scope="any", delay=context.options.throttle)
    articles, left_out = await _crawl(context, seeds, options, progress)
    name = _name(articles[0]) if is_url(entity) and articles else entity
    return RetrievedPassages(name, await _best_passages(name, articles, context, progress), left_out)


def is_url(text: str) -> bool:
    """Whether an entity is the URL of a site."""
    return urlsplit(text).scheme in ("http", "https")


def _name(article: Article) -> str:
    """The name of a site, from its first page."""
    host = urlsplit(article.url).netloc
    return (article.site if article.site != host else "") or article.title or host


async def _search(context: ResearchContext, entity: str, results: int, progress: ProgressCallback) -> Sequence[Hit]:
    progress(ResearchProgress("search", 0))
    hits = await search_pages(context, entity, limit=results)
    progress(ResearchProgress("search", len(hits), len(hits)))
    return hits


async def _crawl(
    context: ResearchContext, seeds: Sequence[str], options: CrawlOptions, progress: ProgressCallback
) -> tuple[list[Article], tuple[LeftOut, ...]]:
    articles: list[Article] = []
    left_out: list[LeftOut] = []
    if not seeds:
        return articles, ()
    async with aclosing(crawl_pages(context, seeds, options, progress=progress)) as crawl:
        async for found in crawl:
            crawled = await with_browser_fallback(context, found)
            if crawled.article is not None:
                articles.append(crawled.article)
            elif crawled.error is not None:
                left_out.append(LeftOut(crawled.error.code, crawled.error.message, crawled.url))
    return articles, tuple(left_out)


async def _best_passages(
    entity: str, articles: Sequence[Article], context: ResearchContext, progress: ProgressCallback
) -> tuple[Passage, ...]:
    """The passages that match the entity best, not all of one page."""
    embedder, workers = await context.embedder(), await context.workers()
    found = [each for article in articles for each in passages(article, count=embedder.count, limit=embedder.limit)]
    if not found:
        return ()
    progress(ResearchProgress("embed", 0, len(found)))
    vectors = await workers.embed([entity, *(each.text for each in found)])
    progress(ResearchProgress("rank", 0, len(found)))
    likeness = vectors[1:] @ vectors[0]
    ranked = [RankedPassage(passage, float(score)) for passage, score in zip(found, likeness, strict=True)]
    ranked.sort(key=lambda each: -each.score)
    taken: dict[str, int] = {}
    chosen: list[Passage] = []
    for each in await asyncio.to_thread(rerank, entity, ranked[:MAX_CANDIDATES], embedder=embedder):
        url = each.passage.url
        if len(chosen) < MAX_PASSAGES and taken.get(url, 0) < MAX_PASSAGES_PER_PAGE:
            taken[url] = taken.get(url, 0) + 1
            chosen.append(each.passage)
    return tuple(chosen)


MAX_ENTITY_CHARACTERS = 80
"""Characters of an entity in an error message."""


async def build_graph(
    entity: str,
    *,
    context: ResearchContext,
    website: str | None = None,
    results: int = 3,
    model: ChatModel | None = None,
    progress: ProgressCallback | None = None,
) -> KnowledgeGraph:
    """The knowledge graph of `entity`. If `website` is passed, or the entity is a URL itself, that site is crawled;
    else the first `results` hits of a search are read. Statements are extracted by `model`; None uses a heuristic on
    the form of sentences.

    Raises what a search does, `ModelError`, `GraphAnswerInvalid`, and `NoText` if no page says anything about the
    entity."""
    report_progress = progress or ignore_progress
    retrieved = await retrieve(entity, context, website, results, report_progress)
    if not retrieved.passages:
        why = "; ".join(map(str, retrieved.left_out[:3]))
        raise NoText(
            f"no page mentions {shortened(retrieved.entity, MAX_ENTITY_CHARACTERS)}" + (f" ({why})" if why else ""),
            "Ask in other words, or name a site that is about it: --website.",
        )
    report_progress(ResearchProgress("ask" if model else "outline", 0, 1))
    unsupported = 0
    if model is None:
        outline = heuristic_outline(retrieved.entity, retrieved.passages)
    else:
        outline, unsupported = await extract_outline(retrieved.entity, retrieved.passages, model)
    root, cited = graph_of(retrieved.entity, outline, retrieved.passages)
    used = {id for node in root.walk() for id in node.passages}
    report_progress(ResearchProgress("ask" if model else "outline", 1, 1))
    return KnowledgeGraph(
        entity=retrieved.entity,
        root=root,
        cited=cited,
        passages=tuple(each for each in retrieved.passages if each.id in used),
        by=model.name if model else "",
        unsupported=unsupported,
        left_out=retrieved.left_out,
    )
