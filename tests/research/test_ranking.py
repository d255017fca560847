"""A second look at what was found, with the real model."""

from __future__ import annotations

import numpy as np
import pytest

from oryn.research.documents import Passage, RankedPassage
from oryn.research.embedding import Embedder
from oryn.research.passages.ranking import rerank

TEXTS = {
    "spores": "Ferns reproduce by spores. They grow in sori, small brown dots on the underside of the fronds, and are "
    "carried off by the wind when they are ripe.",
    "seeds": "Most garden plants are grown from seeds. Sow them in spring, when the soil has become warm, and water "
    "them every day.",
    "age": "The oldest ferns lived 390 million years ago. Coal is what remains of forests of tree ferns.",
    "plough": "The plough turns the soil over. It was drawn by oxen, and later by tractors.",
}


def found(*names: str) -> list[RankedPassage]:
    """Passages in an order, with scores that mean nothing."""
    return [
        RankedPassage(Passage(id=name, url=f"https://botany.example/{name}", title="", text=TEXTS[name]), 7.0 - number)
        for number, name in enumerate(names)
    ]


def order(ranked: list[RankedPassage]) -> list[str]:
    return [each.passage.id for each in ranked]


def test_best_passage_is_first_for_any_input_order(embedder: Embedder) -> None:
    for names in (("plough", "age", "seeds", "spores"), ("spores", "seeds", "age", "plough")):
        ranked = rerank("How do ferns reproduce?", found(*names), embedder=embedder)
        assert order(ranked)[0] == "spores"
        assert set(order(ranked)) == set(names)
        assert [each.score for each in ranked] == sorted((each.score for each in ranked), reverse=True)
    assert order(rerank("age of the oldest ferns", found("spores", "age", "plough"), embedder=embedder))[0] == "age"
    assert order(rerank("when to sow", found("spores", "plough", "age", "seeds"), embedder=embedder))[0] == "seeds"


def test_the_order_does_not_depend_on_the_order_it_was_found_in(embedder: Embedder) -> None:
    one = rerank("Was coal a fern?", found("plough", "age", "seeds"), embedder=embedder)
    other = rerank("Was coal a fern?", found("seeds", "plough", "age"), embedder=embedder)
    assert order(one) == order(other)


def test_nothing_found_and_nothing_asked_change_nothing(embedder: Embedder) -> None:
    assert rerank("ferns", [], embedder=embedder) == []
    assert rerank(" \n", found("plough", "age"), embedder=embedder) == found("plough", "age")
    assert order(rerank("ferns", found("age"), embedder=embedder)) == ["age"]


@pytest.mark.slow
def test_queries_and_passages_of_any_kind_are_ranked(embedder: Embedder) -> None:
    odd = [
        RankedPassage(Passage(id=str(number), url="", title="", text=text), 0.0)
        for number, text in enumerate(("", "\n\n", "?", "シダ植物は胞子で増える。", "\ud800", "word " * 3000))
    ]
    for query in ("the", "?", "胞子", "\ud800", "How do ferns reproduce? " * 100):
        ranked = rerank(query, odd, embedder=embedder)
        assert {each.passage.id for each in ranked} == {each.passage.id for each in odd}
        assert np.isfinite([each.score for each in ranked]).all()


def test_the_model_s_tokens_stand_where_the_text_has_them_and_make_its_vector(embedder: Embedder) -> None:
    texts = [TEXTS["spores"], "", "word " * 3000]
    read = embedder.embed_tokens(texts)
    first = read[0]
    assert first.pieces[:3] == ["[CLS]", "ferns", "reproduce"]
    assert [texts[0][begin:end] for begin, end in first.offsets[1:3]] == ["Ferns", "reproduce"]
    assert [len(each.ids) for each in read] == [embedder.count(texts[0]), 2, embedder.limit]
    for each, vector in zip(read, embedder.embed(texts), strict=True):
        assert each.vectors.shape == (len(each.ids), embedder.dimensions)
        assert len(each.ids) == len(each.pieces) == len(each.offsets)
        mean = each.vectors.mean(0)
        assert float(mean @ vector / np.linalg.norm(mean)) > 0.999
