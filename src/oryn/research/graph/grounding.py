"""Whether passages say what a statement says. Pure.

A language model may add what it knows, or thinks to know; a tree whose every leaf has its source has no place for that.
The test is one of words: each number of the statement stands in a passage that it names, and most of its other words
do, up to their endings. It lets a wrong use of the right words through, and nothing that the passages don't speak of.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

ENOUGH = 0.5
"""The share of a statement's words that its passages must have, at least."""

_WORD = re.compile(r"\w+")
_STEM = 5
"""Letters by which two words count as one: `bridge` and `bridges`, not `bridge` and `bright`."""
_SMALL = 3
"""Words of so few letters say little."""


def supported(statement: str, passages: Iterable[str], about: str = "") -> bool:
    """Whether the passages have the statement's words. Those of the entity (`about`) count as known: that the passages
    are about it is why they are asked."""
    known = {_stem(word) for text in (*passages, about) for word in _words(text)}
    words = [word for word in _words(statement) if len(word) > _SMALL or word.isdigit()]
    if not words:
        return any(statement.casefold() in text.casefold() for text in passages)
    if any(word not in known for word in words if any(char.isdigit() for char in word)):
        return False
    return sum(_stem(word) in known for word in words) >= ENOUGH * len(words)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _stem(word: str) -> str:
    return word if any(char.isdigit() for char in word) else word[:_STEM]
