"""The interface of an index of passages, implemented in this process (`local`) and on a server (`server`); and
the fusion of the rankings by vectors and by words.

A convex combination of the scores, each as its share of what it can be, does better than their ranks alone (Bruch,
Gai and Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval", TOIS 2023, where it is TM2C2); so it does
in `benchmarks/retrieval.py`, by two points of nDCG and more. A cosine is used as it is, BM25 as its share of the
best one's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal, Protocol

from oryn.errors import CollectionMismatch, CollectionNotFound, IndexFailed
from oryn.research.documents import JsonRecord, Passage, RankedPassage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

Mode = Literal["hybrid", "dense", "bm25"]
"""How passages are found: by vectors, by the words that they share with the query, or by both."""

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")


class Collection(JsonRecord):
    """A collection: the number of its passages, and the model of its vectors (`model` is `Embedder.hash`)."""

    name: str
    passages: int
    model: str
    dimensions: int


class Index(Protocol):
    """Passages in named collections, each with its vector. Many tasks of one event loop may use one object at once; no
    call blocks the loop for longer than a batch takes, except the first one to a large collection in this process,
    which opens it (a second for 100,000 passages).

    All calls raise `IndexBusy` (another process has it open) and `IndexFailed` (damaged files, no answer from a
    server)."""

    async def upsert(
        self, collection: str, passages: Sequence[Passage], vectors: Vectors, *, model: str, replace: bool = False
    ) -> None:
        """Add passages; `vectors` has the shape `(len(passages), dimensions)` and is of `float32`. Creates the
        collection if it does not exist. A passage with the `id` of a stored one replaces it. With `replace`, the other
        stored passages of the same pages are deleted, so all passages of a page must be passed at once.

        When this returns, the passages can be found, and survive the end of the process. Raises `CollectionMismatch` if
        the collection belongs to another model."""
        ...

    async def search(
        self,
        collection: str,
        query: str,
        vector: Vectors | None,
        *,
        model: str,
        limit: int = 10,
        mode: Mode = "hybrid",
        urls: Iterable[str] | None = None,
    ) -> list[RankedPassage]:
        """The `limit` passages that match a query best, the best first. `vector` is that of the query, of the shape
        `(dimensions,)`; it is not needed for the mode `bm25`. `urls`: only passages of these pages. Raises
        `CollectionNotFound`, `CollectionMismatch`."""
        ...

    async def delete(self, collection: str, url: str) -> None:
        """Delete the passages of a page. It is no error if there are none, or no such collection."""
        ...

    async def drop(self, collection: str) -> None:
        """Delete a collection, also a damaged one. Raises `CollectionNotFound`."""
        ...

    async def collections(self) -> list[Collection]:
        """All collections, by name."""
        ...

    async def close(self) -> None:
        """Close the index, so that another process can open it. May be called twice."""
        ...


def checked_name(name: str) -> str:
    """`name`, if it is valid for a collection. Raises `IndexFailed`."""
    if not _NAME.fullmatch(name):
        raise IndexFailed(
            f"a collection can't be called {name[:80]!r}", "Letters, digits, '_', '-' and '.', at most 64 of them."
        )
    return name


def check_vectors(passages: Sequence[Passage], vectors: Vectors) -> None:
    """Raise `ValueError` unless there is one row of finite numbers for each passage."""
    import numpy as np

    if vectors.ndim != 2 or len(vectors) != len(passages):
        raise ValueError(f"{len(passages)} passages need as many vectors, not an array of {vectors.shape}")
    if not np.isfinite(vectors).all():
        raise ValueError("a vector has a component that is not a number")


def check_query(vector: Vectors | None, mode: Mode) -> None:
    """Raise `ValueError` unless the query has the vector that the mode needs."""
    if vector is None and mode != "bm25":
        raise ValueError(f"a search of the mode {mode} needs the query's vector")


def check_model(collection: Collection, model: str, vectors: Vectors | None) -> None:
    """Raise `CollectionMismatch` unless the collection's vectors are of `model`, and of the same dimensions."""
    if model != collection.model:
        raise CollectionMismatch(f"the vectors of '{collection.name}' are of another model ({collection.model[:12]}…)")
    if vectors is not None and vectors.shape[-1] != collection.dimensions:
        raise CollectionMismatch(
            f"the vectors of '{collection.name}' have {collection.dimensions} dimensions, not {vectors.shape[-1]}"
        )


def no_collection(name: str) -> CollectionNotFound:
    """The error if a collection does not exist."""
    return CollectionNotFound(f"there is no collection '{name}'")


BM25_WEIGHT = 0.15
"""The weight of BM25 relative to the cosine. Chosen on two of the benchmark's manuals; values from 0.1 to 0.2 differ
little."""

MIN_CANDIDATES = 100
"""The minimum number of candidates of each ranking; three times the requested number if that is more."""


def candidate_count(limit: int) -> int:
    """How many candidates of each ranking are fused into `limit` passages."""
    return max(MIN_CANDIDATES, 3 * limit)


def fuse(nearest: Sequence[RankedPassage], sharing: Sequence[RankedPassage], limit: int) -> list[RankedPassage]:
    """The best `limit` of the passages by vectors (`nearest`, with cosines as scores) and by words (`sharing`, with
    BM25), the best first. A passage that is missing in `nearest` gets the lowest cosine there; one that is missing in
    `sharing` gets 0."""
    found = {each.passage.id: each for each in (*nearest, *sharing)}
    cosines = {each.passage.id: each.score for each in nearest}
    last = min(cosines.values(), default=0.0)
    best_score = max((each.score for each in sharing), default=0.0) or 1.0
    shares = {each.passage.id: each.score / best_score for each in sharing}
    scores = {key: cosines.get(key, last) + BM25_WEIGHT * shares.get(key, 0.0) for key in found}
    best = sorted(scores, key=lambda key: (-scores[key], key))[:limit]
    return [RankedPassage(found[key].passage, scores[key]) for key in best]
