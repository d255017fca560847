"""Searches one provider, the index, or both, and merges the results: each page once, the best first.

If two lists are merged, their ranks are fused (reciprocal rank fusion,
https://dl.acm.org/doi/10.1145/1571941.1572114), since a provider gives no scores and the index's are not comparable."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from oryn.errors import CollectionNotFound, OrynError
from oryn.research.documents import Hit, RankedPassage
from oryn.research.search.provider import SearchProvider
from oryn.research.urls import normalize_url, url_key

if TYPE_CHECKING:
    from oryn.research.embedding.embedder import Vectors

RRF_CONSTANT = 60
"""The constant of reciprocal rank fusion, as its paper has it."""
SNIPPET_CHARACTERS = 300
"""The maximum length of the snippet of a passage."""

IndexSearch = Callable[[int], Awaitable[list[RankedPassage]]]
"""Returns at most that many passages of the index that match the query. Raises `CollectionNotFound`."""
EmbedTexts = Callable[[Sequence[str]], Awaitable["Vectors"]]


async def search(
    query: str,
    *,
    provider: SearchProvider | None,
    indexed: IndexSearch | None,
    limit: int,
    embed: EmbedTexts | None = None,
    min_similarity: float = 0.0,
) -> list[Hit]:
    """At most `limit` hits of the provider, of the index, or of both if both are passed; with `embed` they are
    reordered by meaning, without those whose cosine with the query is below `min_similarity`, unless that is 0.

    Raises what the provider raises, also if the index has hits: a caller who wants both must learn of it. That a
    collection does not exist is an error only if the index is the only source."""
    if provider is None or indexed is None:
        hits = await _of_index(indexed, limit) if indexed else await provider.search(query, limit) if provider else []
    else:
        async with asyncio.TaskGroup() as tasks:
            web = tasks.create_task(_outcome(provider.search(query, limit)))
            stored = tasks.create_task(_outcome(_of_index(indexed, limit)))
        hits = fuse_hits([_unwrap(web.result()), _unwrap(stored.result(), CollectionNotFound)])
    hits = unique_hits(hits)
    if embed and hits:
        hits = await rerank_hits(query, hits, embed)
        hits = [hit for hit in hits if not min_similarity or (hit.score or 0.0) >= min_similarity]
    return hits[:limit]


async def _outcome(pending_hits: Coroutine[Any, Any, list[Hit]]) -> list[Hit] | OrynError:
    """The hits, or the error: that of one source must not cancel the other."""
    try:
        return await pending_hits
    except OrynError as error:
        return error


def _unwrap(outcome: list[Hit] | OrynError, *for_none: type[OrynError]) -> list[Hit]:
    if isinstance(outcome, OrynError):
        if isinstance(outcome, for_none):
            return []
        raise outcome
    return outcome


async def _of_index(indexed: IndexSearch, limit: int) -> list[Hit]:
    """The best passage of each page. Several of one page may be among the first, so more of them are requested."""
    found: dict[str, Hit] = {}
    for ranked in await indexed(limit * 4):
        passage = ranked.passage
        hit = Hit(url=passage.url, title=passage.title, snippet=snippet_of(passage.text), provider="index")
        found.setdefault(passage.url, hit.replace(rank=len(found) + 1, score=ranked.score))
    return list(found.values())


def snippet_of(text: str) -> str:
    """A passage on one line, cut between two words."""
    line = " ".join(text.split())
    return line if len(line) <= SNIPPET_CHARACTERS else f"{line[:SNIPPET_CHARACTERS].rsplit(' ', 1)[0]} …"


def fuse_hits(lists: Sequence[Sequence[Hit]]) -> list[Hit]:
    """One list from several by the ranks in each; a page that is in more than one rises."""
    scores: dict[str, float] = {}
    first: dict[str, Hit] = {}
    for hits in lists:
        for rank, hit in enumerate(hits, 1):
            page = page_of(hit.url)
            scores[page] = scores.get(page, 0.0) + 1 / (RRF_CONSTANT + rank)
            first.setdefault(page, hit)
    return [first[page].replace(score=scores[page]) for page in sorted(first, key=lambda page: -scores[page])]


def unique_hits(hits: Sequence[Hit]) -> list[Hit]:
    """The hits without those whose page, or whose title and snippet, came before."""
    seen: set[object] = set()
    unique = []
    for hit in hits:
        page: object = page_of(hit.url)
        words: object = (hit.title.casefold(), hit.snippet.casefold()) if hit.snippet else page
        if page not in seen and words not in seen:
            unique.append(hit)
        seen.update((page, words))
    return unique


def page_of(url: str) -> str:
    """A key that the URLs of one page have in common: without scheme, `www.` and final slash, which matter for a
    crawler, but not for a list of hits."""
    parts = urlsplit(url_key(normalize_url(url) or url))
    return f"{parts.netloc.removeprefix('www.')}{parts.path.rstrip('/')}?{parts.query}"


async def rerank_hits(query: str, hits: Sequence[Hit], embed: EmbedTexts) -> list[Hit]:
    """The hits by the cosine of the query and their title and snippet."""
    vectors = await embed([query, *(f"{hit.title}\n{hit.snippet}" for hit in hits)])
    scores = vectors[1:] @ vectors[0]
    order = sorted(range(len(hits)), key=lambda index: -float(scores[index]))
    return [hits[index].replace(score=round(float(scores[index]), 4)) for index in order]
