"""The folder of an embedded index: a lock, and for each collection a folder with a shard and a note on it.

lock                        held by the process that has the index open; says which
collections/<name>-<hash>/
    collection.json         name, model, dimensions; how many passages there were when it was closed
    shard/                  the engine's files
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from pathlib import Path
from typing import IO

from oryn.core.records import Record
from oryn.errors import IndexBusy, IndexFailed
from oryn.research.index.interface import Collection
from oryn.system.locks import try_lock

REPAIR_HINT = "Drop the collection (oryn index drop NAME) and read its pages again: the page cache still has them."
"""The hint of errors about damaged files."""

_FORMAT = 1


class CollectionNote(Record):
    """The content of `collection.json`: the collection as it was closed. `sound` is False from the first change until
    the next close; while it is, `passages` is out of date."""

    collection: Collection
    sound: bool


class IndexFolder:
    """The folder, locked for this process. Raises `IndexBusy`; `IndexFailed` if it can't be created."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock: IO[str] = os.fdopen(os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600), "r+")
        except OSError as failure:
            raise IndexFailed(f"the index in {folder} can't be opened: {failure.strerror}") from failure
        if not try_lock(self._lock):
            holder = self._lock.read().strip()
            self._lock.close()
            raise IndexBusy(f"the index in {folder} is open in {f'process {holder}' if holder else 'another process'}")
        self._lock.truncate()
        self._lock.write(str(os.getpid()))
        self._lock.flush()

    def close(self) -> None:
        """Release the lock."""
        self._lock.close()

    def shard(self, name: str) -> Path:
        """The folder of a collection's shard. It need not exist."""
        return self._collection_folder(name) / "shard"

    def make(self, name: str) -> Path:
        """Create the empty shard folder of a new collection. The collection exists when its note is written (`write`).
        Raises `IndexFailed`."""
        folder = self._collection_folder(name)
        try:
            if folder.exists():
                shutil.rmtree(folder)
            (folder / "shard").mkdir(mode=0o700, parents=True)
        except OSError as failure:
            raise IndexFailed(f"{folder} can't be made: {failure.strerror}") from failure
        return folder / "shard"

    def write(self, note: CollectionNote) -> None:
        """Write the note of a collection, completely or not at all. Raises `IndexFailed`."""
        path = self._collection_folder(note.collection.name) / "collection.json"
        fresh = path.with_suffix(".new")
        try:
            form = {"format": _FORMAT, "sound": note.sound, "collection": note.collection.form()}
            fresh.write_text(json.dumps(form), "utf-8")
            os.replace(fresh, path)
        except OSError as failure:
            raise IndexFailed(f"{path} can't be written: {failure.strerror}") from failure

    def note(self, name: str) -> CollectionNote | None:
        """The note of a collection, or None. Raises `IndexFailed` if it is damaged."""
        return _read(self._collection_folder(name) / "collection.json")

    def notes(self) -> list[CollectionNote]:
        """The notes of all collections, by name, without damaged ones."""
        found = []
        for path in (self.folder / "collections").glob("*/collection.json"):
            try:
                note = _read(path)
            except IndexFailed:
                continue
            if note is not None:
                found.append(note)
        return sorted(found, key=lambda note: note.collection.name)

    def remove(self, name: str) -> bool:
        """Delete a collection, damaged or not; returns whether it existed. Raises `IndexFailed` if it can't be
        deleted."""
        folder = self._collection_folder(name)
        if not folder.exists():
            return False
        try:
            # Without its note it is no collection any more, however far the rest of this comes.
            (folder / "collection.json").unlink(missing_ok=True)
            shutil.rmtree(folder)
        except OSError as failure:
            raise IndexFailed(f"{folder} can't be removed: {failure.strerror}") from failure
        return True

    def _collection_folder(self, name: str) -> Path:
        # Names may differ by their case alone, or be ones that a file system keeps for itself.
        digest = hashlib.sha256(name.encode()).hexdigest()[:8]
        return self.folder / "collections" / f"{name.lower()}-{digest}"


def _read(path: Path) -> CollectionNote | None:
    try:
        form = json.loads(path.read_text("utf-8"))
        version = form["format"]
        note = CollectionNote(collection=Collection(**form["collection"]), sound=form["sound"])
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as failure:
        raise IndexFailed(
            f"the index's file {path} can't be read: {failure}",
            REPAIR_HINT,
        ) from failure
    if version != _FORMAT:
        raise IndexFailed(
            f"the collection '{note.collection.name}' was written by another version of Oryn",
            REPAIR_HINT,
        )
    return note
