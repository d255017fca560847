""" "Did you mean": the closest match among a few words."""

from __future__ import annotations

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
