"""Near-duplicate passages: an agency's report on three sites, a page under two addresses. Pure.

A passage is a duplicate if four of five of its shingles (five words in a row) occur in passages accepted before it,
wherever those were split. The first one stays, which is the best if they are ranked; the pages of its duplicates are
cited with it. https://dl.acm.org/doi/10.5555/283554.283370"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from oryn.research.documents import Passage, RankedPassage

SHINGLE_WORDS = 5
DUPLICATE_SHARE = 0.8

_WORD = re.compile(r"\w+")


def words_of(text: str) -> list[str]:
    """The words of a text, in lower case."""
    return _WORD.findall(text.casefold())


def shingles(text: str) -> set[tuple[str, ...]]:
    """Every five successive words, as tuples; a tuple of all words if there are fewer."""
    words = words_of(text)
    return {tuple(words[start : start + SHINGLE_WORDS]) for start in range(max(1, len(words) - SHINGLE_WORDS + 1))}


def copies_in_order(found: Sequence[RankedPassage], order: Callable[[str], float]) -> list[RankedPassage]:
    """The same passages, where those with equal words have changed places so that they are in the `order` of their
    URLs. Their scores are equal but for rounding, so it must not decide which of their pages is cited."""
    places: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for place, ranked in enumerate(found):
        places[tuple(words_of(ranked.passage.text))].append(place)
    ordered = list(found)
    for group in places.values():
        copies = sorted((found[place] for place in group), key=lambda each: (order(each.passage.url), each.passage.url))
        for place, ranked in zip(group, copies, strict=True):
            ordered[place] = ranked
    return ordered


def without_duplicates(found: Sequence[RankedPassage], limit: int) -> list[RankedPassage]:
    """The first `limit` passages that are no duplicates of ones before them."""
    seen: set[tuple[str, ...]] = set()
    unique: list[RankedPassage] = []
    for ranked in found:
        own = shingles(ranked.passage.text)
        if sum(shingle in seen for shingle in own) >= DUPLICATE_SHARE * len(own):
            continue
        seen.update(own)
        unique.append(ranked)
        if len(unique) == limit:
            break
    return unique


def pages_with_sentence(sentence: str, passages: Sequence[Passage]) -> Iterator[str]:
    """The URLs of pages that contain this sentence word by word, each once, in order."""
    phrase = f" {' '.join(words_of(sentence))} "
    seen = set()
    for passage in passages:
        if passage.url not in seen and phrase in f" {' '.join(words_of(passage.text))} ":
            seen.add(passage.url)
            yield passage.url
