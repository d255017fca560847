"""What every index does: the one in this process, and the one on a server (here the client's own, in memory)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from oryn.errors import CollectionMismatch, CollectionNotFound, IndexFailed
from oryn.research.documents import Passage, RankedPassage
from oryn.research.index import Collection, EmbeddedIndex, Index, ServerIndex
from tests.conftest import Run
from tests.research.index.passages import DIMENSIONS, FERN, MODEL, MOSS, axis, passages, vectors

# A server has an index by URL; the client's own stand-in for one warns that it has none.
pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning")


def _embedded(folder: Path) -> Index:
    return EmbeddedIndex(folder)


def _server(folder: Path) -> Index:
    from qdrant_client import AsyncQdrantClient

    return ServerIndex("http://index.example:6333", client=AsyncQdrantClient(":memory:"))


@pytest.fixture(params=[_embedded, _server], ids=["embedded", "server"])
def index(request: pytest.FixtureRequest, tmp_path: Path, run: Run[None]) -> Iterator[Index]:
    made: Callable[[Path], Index] = request.param
    index = made(tmp_path / "index")
    yield index
    run(index.close())


@pytest.fixture
def filled_index(index: Index, run: Run[None]) -> Index:
    run(index.upsert("plants", passages(), vectors(), model=MODEL))
    return index


def ids(found: list[RankedPassage]) -> list[str]:
    return [each.passage.id for each in found]


async def test_passages_are_found_by_their_vectors(filled_index: Index) -> None:
    found = await filled_index.search("plants", "", axis(3), model=MODEL, limit=1, mode="dense")
    assert [each.passage for each in found] == [passages()[3]]
    assert found[0].score == pytest.approx(1, abs=0.001)


async def test_passages_are_found_by_their_words_stems_and_titles(filled_index: Index) -> None:
    async def by_words(query: str) -> list[str]:
        return ids(await filled_index.search("plants", query, None, model=MODEL, mode="bm25"))

    assert await by_words("reproduction of ferns") == ["fern-0", "fern-1"]
    assert await by_words("how many years: 1000?") == ["moss-1"]
    assert await by_words("胞子") == ["kana-0"]
    assert await by_words("of the and") == []
    assert await by_words("") == []
    assert await by_words("tractor") == []


async def test_a_hybrid_search_has_what_either_finds_and_what_both_find_first(filled_index: Index) -> None:
    found = await filled_index.search("plants", "spores", axis(2), model=MODEL, limit=5)
    assert ids(found)[0] == "moss-0"
    assert set(ids(found)) >= {"fern-0", "moss-0"}
    assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)
    assert ids(await filled_index.search("plants", "spores", axis(2), model=MODEL, limit=1)) == ["moss-0"]
    assert ids(await filled_index.search("plants", "the", axis(4), model=MODEL, limit=1)) == ["kana-0"]


async def test_a_search_can_be_kept_to_some_pages(filled_index: Index) -> None:
    assert ids(await filled_index.search("plants", "spores", axis(0), model=MODEL, urls=[MOSS]))[0] == "moss-0"
    for mode in ("dense", "bm25", "hybrid"):
        found = await filled_index.search(
            "plants", "spores", axis(0), model=MODEL, mode=mode, urls=(each for each in [MOSS])
        )
        assert {each.passage.url for each in found} == {MOSS}
    assert await filled_index.search("plants", "spores", axis(0), model=MODEL, urls=[]) == []


async def test_the_same_passage_twice_is_one(filled_index: Index) -> None:
    await filled_index.upsert("plants", passages(), vectors(), model=MODEL)
    assert await filled_index.collections() == [Collection("plants", 5, MODEL, DIMENSIONS)]


async def test_a_page_that_changed_has_its_new_passages_alone(filled_index: Index) -> None:
    kept, fresh = passages()[0], Passage(id="fern-9", url=FERN, title="Ferns", text="Tree ferns have trunks.")
    await filled_index.upsert("plants", [kept, fresh], vectors(2), model=MODEL, replace=True)
    assert ids(await filled_index.search("plants", "ferns", None, model=MODEL, mode="bm25", urls=[FERN])) == [
        "fern-9",
        "fern-0",
    ]
    assert (await filled_index.collections())[0].passages == 5


async def test_a_page_is_forgotten(filled_index: Index) -> None:
    await filled_index.delete("plants", MOSS)
    await filled_index.delete("plants", "https://botany.example/never-was")
    await filled_index.delete("nothing", MOSS)
    assert ids(await filled_index.search("plants", "spores mosses", None, model=MODEL, mode="bm25")) == ["fern-0"]
    assert await filled_index.collections() == [Collection("plants", 3, MODEL, DIMENSIONS)]


async def test_collections_are_apart_and_can_be_dropped(filled_index: Index) -> None:
    await filled_index.upsert("Plants", passages()[:1], vectors(1), model="another")
    assert await filled_index.collections() == [
        Collection("Plants", 1, "another", DIMENSIONS),
        Collection("plants", 5, MODEL, DIMENSIONS),
    ]
    await filled_index.drop("plants")
    assert [each.name for each in await filled_index.collections()] == ["Plants"]
    with pytest.raises(CollectionNotFound, match="there is no collection 'plants'"):
        await filled_index.drop("plants")
    with pytest.raises(CollectionNotFound, match="there is no collection 'plants'"):
        await filled_index.search("plants", "spores", axis(0), model=MODEL)
    await filled_index.upsert("plants", passages()[:2], vectors(2), model="a third")
    assert (await filled_index.collections())[1] == Collection("plants", 2, "a third", DIMENSIONS)


async def test_vectors_of_another_model_are_neither_put_in_nor_compared(filled_index: Index) -> None:
    with pytest.raises(CollectionMismatch, match="the vectors of 'plants' are of another model"):
        await filled_index.upsert("plants", passages(), vectors(), model="another")
    with pytest.raises(CollectionMismatch) as refused:
        await filled_index.search("plants", "spores", axis(0), model="another")
    assert refused.value.hint == "Use another --collection, or drop this one: oryn index drop NAME."
    with pytest.raises(CollectionMismatch, match="the vectors of 'plants' have 8 dimensions, not 3"):
        await filled_index.search("plants", "spores", axis(0)[:3], model=MODEL)


async def test_invalid_query_is_rejected(index: Index) -> None:
    for name in ("", "a/b", "../up", "x" * 65, ".hidden", "a\n"):
        with pytest.raises(IndexFailed, match="a collection can't be called"):
            await index.upsert(name, passages(), vectors(), model=MODEL)
        with pytest.raises(IndexFailed, match="a collection can't be called"):
            await index.search(name, "spores", axis(0), model=MODEL)
        with pytest.raises(IndexFailed, match="a collection can't be called"):
            await index.drop(name)
    with pytest.raises(ValueError, match="5 passages need as many vectors"):
        await index.upsert("plants", passages(), vectors(3), model=MODEL)
    with pytest.raises(ValueError, match="a component that is not a number"):
        await index.upsert("plants", passages(), vectors() * np.float32("nan"), model=MODEL)
    with pytest.raises(ValueError, match="needs the query's vector"):
        await index.search("plants", "spores", None, model=MODEL)
    assert await index.collections() == []
    await index.upsert("plants", [], np.zeros((0, DIMENSIONS), np.float32), model=MODEL)
    assert await index.collections() == []


async def test_text_that_has_no_utf_8_is_kept_without_what_has_none(index: Index) -> None:
    odd = Passage(id="\udcff", url="https://botany.example/\udcff", title="\ud800", text="A fern \ud800 here.")
    await index.upsert("plants", [odd], vectors(1), model=MODEL, replace=True)
    found = await index.search("plants", "\ud800 fern", axis(0), model=MODEL, urls=[odd.url])
    assert [each.passage.text for each in found] == ["A fern ? here."]
    await index.delete("plants", odd.url)
    assert (await index.collections())[0].passages == 0


async def test_many_tasks_use_it_at_once(index: Index) -> None:
    def page(number: int) -> list[Passage]:
        url = f"https://botany.example/{number}"
        return [Passage(id=f"{number}-{each}", url=url, title="", text=f"word{number} spores") for each in range(40)]

    rows = np.tile(vectors(), (8, 1))
    await index.upsert("plants", page(0), rows, model=MODEL)
    puts = [index.upsert("plants", page(number), rows, model=MODEL, replace=True) for number in range(1, 9)]
    looks = [index.search("plants", "word0", axis(0), model=MODEL, mode="bm25", limit=3) for _ in range(8)]
    await asyncio.gather(*puts)
    assert all(len(found) == 3 for found in await asyncio.gather(*looks))
    assert (await index.collections())[0].passages == 360
    for number in range(9):
        found = await index.search("plants", f"word{number}", None, model=MODEL, mode="bm25", limit=100)
        assert len(found) == 40
