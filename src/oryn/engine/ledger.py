"""Which files Oryn has made: only these are replaced without being asked (`--overwrite`).

A small file for each of them in a folder of the host's own says what was written where: device, inode, size and time
of the last change, by the hash of the path. So it holds across processes and restarts, on every file system, and needs
no lock; and a file that somebody has changed since, or put in its place, is theirs. (An extended attribute would say
none of this: it stays when the content is another, and not every file system keeps one.)"""

from __future__ import annotations

import logging
import os
from contextlib import suppress
from pathlib import Path

log = logging.getLogger(__name__)

MOST = 4096
"""Files that are known; beyond that the older half is forgotten."""

GROWING = -1
"""In the place of a size: the file is still being written, by whoever has begun it."""

Identity = tuple[int, int, int, int]
"""Device, inode, size, and the time of the last change in nanoseconds."""


def identity(status: os.stat_result) -> Identity:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


class Ledger:
    """`folder` is made with the first entry. What can't be noted there is known to this object alone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[Path, Identity] = {}
        self._granted: set[Path] = set()

    def grant(self, path: Path) -> None:
        """The caller has said that this file may be replaced: once."""
        self._granted.add(path)

    def allows(self, path: Path, status: os.stat_result) -> bool:
        """Whether the file at an absolute path, with this status, may be replaced."""
        if path in self._granted:
            return True
        noted, found = self._noted(path), identity(status)
        return noted is not None and (noted == found or (noted[2] == GROWING and noted[:2] == found[:2]))

    def note(self, path: Path, status: os.stat_result, *, growing: bool = False) -> None:
        """Oryn has made this file, or has begun it (`growing`)."""
        device, inode, size, changed = identity(status)
        made = device, inode, GROWING if growing else size, changed
        self._known[path] = made
        self._granted.discard(path)
        draft = self._folder / f".{os.urandom(8).hex()}"
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
                file.write(" ".join(map(str, made)))
            os.replace(draft, self._entry(path))
        except OSError as error:  # the file itself is written: at worst its next writer is asked for --overwrite
            log.warning("it can't be noted that %s is ours: %s", path, error.strerror)
            with suppress(OSError):
                draft.unlink()
        else:
            self._forget_old()

    def _noted(self, path: Path) -> Identity | None:
        try:
            device, inode, size, changed = map(int, self._entry(path).read_text("ascii").split())
        except (OSError, ValueError):  # there is none, or it is not whole: then the file counts as another's
            return self._known.get(path)
        return device, inode, size, changed

    def _entry(self, path: Path) -> Path:
        import hashlib  # here, for the start of a host is in a hurry

        return self._folder / hashlib.sha256(os.fsencode(path)).hexdigest()[:40]

    def _forget_old(self) -> None:
        folder = self._folder
        with os.scandir(folder) as found:
            names = [entry.name for entry in found]
        if len(names) <= MOST:
            return
        entries = []
        for name in names:
            with suppress(OSError):  # another process forgets, too
                entries.append((os.stat(folder / name).st_mtime_ns, name))
        for _, name in sorted(entries)[: MOST // 2]:
            with suppress(OSError):
                os.unlink(folder / name)
