"""What an index of passages can do, whoever keeps it: in this process (`embedded`), or a server (`server`)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal, Protocol

from oryn.research.documents import Document, Passage, Ranked
from oryn.research.failures import CollectionMismatch, CollectionNotFound, IndexFailed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

Mode = Literal["hybrid", "dense", "bm25"]
"""By what passages are found: the vectors' nearness, the words that they share with the query, or both."""

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")


class Collection(Document):
    """A collection of passages: how many it has, and whose vectors (`model` is `Embedder.hash`)."""

    name: str
    passages: int
    model: str
    dimensions: int


class Index(Protocol):
    """Passages in named collections, each with its vector. One object may be used by many tasks of one event loop at
    once; no call holds the loop up for longer than a batch takes, save the first of a large collection in this process,
    which is opened then (a second for 100,000 passages).

    All calls raise `IndexBusy` (another process has it) and `IndexFailed` (damaged files, no answer from a server).
    """

    async def upsert(
        self, collection: str, passages: Sequence[Passage], vectors: Vectors, *, model: str, replace: bool = False
    ) -> None:
        """Put passages in; `vectors` has a row for each. The collection is made when there is none of that name. A
        passage that is there already (the same `id`) is written over. With `replace`, whatever else there was of the
        pages that these passages are of goes: all passages of a page that was fetched again are given at once.

        When this returns, the passages are found, and stay when the process dies. Raises `CollectionMismatch` when the
        collection is of another model.
        """
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
    ) -> list[Ranked]:
        """The best passages for a query, best first; `vector` is the query's (not needed for `bm25`), `urls` are the
        only pages that count. Raises `CollectionNotFound`, `CollectionMismatch`."""
        ...

    async def delete(self, collection: str, url: str) -> None:
        """Forget a page's passages; none is no error, nor is there being no such collection."""
        ...

    async def drop(self, collection: str) -> None:
        """Forget a collection, a damaged one too. Raises `CollectionNotFound`."""
        ...

    async def collections(self) -> list[Collection]:
        """All of them, by name."""
        ...

    async def close(self) -> None:
        """Let go of it, so that other processes can have it. Twice is as good as once."""
        ...


def checked_name(name: str) -> str:
    """`name`, when a collection can have it. Raises `IndexFailed`."""
    if not _NAME.fullmatch(name):
        raise IndexFailed(
            f"a collection can't be called {name[:80]!r}", "Letters, digits, '_', '-' and '.', at most 64 of them."
        )
    return name


def check_vectors(passages: Sequence[Passage], vectors: Vectors) -> None:
    """Raises `ValueError` unless there is one row of finite numbers for each passage."""
    import numpy as np

    if vectors.ndim != 2 or len(vectors) != len(passages):
        raise ValueError(f"{len(passages)} passages need as many vectors, not an array of {vectors.shape}")
    if not np.isfinite(vectors).all():
        raise ValueError("a vector has a component that is no number")


def check_query(vector: Vectors | None, mode: Mode) -> None:
    """Raises `ValueError` unless the query has the vector that the mode needs."""
    if vector is None and mode != "bm25":
        raise ValueError(f"a search of the mode {mode} needs the query's vector")


def check_model(kept: Collection, model: str, vectors: Vectors | None) -> None:
    """Raises `CollectionMismatch` unless the collection's vectors are of `model`, and of as many dimensions."""
    if model != kept.model:
        raise CollectionMismatch(f"the vectors of '{kept.name}' are of another model ({kept.model[:12]}…)")
    if vectors is not None and vectors.shape[-1] != kept.dimensions:
        raise CollectionMismatch(
            f"the vectors of '{kept.name}' have {kept.dimensions} dimensions, not {vectors.shape[-1]}"
        )


def no_collection(name: str) -> CollectionNotFound:
    return CollectionNotFound(f"there is no collection '{name}'")
