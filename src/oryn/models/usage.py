"""How many tokens were spent, and what they cost. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil

from oryn.records import Record

_BYTES_PER_TOKEN = 4
"""Of English text and of JSON, about, in the encodings of today's models."""
_TOKENS_PER_MESSAGE = 4


class Usage(Record):
    """Tokens of one request or of several. `estimated` where an endpoint did not say how many, and we counted."""

    prompt: int = 0
    completion: int = 0
    estimated: bool = False

    def __add__(self, other: Usage) -> Usage:
        return Usage(self.prompt + other.prompt, self.completion + other.completion, self.estimated or other.estimated)


class Prices(Record):
    """Of a million tokens, in any currency; None where it is not known."""

    prompt: float | None = None
    completion: float | None = None

    def cost(self, usage: Usage) -> float | None:
        """None where a price is missing."""
        if self.prompt is None or self.completion is None:
            return None
        return (usage.prompt * self.prompt + usage.completion * self.completion) / 1_000_000


def estimated_tokens(texts: Iterable[str]) -> int:
    """About how many tokens messages with these texts have."""
    return sum(ceil(len(text.encode("utf-8", "replace")) / _BYTES_PER_TOKEN) + _TOKENS_PER_MESSAGE for text in texts)
