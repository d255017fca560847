"""The collections of an index's folder, opened as they are needed. What `embedded` does in its thread."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from oryn.research.documents import Passage, Ranked
from oryn.research.failures import IndexFailed
from oryn.research.index.folder import MEND, IndexFolder, Note
from oryn.research.index.fusion import candidates, fused
from oryn.research.index.interface import (
    Collection,
    Mode,
    check_model,
    checked_name,
    no_collection,
)
from oryn.research.index.shard import Shard

if TYPE_CHECKING:
    from oryn.research.index.interface import Vectors


class _Open(NamedTuple):
    note: Note
    shard: Shard


class Store:
    """The folder, open for this process alone. Raises what `Index` raises."""

    def __init__(self, folder: Path) -> None:
        self._folder = IndexFolder(folder)
        self._open: dict[str, _Open] = {}

    def upsert(self, name: str, passages: Sequence[Passage], vectors: Vectors, model: str) -> None:
        opened = self._opened(name) or self._made(name, model, vectors.shape[1])
        check_model(opened.note.collection, model, vectors)
        self._changing(name).upsert(passages, vectors)

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
    ) -> list[Ranked]:
        opened = self._opened(name)
        if opened is None:
            raise no_collection(name)
        check_model(opened.note.collection, model, vector)
        shard = opened.shard
        if vector is None or mode == "bm25":
            return shard.sharing_words(query, limit, urls)
        if mode == "dense":
            return shard.nearest(vector, limit, urls)
        many = candidates(limit)
        return fused(shard.nearest(vector, many, urls), shard.sharing_words(query, many, urls), limit)

    def delete(self, name: str, urls: Iterable[str], *, but: Sequence[Passage] = ()) -> None:
        if self._opened(name):
            self._changing(name).delete(urls, but=but)

    def drop(self, name: str) -> None:
        if opened := self._open.pop(name, None):
            opened.shard.abandon()
        if not self._folder.remove(checked_name(name)):
            raise no_collection(name)

    def collections(self) -> list[Collection]:
        return [self._counted(note) for note in self._folder.notes()]

    def close(self) -> None:
        """Lets go of the folder, even when a shard can't be closed well."""
        try:
            for note, shard in self._open.values():
                collection = note.collection.replace(passages=shard.count())
                shard.close()
                if not note.sound:
                    self._folder.write(Note(collection=collection, sound=True))
        finally:
            self._folder.close()

    def _opened(self, name: str) -> _Open | None:
        if name not in self._open:
            note = self._folder.note(checked_name(name))
            if note is None:
                return None
            opened = _Open(note, Shard(self._folder.shard(name)))
            _check_count(opened)
            self._open[name] = opened
        return self._open[name]

    def _made(self, name: str, model: str, dimensions: int) -> _Open:
        note = Note(Collection(name, 0, model, dimensions), sound=False)
        opened = _Open(note, Shard(self._folder.make(name), dimensions))
        self._folder.write(note)
        self._open[name] = opened
        return opened

    def _changing(self, name: str) -> Shard:
        note, shard = self._open[name]
        if note.sound:
            note = note.replace(sound=False)
            self._folder.write(note)
            self._open[name] = _Open(note, shard)
        return shard

    def _counted(self, note: Note) -> Collection:
        if note.sound:
            return note.collection
        opened = self._opened(note.collection.name)
        return note.collection.replace(passages=opened.shard.count() if opened else 0)


def _check_count(opened: _Open) -> None:
    """The engine opens some damaged files as if they were empty."""
    note, shard = opened
    kept = note.collection
    if note.sound and (found := shard.count()) != kept.passages:
        shard.abandon()
        raise IndexFailed(
            f"the collection '{kept.name}' had {kept.passages:,} passages when it was closed, and has {found:,} now: "
            "its files are damaged",
            MEND,
        )
