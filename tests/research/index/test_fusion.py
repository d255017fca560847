"""The ranking by vectors and the ranking by words made one."""

from __future__ import annotations

import pytest

from oryn.research.documents import Passage, RankedPassage
from oryn.research.index.interface import BM25_WEIGHT, candidate_count, fuse


def ranking(**scores: float) -> list[RankedPassage]:
    return [RankedPassage(Passage(id=name, url="", title="", text=name), score) for name, score in scores.items()]


def order(found: list[RankedPassage]) -> list[str]:
    return [each.passage.id for each in found]


def test_the_cosine_counts_and_the_share_of_the_best_score_by_words() -> None:
    found = fuse(ranking(a=0.50, b=0.49, c=0.30), ranking(b=8.0, c=4.0), 10)
    assert order(found) == ["b", "a", "c"]
    assert [each.score for each in found] == pytest.approx([0.49 + BM25_WEIGHT, 0.50, 0.30 + BM25_WEIGHT / 2])


def test_what_only_its_words_have_found_is_no_nearer_than_the_last_that_is_near() -> None:
    found = fuse(ranking(a=0.50, b=0.40), ranking(c=3.0), 10)
    assert order(found) == ["c", "a", "b"]
    assert found[0].score == pytest.approx(0.40 + BM25_WEIGHT)
    assert order(fuse(ranking(a=0.60, b=0.40), ranking(c=3.0), 10)) == ["a", "c", "b"]


def test_equal_scores_are_ordered_by_id_and_limited() -> None:
    assert order(fuse(ranking(b=0.5, a=0.5, c=0.4), [], 2)) == ["a", "b"]
    assert order(fuse([], ranking(b=2.0, a=1.0), 3)) == ["b", "a"]
    assert fuse([], [], 3) == []


def test_more_are_looked_at_than_are_asked_for() -> None:
    assert (candidate_count(1), candidate_count(10), candidate_count(100)) == (100, 100, 300)
