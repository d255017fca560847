"""Suggestions for a text that fits no element: elements that are called alike."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher

from oryn.core.text_folding import fold
from oryn.engine.output.elements import Element

MAX_COMPARED_CHARACTERS = 100
"""Characters of an unmatched text, and of each name, that are compared."""
MAX_SUGGESTED = 3
LEAST_LIKENESS = 0.5
"""The share of the letters of both texts' words that must have a like word in the other."""
LIKE_WORDS = 0.75
"""The similarity from which two words of at least `SHORTEST_LIKE` letters, and with the same first one, are one with a
mistake in it."""
SHORTEST_LIKE = 4

_WORD = re.compile(r"[^\W_]+")


def similar(wanted: str, elements: Iterable[Element]) -> list[Element]:
    """Return the elements, of each name one, whose names share most words with a text, the most similar first. Words
    count as a whole: that a few letters occur in both is no likeness."""
    words = _WORD.findall(fold(wanted[:MAX_COMPARED_CHARACTERS]))
    by_name: dict[str, Element] = {}
    for element in elements:
        by_name.setdefault(fold(element["text"][:MAX_COMPARED_CHARACTERS]), element)
    rated = ((_likeness(words, _WORD.findall(name)), element) for name, element in by_name.items())
    best = sorted((pair for pair in rated if pair[0] >= LEAST_LIKENESS), key=lambda pair: -pair[0])
    return [element for _, element in best[:MAX_SUGGESTED]]


def _likeness(words: list[str], others: list[str]) -> float:
    """Return the larger share of either side's letters that are in words with a like one on the other side."""
    if not words or not others:
        return 0
    return max(_share(words, others), 0.9 * _share(others, words))


def _share(words: list[str], others: list[str]) -> float:
    shared = sum(len(word) * max(_word_likeness(word, other) for other in others) for word in words)
    return shared / sum(map(len, words))


def _word_likeness(one: str, other: str) -> float:
    if one == other:
        return 1
    short, long = sorted((len(one), len(other)))
    if one[0] != other[0] or short < SHORTEST_LIKE or 2 * short < long:
        return 0
    if one.startswith(other) or other.startswith(one):
        return 0.9
    ratio = SequenceMatcher(None, one, other, autojunk=False).ratio()
    return ratio if ratio >= LIKE_WORDS else 0
