"""One collection on this disk: a shard of Qdrant Edge, the engine of Qdrant in this process.

Nothing here is asynchronous, and every call holds the GIL while the engine works (version 0.9 never releases it),
so `local` passes small batches. Vectors are searched exactly, without a graph: 100,000 of them take 5 ms, with
full recall; building an HNSW graph would block this process for as long as it takes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

from qdrant_edge import (
    CountRequest,
    Distance,
    EdgeConfig,
    EdgeOptimizersConfig,
    EdgeShard,
    EdgeSparseVectorParams,
    EdgeVectorParams,
    FieldCondition,
    Filter,
    HasIdCondition,
    HnswIndexConfig,
    KeywordIndexParams,
    MatchAny,
    Modifier,
    Point,
    Query,
    QueryRequest,
    SparseVector,
    UpdateOperation,
    VectorStorageDatatype,
)

from oryn.errors import IndexFailed
from oryn.research.documents import Passage, RankedPassage
from oryn.research.index import bm25, points
from oryn.research.index.folder import REPAIR_HINT

if TYPE_CHECKING:
    from oryn.research.index.interface import Vectors

MAX_UNFLUSHED = 2000
"""The maximum number of passages that are only in the write-ahead log, which is replayed when the shard is opened."""

_NEVER = 10**9
# A graph of no edges, which no number of vectors makes worth building.
_NO_GRAPH = HnswIndexConfig(m=0, ef_construct=100, full_scan_threshold=_NEVER)


class Shard:
    """An open collection. All methods raise `IndexFailed`."""

    def __init__(self, folder: Path, dimensions: int | None = None) -> None:
        """Open the shard in `folder`; with `dimensions`, create it."""
        self._folder = folder
        self._unflushed = 0
        with _map_engine_errors(folder):
            self._edge = (
                EdgeShard.load(str(folder))
                if dimensions is None
                else EdgeShard.create(str(folder), _config(dimensions))
            )
            if dimensions is not None:
                self._edge.update(UpdateOperation.create_field_index(points.URL, KeywordIndexParams()))

    def upsert(self, passages: Sequence[Passage], vectors: Vectors) -> None:
        """Add or replace passages. `vectors` has one row for each: `(n, dimensions)` of `float32`."""
        with _map_engine_errors(self._folder):
            batch = [
                Point(
                    points.number(passage),
                    {points.DENSE: row, points.WORDS: SparseVector(*bm25.of_passage(passage))},
                    points.payload(passage),
                )
                for passage, row in zip(passages, vectors.tolist(), strict=True)
            ]
            self._edge.update(UpdateOperation.upsert_points(batch))
            self._wrote(len(batch))

    def delete(self, urls: Iterable[str], *, but: Iterable[Passage] = ()) -> None:
        """Delete the passages of pages, except the passages `but`."""
        excepted: set[int | str | UUID] = {points.number(passage) for passage in but}
        with _map_engine_errors(self._folder):
            self._edge.update(
                UpdateOperation.delete_points_by_filter(
                    Filter(must=[_of_pages(urls)], must_not=[HasIdCondition(excepted)] if excepted else None)
                )
            )
            self._wrote(1)

    def nearest(self, vector: Vectors, limit: int, urls: Iterable[str] | None) -> list[RankedPassage]:
        """The `limit` passages with the largest cosine of vectors, which is the score. `urls`: only passages of these
        pages."""
        return self._query(Query.Nearest(vector.tolist(), using=points.DENSE), limit, urls)

    def sharing_words(self, query: str, limit: int, urls: Iterable[str] | None) -> list[RankedPassage]:
        """The `limit` passages with the largest BM25, which is the score. `urls`: only passages of these pages."""
        found = bm25.of_query(query)
        if not found.numbers:
            return []
        return self._query(Query.Nearest(SparseVector(*found), using=points.WORDS), limit, urls)

    def count(self) -> int:
        """The number of passages."""
        with _map_engine_errors(self._folder):
            return self._edge.count(CountRequest())

    def close(self) -> None:
        """Write everything to the disk, remove what was deleted, and close the files."""
        with _map_engine_errors(self._folder):
            self._edge.flush()
            # Does nothing unless a fifth or more of what is there was deleted, which is taken out then.
            self._edge.optimize()
            self._edge.close()

    def abandon(self) -> None:
        """Close the files in whatever state they are."""
        with suppress(IndexFailed), _map_engine_errors(self._folder):
            self._edge.close()

    def _query(self, query: Query, limit: int, urls: Iterable[str] | None) -> list[RankedPassage]:
        only = None if urls is None else Filter(must=[_of_pages(urls)])
        with _map_engine_errors(self._folder):
            found = self._edge.query(QueryRequest(limit=limit, query=query, filter=only, with_payload=True))
        return points.ranked((each.payload, each.score) for each in found)

    def _wrote(self, number: int) -> None:
        self._unflushed += number
        if self._unflushed >= MAX_UNFLUSHED:
            self._edge.flush()
            self._unflushed = 0


def _config(dimensions: int) -> EdgeConfig:
    # Half of single precision loses two thousandths of the first ten (`benchmarks/index.py`), and takes half the room
    # and two thirds of the time.
    dense = EdgeVectorParams(
        size=dimensions, distance=Distance.Cosine, datatype=VectorStorageDatatype.Float16, hnsw_config=_NO_GRAPH
    )
    return EdgeConfig(
        vectors={points.DENSE: dense},
        sparse_vectors={points.WORDS: EdgeSparseVectorParams(modifier=Modifier.Idf)},
        hnsw_config=_NO_GRAPH,
        optimizers=EdgeOptimizersConfig(indexing_threshold=_NEVER),
    )


def _of_pages(urls: Iterable[str]) -> FieldCondition:
    return FieldCondition(points.URL, MatchAny([bm25.without_surrogates(url) for url in urls]))


@contextmanager
def _map_engine_errors(folder: Path) -> Iterator[None]:
    """Map errors of the engine, which raises bare `Exception`s, and panics, which are no `Exception`s."""
    try:
        yield
    except BaseException as failure:
        if type(failure) is not Exception and type(failure).__name__ != "PanicException":
            raise
        raise IndexFailed(
            f"the index's files in {folder.parent} can't be used: {str(failure)[:300]}",
            f"Is the disk full? If not: {REPAIR_HINT}",
        ) from failure
