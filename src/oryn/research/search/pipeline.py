"""Asking one provider, the index, or both, and making one list of it: each page once, the best first.

Seed 004, "Search Flow" and "Pipeline". Where two lists become one, their ranks are fused (reciprocal rank fusion,
https://dl.acm.org/doi/10.1145/1571941.1572114), since a provider gives no scores and the index's mean nothing to it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from oryn.errors import OrynError
from oryn.research.documents import Hit, Ranked
from oryn.research.failures import CollectionNotFound
from oryn.research.search.provider import Provider
from oryn.research.urls import key, tidy

if TYPE_CHECKING:
    from oryn.research.workers import Vectors

FUSION = 60
"""The constant of reciprocal rank fusion, as its paper has it."""
SNIPPET = 300
"""Characters of a passage that stand for a snippet."""

Indexed = Callable[[int], Awaitable[list[Ranked]]]
"""At most so many passages of the index that fit the query. Raises `CollectionNotFound`."""
Embed = Callable[[Sequence[str]], Awaitable["Vectors"]]


async def search(
    query: str,
    *,
    provider: Provider | None,
    indexed: Indexed | None,
    limit: int,
    embed: Embed | None = None,
) -> list[Hit]:
    """The hits of the provider, of the index, or of both where both are given; with `embed` ordered anew by meaning.

    Raises what the provider raises, also where the index has something: who asks for both wants to know. A collection
    that is not there yet is an error only where nothing else is asked."""
    if provider is None or indexed is None:
        hits = await _of_index(indexed, limit) if indexed else await provider.search(query, limit) if provider else []
    else:
        async with asyncio.TaskGroup() as tasks:
            web = tasks.create_task(_outcome(provider.search(query, limit)))
            stored = tasks.create_task(_outcome(_of_index(indexed, limit)))
        hits = fused([_told(web.result()), _told(stored.result(), CollectionNotFound)])
    hits = each_once(hits)
    if embed and hits:
        hits = await reranked(query, hits, embed)
    return hits[:limit]


async def _outcome(asking: Coroutine[Any, Any, list[Hit]]) -> list[Hit] | OrynError:
    """Hits, or the error: who asks for the one is not to be stopped by the other."""
    try:
        return await asking
    except OrynError as error:
        return error


def _told(outcome: list[Hit] | OrynError, *for_none: type[OrynError]) -> list[Hit]:
    if isinstance(outcome, OrynError):
        if isinstance(outcome, for_none):
            return []
        raise outcome
    return outcome


async def _of_index(indexed: Indexed, limit: int) -> list[Hit]:
    """The best passage of each page. Several of one page may be among the first, so more of them are asked for."""
    found: dict[str, Hit] = {}
    for ranked in await indexed(limit * 4):
        passage = ranked.passage
        hit = Hit(url=passage.url, title=passage.title, snippet=shortened(passage.text), provider="index")
        found.setdefault(passage.url, hit.replace(rank=len(found) + 1, score=ranked.score))
    return list(found.values())


def shortened(text: str) -> str:
    """A passage on one line, cut between two words."""
    line = " ".join(text.split())
    return line if len(line) <= SNIPPET else f"{line[:SNIPPET].rsplit(' ', 1)[0]} …"


def fused(lists: Sequence[Sequence[Hit]]) -> list[Hit]:
    """One list of several by the ranks in each; a page that is in more than one rises."""
    scores: dict[str, float] = {}
    first: dict[str, Hit] = {}
    for hits in lists:
        for rank, hit in enumerate(hits, 1):
            page = page_of(hit.url)
            scores[page] = scores.get(page, 0.0) + 1 / (FUSION + rank)
            first.setdefault(page, hit)
    return [first[page].replace(score=scores[page]) for page in sorted(first, key=lambda page: -scores[page])]


def each_once(hits: Sequence[Hit]) -> list[Hit]:
    """Without those whose page, or whose title and snippet, came before."""
    seen: set[object] = set()
    kept = []
    for hit in hits:
        page: object = page_of(hit.url)
        words: object = (hit.title.casefold(), hit.snippet.casefold()) if hit.snippet else page
        if page not in seen and words not in seen:
            kept.append(hit)
        seen.update((page, words))
    return kept


def page_of(url: str) -> str:
    """What the addresses of one page have in common: neither scheme, nor `www.`, nor a slash at the end, which a
    crawler has to tell apart, but a list for readers need not."""
    parts = urlsplit(key(tidy(url) or url))
    return f"{parts.netloc.removeprefix('www.')}{parts.path.rstrip('/')}?{parts.query}"


async def reranked(query: str, hits: Sequence[Hit], embed: Embed) -> list[Hit]:
    """By the cosine of what is asked and what a hit's title and snippet say."""
    vectors = await embed([query, *(f"{hit.title}\n{hit.snippet}" for hit in hits)])
    scores = vectors[1:] @ vectors[0]
    order = sorted(range(len(hits)), key=lambda index: -float(scores[index]))
    return [hits[index].replace(score=round(float(scores[index]), 4)) for index in order]
