"""The index in this process: collections of passages in a folder, by Qdrant's engine (`qdrant-edge-py`).

One process has it open at a time; the daemon shares its own. What a call has written is in the engine's
write-ahead log before the call returns, and so survives a killed process; every 2,000 passages and on close it is
flushed to the disk, so that a power failure loses the last ones at most."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from oryn.errors import IndexFailed
from oryn.research.documents import Passage, RankedPassage
from oryn.research.index.interface import Collection, Mode, check_query, check_vectors, checked_name
from oryn.system.optional_dependencies import require_extra

with require_extra("research", "the index"):
    from oryn.research.index.store import CollectionStore

if TYPE_CHECKING:
    from oryn.research.index.interface import Vectors

Result = TypeVar("Result")

BATCH_PASSAGES = 128
"""Passages that are written at once. The engine holds the GIL meanwhile: some 10 ms."""


class EmbeddedIndex:
    """An `Index` in a folder. The first call creates the folder and opens the index."""

    def __init__(self, folder: Path | str) -> None:
        self._path = Path(folder)
        self._store: CollectionStore | None = None
        self._closed = False
        # One thread for all: the engine does one thing at a time in any case.
        self._thread = ThreadPoolExecutor(1, "oryn-index")

    async def upsert(
        self, collection: str, passages: Sequence[Passage], vectors: Vectors, *, model: str, replace: bool = False
    ) -> None:
        checked_name(collection)
        check_vectors(passages, vectors)
        for begin in range(0, len(passages), BATCH_PASSAGES):
            batch, rows = passages[begin : begin + BATCH_PASSAGES], vectors[begin : begin + BATCH_PASSAGES]
            await self._run(partial(CollectionStore.upsert, name=collection, passages=batch, vectors=rows, model=model))
        if replace and passages:
            pages = {passage.url for passage in passages}
            await self._run(lambda store: store.delete(collection, pages, but=passages))

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
        check_query(vector, mode)
        only = None if urls is None else list(urls)
        return await self._run(
            lambda store: store.search(collection, query, vector, model=model, limit=limit, mode=mode, urls=only)
        )

    async def delete(self, collection: str, url: str) -> None:
        await self._run(lambda store: store.delete(collection, [url]))

    async def drop(self, collection: str) -> None:
        await self._run(lambda store: store.drop(collection))

    async def collections(self) -> list[Collection]:
        return await self._run(lambda store: store.collections())

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            try:
                await self._submit(self._close)
            finally:
                self._thread.shutdown(wait=False)

    async def _run(self, work: Callable[[CollectionStore], Result]) -> Result:
        if self._closed:
            raise IndexFailed(f"the index in {self._path} has been closed")
        return await self._submit(lambda: work(self._opened()))

    async def _submit(self, work: Callable[[], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    # --- in the thread ---

    def _opened(self) -> CollectionStore:
        if self._store is None:
            self._store = CollectionStore(self._path)
        return self._store

    def _close(self) -> None:
        if self._store is not None:
            store, self._store = self._store, None
            store.close()
