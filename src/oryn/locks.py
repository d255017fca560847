"""Locks between processes: one on an open file, which the system lets go of when its holder dies, however it dies; and
one that every language can make."""

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

    # Nobody can read a locked byte there, so it is one far behind the end.
    _FAR = 1 << 30

    def try_lock(file: IO[Any]) -> bool:
        """Lock `file` for as long as it is open, unless somebody else has."""
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
        """The same, once nobody else has. Raises `OSError` after ten seconds."""
        file.seek(_FAR)
        msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)

else:
    import fcntl

    def try_lock(file: IO[Any]) -> bool:
        """Lock `file` for as long as it is open, unless somebody else has."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def lock(file: IO[str]) -> None:
        """The same, once nobody else has."""
        fcntl.flock(file, fcntl.LOCK_EX)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of the file `path`, which is made and stays, while the block runs. Raises `OSError`."""
    with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+") as file:
        lock(file)
        yield


STALE_SECONDS = 10.0
"""What is held for longer than that was left behind: its holder has died."""
_LOOK_SECONDS = 0.01


@contextmanager
def taken(path: Path) -> Iterator[None]:
    """Hold `path`, a file that is there as long as somebody does, while the block runs, which is to be short. For what
    is shared with programs that can't lock a file as above (Node's). Raises `OSError`."""
    mark = secrets.token_hex(8)
    while not _take(path, mark):
        _free_stale(path)
        time.sleep(_LOOK_SECONDS)
    try:
        yield
    finally:
        with suppress(OSError):
            if path.read_text("utf-8") == mark:
                path.unlink()


def _take(path: Path, mark: str) -> bool:
    try:
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(mark)
    except FileExistsError:
        return False
    return True


def _free_stale(path: Path) -> None:
    """Put away what was left behind. It takes another name first: of several who do this only one succeeds."""
    with suppress(FileNotFoundError):
        if time.time() - path.stat().st_mtime > STALE_SECONDS:
            aside = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
            path.rename(aside)
            aside.unlink()
