"""Words as BM25 compares them."""

from __future__ import annotations

import pytest

from oryn.research.index.bm25 import of_query


@pytest.mark.parametrize("written", ["Wehr\xadan\xadlage", "Wehr\u2060anlage", "\ufeffWehranlage", "WEHRANLAGE"])
def test_a_word_is_one_however_it_may_be_broken(written: str) -> None:
    assert of_query(written) == of_query("wehranlage")


def test_neighbours_are_the_words_where_there_are_no_spaces() -> None:
    assert set(of_query("東京").numbers) < set(of_query("東京都").numbers)
