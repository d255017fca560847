"""Whether passages support a statement that a chat model has written, by its words.

The test accepts a wrong use of the right words, and nothing that the passages don't mention."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from oryn.research.text.questions import missing_names

MIN_SUPPORTED_SHARE = 0.5
"""The share of a statement's words that its passages must contain."""

_WORD = re.compile(r"\w+")
_STEM_CHARACTERS = 5
"""Letters by which two words count as the same: `bridge` and `bridges`, not `bridge` and `bright`."""
_SMALL_WORD_CHARACTERS = 3
"""Words of at most so many letters are not compared."""


def is_supported(statement: str, passages: Iterable[str], about: str = "") -> bool:
    """Whether the passages contain each number of the statement, and most of its other words, up to their endings.
    Words of the entity (`about`) count as contained, since the passages are about it."""
    stems = {_stem(word) for text in (*passages, about) for word in _words(text)}
    words = [word for word in _words(statement) if len(word) > _SMALL_WORD_CHARACTERS or word.isdigit()]
    if not words:
        return any(statement.casefold() in text.casefold() for text in passages)
    if any(word not in stems for word in words if any(char.isdigit() for char in word)):
        return False
    return sum(_stem(word) in stems for word in words) >= MIN_SUPPORTED_SHARE * len(words)


def has_names_of(statement: str, passages: Sequence[str]) -> bool:
    """Whether each name in the statement is in one of the passages."""
    return not missing_names(statement, passages)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _stem(word: str) -> str:
    return word if any(char.isdigit() for char in word) else word[:_STEM_CHARACTERS]
