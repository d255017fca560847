"""The ranking by vectors and the ranking by words made one.

A convex combination of the scores, each as its share of what it can be, does better than their ranks alone (Bruch, Gai
and Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval", TOIS 2023, where it is TM2C2); so it does in
`benchmarks/retrieval.py`, by two points of nDCG and more. A cosine is taken
as it is, BM25 as its share of the best one's.
"""

from __future__ import annotations

from collections.abc import Sequence

from oryn.research.documents import Ranked

WORDS = 0.15
"""How much sharing words counts against the cosine. Chosen on two of the benchmark's manuals; from 0.1 to 0.2 nothing
changes much."""

CANDIDATES = 100
"""How many of each ranking are looked at, at least; three times as many as are asked for, when that is more."""


def candidates(limit: int) -> int:
    """How many of each ranking to ask for, for `limit` of both."""
    return max(CANDIDATES, 3 * limit)


def fused(nearest: Sequence[Ranked], sharing: Sequence[Ranked], limit: int) -> list[Ranked]:
    """The best of what is near (the scores are cosines) and what shares words (BM25), best first. Who is not in a
    ranking has the score of its last one at most: of cosines that is it, of words nothing."""
    found = {each.passage.id: each for each in (*nearest, *sharing)}
    cosines = {each.passage.id: each.score for each in nearest}
    last = min(cosines.values(), default=0.0)
    most = max((each.score for each in sharing), default=0.0) or 1.0
    shares = {each.passage.id: each.score / most for each in sharing}
    scores = {key: cosines.get(key, last) + WORDS * shares.get(key, 0.0) for key in found}
    best = sorted(scores, key=lambda key: (-scores[key], key))[:limit]
    return [Ranked(found[key].passage, scores[key]) for key in best]
