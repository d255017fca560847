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

from oryn.locks import try_lock
from oryn.records import Record
from oryn.research.failures import IndexBusy, IndexFailed
from oryn.research.index.interface import Collection

MEND = "Drop the collection (oryn index drop NAME) and read its pages again: the page cache still has them."
"""What to do about damaged files."""

_FORMAT = 1


class Note(Record):
    """What `collection.json` says: the collection as it was closed; `sound` is False from the first change until then,
    and while it is, `passages` means nothing."""

    collection: Collection
    sound: bool


class IndexFolder:
    """The folder, open for this process alone. Raises `IndexBusy`; `IndexFailed` when it can't be made."""

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
        self._lock.close()

    def shard(self, name: str) -> Path:
        return self._place(name) / "shard"

    def make(self, name: str) -> Path:
        """The shard's folder of a new collection, empty. The collection is there once its note is (`write`)."""
        place = self._place(name)
        try:
            if place.exists():
                shutil.rmtree(place)
            (place / "shard").mkdir(mode=0o700, parents=True)
        except OSError as failure:
            raise IndexFailed(f"{place} can't be made: {failure.strerror}") from failure
        return place / "shard"

    def write(self, note: Note) -> None:
        path = self._place(note.collection.name) / "collection.json"
        fresh = path.with_suffix(".new")
        try:
            form = {"format": _FORMAT, "sound": note.sound, "collection": note.collection.form()}
            fresh.write_text(json.dumps(form), "utf-8")
            os.replace(fresh, path)
        except OSError as failure:
            raise IndexFailed(f"{path} can't be written: {failure.strerror}") from failure

    def note(self, name: str) -> Note | None:
        """None when there is no such collection. Raises `IndexFailed` when its note is damaged."""
        return _read(self._place(name) / "collection.json")

    def notes(self) -> list[Note]:
        """Of all collections, by name; those whose note is damaged are left out."""
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
        """Whether there was anything of it, sound or not."""
        place = self._place(name)
        if not place.exists():
            return False
        try:
            # Without its note it is no collection any more, however far the rest of this comes.
            (place / "collection.json").unlink(missing_ok=True)
            shutil.rmtree(place)
        except OSError as failure:
            raise IndexFailed(f"{place} can't be removed: {failure.strerror}") from failure
        return True

    def _place(self, name: str) -> Path:
        # Names may differ by their case alone, or be ones that a file system keeps for itself.
        digest = hashlib.sha256(name.encode()).hexdigest()[:8]
        return self.folder / "collections" / f"{name.lower()}-{digest}"


def _read(path: Path) -> Note | None:
    try:
        form = json.loads(path.read_text("utf-8"))
        kept = form["format"]
        note = Note(collection=Collection(**form["collection"]), sound=form["sound"])
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as failure:
        raise IndexFailed(
            f"the index's file {path} can't be read: {failure}",
            MEND,
        ) from failure
    if kept != _FORMAT:
        raise IndexFailed(
            f"the collection '{note.collection.name}' was written by another version of Oryn",
            MEND,
        )
    return note
