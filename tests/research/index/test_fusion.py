"""Two rankings made one."""

from __future__ import annotations

from oryn.research.documents import Passage, Ranked
from oryn.research.index.fusion import K, candidates, fused


def ranking(*names: str) -> list[Ranked]:
    return [Ranked(Passage(id=name, url="", title="", text=name), 9.0 - rank) for rank, name in enumerate(names)]


def test_what_both_have_comes_before_what_one_has_higher() -> None:
    found = fused([ranking("a", "b", "c"), ranking("d", "b", "a")], 10)
    assert [each.passage.id for each in found] == ["a", "b", "d", "c"]
    assert found[0].score == 1 / (K + 1) + 1 / (K + 3)


def test_of_equal_ones_the_first_ranking_s_comes_first_and_no_more_than_asked_for() -> None:
    assert [each.passage.id for each in fused([ranking("a", "c"), ranking("b", "d")], 3)] == ["a", "b", "c"]
    assert fused([[], []], 3) == []
    assert [each.passage.id for each in fused([ranking("a"), []], 3)] == ["a"]


def test_more_are_looked_at_than_are_asked_for() -> None:
    assert (candidates(1), candidates(10), candidates(100)) == (50, 50, 300)
