"""Two rankings made one.

Reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009): scores of different kinds aren't comparable, ranks
are.
"""

from __future__ import annotations

from collections.abc import Sequence

from oryn.research.documents import Ranked

K = 60
"""How little the first ranks count for more than the next ones; the paper's own value."""

CANDIDATES = 50
"""How many of each ranking are looked at, at least; three times as many as are asked for, when that is more."""


def candidates(limit: int) -> int:
    """How many of each ranking to ask for, for `limit` of both."""
    return max(CANDIDATES, 3 * limit)


def fused(rankings: Sequence[Sequence[Ranked]], limit: int) -> list[Ranked]:
    """The best of all rankings, best first; of equal ones the one that the first ranking has higher. The score is the
    sum of `1 / (K + rank)`."""
    scores: dict[str, float] = {}
    found: dict[str, Ranked] = {}
    for ranking in rankings:
        for rank, each in enumerate(ranking, 1):
            key = each.passage.id
            scores[key] = scores.get(key, 0.0) + 1 / (K + rank)
            found.setdefault(key, each)
    best = sorted(scores, key=lambda key: -scores[key])[:limit]
    return [Ranked(passage=found[key].passage, score=scores[key]) for key in best]
