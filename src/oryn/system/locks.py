"""Locks between processes.

There are two kinds: a lock on an open file, which the system releases when its holder dies, and a lock file, which
programs in any language can create."""

from __future__ import annotations

import os
import secrets
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

if sys.platform == "win32":
    import msvcrt

    # On Windows, locked bytes can't be read, so the lock is on a byte far behind the end.
    _FAR = 1 << 30

    def try_lock(file: IO[Any]) -> bool:
        """Lock `file` for as long as it is open; return False if another process has locked it."""
        place = file.tell()
        file.seek(_FAR)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            file.seek(place)
        return True

    def lock(file: IO[str]) -> None:
        """Lock `file` for as long as it is open, waiting until it is free. Raises `OSError` after ten seconds."""
        file.seek(_FAR)
        msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)

else:
    import fcntl

    def try_lock(file: IO[Any]) -> bool:
        """Lock `file` for as long as it is open; return False if another process has locked it."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def lock(file: IO[str]) -> None:
        """Lock `file` for as long as it is open, waiting until it is free."""
        fcntl.flock(file, fcntl.LOCK_EX)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of the file `path` while the block runs. The file is created, and remains. Raises `OSError`."""
    with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+") as file:
        lock(file)
        yield


STALE_LOCK_SECONDS = 10.0
"""Seconds after which a lock file counts as left behind by a process that has died."""
_POLL_SECONDS = 0.01


@contextmanager
def lock_file(path: Path) -> Iterator[None]:
    """Hold a lock file at `path`, which exists only while the lock is held, while the block runs; the block must be
    short.

    For files that are shared with programs that can't lock an open file (Node's). Raises `OSError`."""
    mark = secrets.token_hex(8)
    while not _create_lock_file(path, mark):
        _remove_stale_lock(path)
        time.sleep(_POLL_SECONDS)
    try:
        yield
    finally:
        with suppress(OSError):
            if path.read_text("utf-8") == mark:
                path.unlink()


def _create_lock_file(path: Path, mark: str) -> bool:
    try:
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(mark)
    except FileExistsError:
        return False
    return True


def _remove_stale_lock(path: Path) -> None:
    """Remove a lock file that was left behind. It is renamed first: only one of several processes succeeds in that."""
    with suppress(FileNotFoundError):
        if time.time() - path.stat().st_mtime > STALE_LOCK_SECONDS:
            aside = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
            path.rename(aside)
            aside.unlink()
