"""The collections of an index's folder, opened on demand. `local` runs it in its thread."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from oryn.errors import IndexFailed
from oryn.research.documents import Passage, RankedPassage
from oryn.research.index.folder import REPAIR_HINT, CollectionNote, IndexFolder
from oryn.research.index.interface import (
    Collection,
    Mode,
    candidate_count,
    check_model,
    checked_name,
    fuse,
    no_collection,
)
from oryn.research.index.shard import Shard

if TYPE_CHECKING:
    from oryn.research.index.interface import Vectors


class _OpenCollection(NamedTuple):
    note: CollectionNote
    shard: Shard


class CollectionStore:
    """The collections of a folder, locked for this process. Raises what `Index` raises."""

    def __init__(self, folder: Path) -> None:
        self._folder = IndexFolder(folder)
        self._open: dict[str, _OpenCollection] = {}

    def upsert(self, name: str, passages: Sequence[Passage], vectors: Vectors, model: str) -> None:
        """Add or replace passages, in a collection that is created if it does not exist. `vectors` has one row for
        each: `(n, dimensions)` of `float32`; `model` is the hash of the model they are of."""
        opened = self._opened(name) or self._create(name, model, vectors.shape[1])
        check_model(opened.note.collection, model, vectors)
        self._writable(name).upsert(passages, vectors)

    def search(
        self,
        name: str,
        query: str,
        vector: Vectors | None,
        *,
        model: str,
        limit: int,
        mode: Mode,
        urls: Sequence[str] | None,
    ) -> list[RankedPassage]:
        """The passages that match a query best, the best first; parameters as in `Index.search`."""
        opened = self._opened(name)
        if opened is None:
            raise no_collection(name)
        check_model(opened.note.collection, model, vector)
        shard = opened.shard
        if vector is None or mode == "bm25":
            return shard.sharing_words(query, limit, urls)
        if mode == "dense":
            return shard.nearest(vector, limit, urls)
        candidates = candidate_count(limit)
        return fuse(shard.nearest(vector, candidates, urls), shard.sharing_words(query, candidates, urls), limit)

    def delete(self, name: str, urls: Iterable[str], *, but: Sequence[Passage] = ()) -> None:
        """Delete the passages of the pages `urls`, except the passages `but`. A collection that does not exist is no
        error."""
        if self._opened(name):
            self._writable(name).delete(urls, but=but)

    def drop(self, name: str) -> None:
        """Delete a collection, also a damaged one. Raises `CollectionNotFound`."""
        if opened := self._open.pop(name, None):
            opened.shard.abandon()
        if not self._folder.remove(checked_name(name)):
            raise no_collection(name)

    def collections(self) -> list[Collection]:
        """All collections, each with its number of passages."""
        return [self._count(note) for note in self._folder.notes()]

    def close(self) -> None:
        """Release the folder, even if a shard can't be closed properly."""
        try:
            for note, shard in self._open.values():
                collection = note.collection.replace(passages=shard.count())
                shard.close()
                if not note.sound:
                    self._folder.write(CollectionNote(collection=collection, sound=True))
        finally:
            self._folder.close()

    def _opened(self, name: str) -> _OpenCollection | None:
        if name not in self._open:
            note = self._folder.note(checked_name(name))
            if note is None:
                return None
            opened = _OpenCollection(note, Shard(self._folder.shard(name)))
            _check_count(opened)
            self._open[name] = opened
        return self._open[name]

    def _create(self, name: str, model: str, dimensions: int) -> _OpenCollection:
        note = CollectionNote(Collection(name, 0, model, dimensions), sound=False)
        opened = _OpenCollection(note, Shard(self._folder.make(name), dimensions))
        self._folder.write(note)
        self._open[name] = opened
        return opened

    def _writable(self, name: str) -> Shard:
        note, shard = self._open[name]
        if note.sound:
            note = note.replace(sound=False)
            self._folder.write(note)
            self._open[name] = _OpenCollection(note, shard)
        return shard

    def _count(self, note: CollectionNote) -> Collection:
        if note.sound:
            return note.collection
        opened = self._opened(note.collection.name)
        return note.collection.replace(passages=opened.shard.count() if opened else 0)


def _check_count(opened: _OpenCollection) -> None:
    """Raise `IndexFailed` if passages are missing: the engine opens some damaged files as if they were empty."""
    note, shard = opened
    collection = note.collection
    if note.sound and (found := shard.count()) != collection.passages:
        shard.abandon()
        raise IndexFailed(
            f"the collection '{collection.name}' had {collection.passages:,} passages when it was closed, and has "
            f"{found:,} now: its files are damaged",
            REPAIR_HINT,
        )
