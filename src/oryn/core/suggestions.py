""" "Did you mean": the closest match among a few words, and names that share words with a text."""

from __future__ import annotations

import re
from collections.abc import Iterable

_MAX_WORD_CHARACTERS = 24
"""Longer words are not compared: no command resembles them."""


def nearest(word: str, candidates: Iterable[str]) -> str | None:
    """The candidate most similar to `word`, or None if none is similar enough."""
    if not word or len(word) > _MAX_WORD_CHARACTERS:
        return None
    # Imported late: only a mistake needs it.
    from difflib import get_close_matches

    matches = get_close_matches(word.lower(), sorted(candidates), n=1, cutoff=0.6)
    return matches[0] if matches else None


def did_you_mean(word: str, candidates: Iterable[str]) -> str | None:
    """A hint such as `did you mean click?`, or None without a similar candidate."""
    match = nearest(word, candidates)
    return f"did you mean {match}?" if match else None


_MAX_NAME_CHARACTERS = 100
"""Characters of a text, and of each name, that are compared."""
_MAX_NAMES = 3
_MIN_SHARE = 0.5
"""The share of the letters of either side that must be in words with a like one on the other side."""
_MIN_WORD_LIKENESS = 0.75
"""The similarity from which two words with the same first letter are one with a mistake in it."""
_MIN_WORD_LENGTH = 4
"""Letters of the shortest word in which a mistake is looked for."""
_WORD = re.compile(r"[^\W_]+")


def similar_names(text: str, names: Iterable[str]) -> list[str]:
    """Return the names that share most words with a text, the most similar first. Words count as a whole: that a few
    letters occur in both is no likeness. Names that are the same but for case and the like count once."""
    from oryn.core.text_folding import fold

    words = _WORD.findall(fold(text[:_MAX_NAME_CHARACTERS]))
    by_folded: dict[str, str] = {}
    for name in names:
        by_folded.setdefault(fold(name[:_MAX_NAME_CHARACTERS]), name)
    rated = ((_likeness(words, _WORD.findall(folded)), name) for folded, name in by_folded.items())
    best = sorted((pair for pair in rated if pair[0] >= _MIN_SHARE), key=lambda pair: -pair[0])
    return [name for _, name in best[:_MAX_NAMES]]


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
    if one[0] != other[0] or short < _MIN_WORD_LENGTH or 2 * short < long:
        return 0
    if one.startswith(other) or other.startswith(one):
        return 0.9
    from difflib import SequenceMatcher

    ratio = SequenceMatcher(None, one, other, autojunk=False).ratio()
    return ratio if ratio >= _MIN_WORD_LIKENESS else 0
