"""One list of several: each page once, the best first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

import numpy as np
import pytest

from oryn.errors import CollectionNotFound, SearchRefused
from oryn.research.documents import Hit, Passage, RankedPassage
from oryn.research.options import ResearchOptions
from oryn.research.search import SearchClient
from oryn.research.search.pipeline import fuse_hits, page_of, rerank_hits, search, snippet_of, unique_hits


class AnsweredProvider:
    """A provider that has its answer already."""

    name: ClassVar[str] = "answering"

    def __init__(self, *hits: Hit, error: Exception | None = None) -> None:
        self.hits = hits
        self.error = error

    @classmethod
    def of(cls, options: ResearchOptions, client: SearchClient) -> Self:
        return cls()

    async def search(self, query: str, limit: int) -> list[Hit]:
        if self.error:
            raise self.error
        return list(self.hits[:limit])


def hit(name: str, title: str = "", snippet: str = "") -> Hit:
    return Hit(url=f"https://{name}.example/", title=title or name, snippet=snippet, provider="answering")


def ranked(name: str, text: str, score: float, number: int = 0) -> RankedPassage:
    url = f"https://{name}.example/"
    return RankedPassage(Passage(id=f"{name}{number}", url=url, title=name, text=text, number=number), score)


async def ferns(limit: int) -> list[RankedPassage]:
    return [ranked("a", "Spores  fall.", 0.9), ranked("a", "More.", 0.8, 1), ranked("c", "Fronds.", 0.7)][:limit]


async def missing_collection(limit: int) -> list[RankedPassage]:
    raise CollectionNotFound("there is no collection 'passages'")


@pytest.mark.parametrize(
    "same",
    [
        "http://www.a.example/ferns",
        "https://a.example/ferns/",
        "https://A.example:443/ferns?utm_source=x#spores",
        "https://a.example/ferns?fbclid=1",
    ],
)
def test_a_page_has_several_addresses(same: str) -> None:
    assert page_of(same) == page_of("https://a.example/ferns")


@pytest.mark.parametrize(
    "other", ["https://a.example/ferns?page=2", "https://b.example/ferns", "https://a.example/Ferns"]
)
def test_other_pages_have_others(other: str) -> None:
    assert page_of(other) != page_of("https://a.example/ferns")


def test_a_page_counts_once_and_so_does_what_it_says() -> None:
    hits = [
        hit("a", "Ferns", "Spores."),
        hit("b", "ferns", "spores."),  # a copy elsewhere
        hit("c", "Ferns", "Fronds."),
        hit("c", "Again"),
        hit("d", "Untold"),
        hit("e", "Untold"),  # a title alone says too little
    ]
    assert [each.url for each in unique_hits(hits)] == [f"https://{name}.example/" for name in "acde"]


def test_a_page_that_both_lists_have_rises() -> None:
    one, other = [hit("a"), hit("b")], [hit("c"), hit("b", "from the index")]
    found = fuse_hits([one, other])
    assert [(each.url, each.title) for each in found] == [
        ("https://b.example/", "b"),
        ("https://a.example/", "a"),
        ("https://c.example/", "c"),
    ]
    assert found[0].score == pytest.approx(2 / 62)


async def test_the_index_alone_has_the_best_passage_of_each_page() -> None:
    assert await search("ferns", provider=None, indexed=ferns, limit=5) == [
        Hit(url="https://a.example/", title="a", snippet="Spores fall.", provider="index", rank=1, score=0.9),
        Hit(url="https://c.example/", title="c", snippet="Fronds.", provider="index", rank=2, score=0.7),
    ]


async def test_both_are_fused() -> None:
    provider = AnsweredProvider(hit("b"), hit("c"))
    found = await search("ferns", provider=provider, indexed=ferns, limit=2)
    assert [(each.url, each.provider) for each in found] == [
        ("https://c.example/", "answering"),
        ("https://b.example/", "answering"),
    ]


async def test_a_collection_that_is_not_there_yet_is_no_error_beside_the_web() -> None:
    assert await search("ferns", provider=AnsweredProvider(hit("b")), indexed=missing_collection, limit=2) == [
        hit("b").replace(score=1 / 61)
    ]
    with pytest.raises(CollectionNotFound):
        await search("ferns", provider=None, indexed=missing_collection, limit=2)


async def test_a_refusal_is_told_also_where_the_index_has_something() -> None:
    refusing = AnsweredProvider(error=SearchRefused("answering refused the search"))
    with pytest.raises(SearchRefused):
        await search("ferns", provider=refusing, indexed=ferns, limit=2)


async def test_hits_are_ordered_anew_by_what_they_mean() -> None:
    meanings = {"ferns": (1.0, 0.0), "a\nCars.": (0.0, 1.0), "b\nSpores.": (0.8, 0.6)}

    async def embed(texts: Sequence[str]) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
        return np.array([meanings[text] for text in texts], np.float32)

    found = await rerank_hits("ferns", [hit("a", "a", "Cars."), hit("b", "b", "Spores.")], embed)
    assert [(each.url, each.score) for each in found] == [("https://b.example/", 0.8), ("https://a.example/", 0.0)]


def test_a_long_passage_is_cut_between_words() -> None:
    assert snippet_of("one\n two") == "one two"
    assert snippet_of("spores " * 100) == f"{'spores ' * 42}…"
