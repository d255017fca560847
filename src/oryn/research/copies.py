"""Passages that say what another says already: an agency's report on three sites, a page under two addresses. Pure.

A passage is a copy where four of five of its shingles (five words in a row) stand in what was taken before, wherever
that was cut. The first one stays, which is the best where they are ranked; the pages of its copies are named with it.
https://dl.acm.org/doi/10.5555/283554.283370
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from oryn.research.documents import Passage, Ranked

WORDS = 5
SHARE = 0.8

_WORD = re.compile(r"\w+")


def words_of(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def shingles(text: str) -> set[tuple[str, ...]]:
    """Every five words in a row; all of them where there are fewer."""
    words = words_of(text)
    return {tuple(words[place : place + WORDS]) for place in range(max(1, len(words) - WORDS + 1))}


def without_copies(found: Sequence[Ranked], most: int) -> list[Ranked]:
    """The first `most` of those that are no copies of ones before them."""
    known: set[tuple[str, ...]] = set()
    kept: list[Ranked] = []
    for ranked in found:
        own = shingles(ranked.passage.text)
        if sum(shingle in known for shingle in own) >= SHARE * len(own):
            continue
        known.update(own)
        kept.append(ranked)
        if len(kept) == most:
            break
    return kept


def pages_that_say(sentence: str, passages: Sequence[Passage]) -> Iterator[str]:
    """The URLs of pages that have this sentence word by word, each once, in order."""
    looked_for = f" {' '.join(words_of(sentence))} "
    seen = set()
    for passage in passages:
        if passage.url not in seen and looked_for in f" {' '.join(words_of(passage.text))} ":
            seen.add(passage.url)
            yield passage.url
