"""“Did you mean”: the nearest of a few words."""

from __future__ import annotations

from collections.abc import Iterable

_LONGEST = 24
"""Longer words resemble no command; comparing them would cost time for nothing."""


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The word of `known` that `word` is most like, or None when it is like none of them."""
    if not word or len(word) > _LONGEST:
        return None
    # Imported here: only a mistake pays for it.
    from difflib import get_close_matches

    matches = get_close_matches(word.lower(), sorted(known), n=1, cutoff=0.6)
    return matches[0] if matches else None


def did_you_mean(word: str, known: Iterable[str]) -> str | None:
    """`did you mean click?`, or None."""
    match = nearest(word, known)
    return f"did you mean {match}?" if match else None
